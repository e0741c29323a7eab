import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, type TestContext, test } from 'node:test'
import Type from 'typebox'
import {
  keysOf,
  makeKeys,
  makeMerchant,
  type Server,
  startLoneNode,
  tokenFor,
} from '../../test/app-harness.ts'
import { type Scope, scopes } from '../merchants/account.ts'
import { createMetrics } from '../metrics.ts'
import { dashboardRoutes } from './dashboard/index.ts'
import { placesOf, sessionPlacesOf } from './dashboard/register-dashboard.ts'
import type { Route } from './route.ts'
import { routes } from './routes/index.ts'
import { createServer, prefixes } from './server.ts'

/**
 * Every door of the server and who may pass it. Made from what the server opens, so that a door
 * that somebody adds beside the tables is seen here.
 */
const node = await startLoneNode({ after })
const letIn = 'let in'
const server = await createServer(
  { ...node, metrics: createMetrics() },
  {
    operations: true,
    routes: routes.map(({ renderFailure: _own, ...route }) => ({
      ...{ ...route, input: {}, output: Type.Any(), handle: async () => letIn },
    })),
  },
)
after(() => server.close())

const shop = await makeMerchant(node.db)
const only = new Map<Scope, string>()
const allBut = new Map<Scope, string>()
for (const scope of scopes) {
  const tokenWith = async (some: Scope[]) =>
    await tokenFor(node, await makeKeys(node.db, shop.sandbox, { scopes: some }))
  only.set(scope, await tokenWith([scope]))
  allBut.set(scope, await tokenWith(scopes.filter((each) => each !== scope)))
}
const live = await tokenFor(node, keysOf(shop.live))
const sandbox = await tokenFor(node, keysOf(shop.sandbox))

async function knock({ method, path }: Route, prefix: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const { statusCode, payload } = await server.inject({ method, url: prefix + path, headers })
  const code = payload.startsWith('{') ? JSON.parse(payload).errorCode : undefined
  return { status: statusCode, payload, code }
}

const withToken = routes.filter(({ auth }) => auth !== 'none')

for (const route of withToken) {
  const wanted = route.auth as Scope
  test(`${route.method} ${route.path} is for the scope ${wanted} alone`, async () => {
    for (const prefix of Object.values(prefixes)) {
      for (const scope of scopes) {
        const own = await knock(route, prefix, only.get(scope)!)
        if (scope === wanted) assert.deepEqual([own.status, own.payload], [200, letIn])
        else assert.deepEqual([own.status, own.code], [403, 'FORBIDDEN'], `only ${scope}`)
        const rest = await knock(route, prefix, allBut.get(scope)!)
        if (scope === wanted) assert.deepEqual([rest.status, rest.code], [403, 'FORBIDDEN'])
        else assert.equal(rest.status, 200, `all but ${scope}`)
      }
    }
  })

  test(`${route.method} ${route.path} takes live tokens where live may be`, async () => {
    const business = await knock(route, prefixes.business, live)
    if (route.sandboxOnly) assert.deepEqual([business.status, business.code], sandboxOnly)
    else assert.equal(business.status, 200)
    const mirrored = await knock(route, prefixes.sandbox, live)
    assert.deepEqual([mirrored.status, mirrored.code], sandboxOnly)
    for (const prefix of Object.values(prefixes)) {
      assert.equal((await knock(route, prefix, sandbox)).status, 200)
    }
  })
}

const sandboxOnly = [403, 'SANDBOX_ONLY']

/** What is open to everybody, and why no secret is behind it. */
const openDoors: Record<string, string> = {
  'GET /healthz': 'says that it runs',
  'GET /readyz': 'says whether it can work',
  'GET /metrics': 'counts; to be kept inside, as SECURITY.md says',
  'POST /rails/:rail/callbacks': 'believes a signature only',
  'GET /sandbox/confirm/:link': 'wants a signed link',
  'POST /sandbox/confirm/:link': 'wants a signed link',
  'GET /openapi.json': 'the description',
  'GET /': 'the pages of the dashboard, without data',
  'GET /assets/*': 'their files',
  ...Object.fromEntries(
    ['', '/json', '/yaml', '/static/*', '/static/index.html'].map((path) => [
      ...[`GET /docs${path}`, 'the reference'],
    ]),
  ),
  'GET /docs/static/swagger-initializer.js': 'the reference',
  'GET /docs/static/theme/malipo.css': 'the reference',
  'GET /docs.css': 'the reference',
  ...Object.fromEntries(['malipo.css', 'mark.svg', 'bank.svg'].map((file) => [`GET /${file}`, ''])),
}

type Door = { method: string | string[]; url: string }

/** What a server opens while it is made, as the framework tells it. */
async function doorsOf(t: TestContext, prepare?: (server: Server) => void): Promise<Set<string>> {
  const doors = new Set<string>()
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: Server }
    fastify.addHook('onRoute', ({ method, url }: Door) => {
      for (const each of [method].flat()) if (each !== 'HEAD') doors.add(`${each} ${url}`)
    })
  }
  subscribe('fastify.initialization', watch)
  try {
    const other = await startLoneNode(t, prepare ? { prepare } : {})
    await other.server.ready()
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
  return doors
}

function doorsOfTables(): Set<string> {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  return new Set([
    // A path of the API answers every method; where no operation takes it, with a 405.
    ...routes.flatMap(({ path }) =>
      Object.values(prefixes).flatMap((prefix) =>
        methods.map((each) => `${each} ${prefix}${path}`),
      ),
    ),
    ...dashboardRoutes.flatMap((view) => placesOf(view).map(({ url }) => `${view.method} ${url}`)),
    ...routes.flatMap((route) => sessionPlacesOf(route).map(({ url }) => `${route.method} ${url}`)),
  ])
}

test('every door is in a table with its rule, or is one of the few that are open', async (t) => {
  const doors = await doorsOf(t)
  const tables = doorsOfTables()
  for (const door of tables) assert.ok(doors.has(door), `${door} is not there`)
  const others = [...doors].filter((door) => !tables.has(door)).toSorted()
  assert.deepEqual(others, Object.keys(openDoors).toSorted())
})

test('a door that somebody adds beside the tables is seen', async (t) => {
  const doors = await doorsOf(t, (made) => void made.get('/api/b2b/secret', async () => 'x'))
  const others = [...doors].filter((door) => !doorsOfTables().has(door) && !(door in openDoors))
  assert.deepEqual(others, ['GET /api/b2b/secret'])
})
