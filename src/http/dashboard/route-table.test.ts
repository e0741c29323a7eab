import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import Type from 'typebox'
import {
  type Answer,
  makeMerchant,
  type Request,
  startLoneNode,
} from '../../../test/app-harness.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { createMetrics } from '../../metrics.ts'
import { scopesOf } from '../../people/access.ts'
import { type Role, roles } from '../../people/person.ts'
import { routes } from '../routes/index.ts'
import { createServer } from '../server.ts'
import { type DashboardRoute, FileAnswer } from './dashboard-route.ts'
import { dashboardRoutes } from './index.ts'
import { placesOf, sessionPlacesOf } from './register-dashboard.ts'

/**
 * Made from the tables of routes, so a new one is tried here without anybody thinking of it. What
 * the routes do is left out: each answers that the caller was let in.
 */
const node = await startLoneNode({ after })
const letIn = 'let in'
const server = await createServer(
  { ...node, metrics: createMetrics() },
  {
    operations: true,
    views: dashboardRoutes.map((view) => ({
      ...view,
      input: {},
      handle: async () => new FileAnswer('', 'text/plain', Readable.from([letIn])),
    })),
    routes: routes.map((route) => ({
      ...route,
      input: {},
      output: Type.Any(),
      handle: async () => letIn,
    })),
  },
)
after(() => server.close())

async function send(request: Request): Promise<Pick<Answer, 'status' | 'text' | 'body'>> {
  const { statusCode: status, payload: text } = await server.inject(request)
  return { status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
}

const shop = await makeMerchant(node.db)
const visitors = new Map<Role, Visitor>()
for (const role of roles) visitors.set(role, await signInAs(node, shop, role))
const stranger = await signInAs(node, await makeMerchant(node.db), 'owner')

type Rule = { method: DashboardRoute['method']; url: string; may: DashboardRoute['may'] }
const rules: Rule[] = [
  ...dashboardRoutes.flatMap((view) =>
    placesOf(view).map(({ url }) => ({ method: view.method, may: view.may, url })),
  ),
  ...routes.flatMap((route) =>
    sessionPlacesOf(route).map(({ url, may }) => ({ method: route.method, may, url })),
  ),
]

const nameOf = ({ method, path }: Pick<DashboardRoute, 'method' | 'path'>) => `${method} ${path}`
const allowed = ({ may }: Rule): readonly Role[] => (typeof may === 'string' ? roles : may)

for (const rule of rules) {
  const { method, url, may } = rule
  const knock = (headers: Record<string, string>) => send({ method, url, headers })

  test(`${method} ${url} lets in ${may === 'anyone' ? may : allowed(rule).join(', ')} alone`, async () => {
    for (const [role, { cookie, csrf }] of visitors) {
      const { status, text, body } = await knock({ cookie, 'x-csrf-token': csrf })
      if (allowed(rule).includes(role)) assert.deepEqual([status, text], [200, letIn], role)
      else assert.deepEqual([status, body.errorCode], [403, 'FORBIDDEN'], role)
    }
    const nobody = await knock({})
    const forged = await knock({ cookie: `malipo_session=${'A'.repeat(43)}` })
    for (const { status, body } of [nobody, forged]) {
      if (may === 'anyone') assert.equal(status, 200)
      else assert.deepEqual([status, body.errorCode], [401, 'UNAUTHORIZED'])
    }
  })

  if (method === 'GET') continue
  test(`${method} ${url} is refused to other pages`, async () => {
    const { cookie, csrf } = visitors.get('owner')!
    const foreign = { 'x-csrf-token': stranger.csrf }
    const tokens = may === 'anyone' ? [] : [{}, foreign, { 'x-csrf-token': '' }]
    const pages = ['https://evil.example', 'null', 'http://localhost:81'].map((origin) => ({
      origin,
    }))
    const otherPages = [...pages, { 'sec-fetch-site': 'cross-site' }].map((page) => ({
      ...page,
      'x-csrf-token': csrf,
    }))
    for (const headers of [...tokens, ...otherPages]) {
      const { status, body } = await knock({ cookie, ...headers })
      assert.deepEqual([status, body.errorCode], [403, 'CSRF_REFUSED'], JSON.stringify(headers))
    }
    const ours = {
      origin: 'http://localhost:80',
      host: 'localhost',
      'sec-fetch-site': 'same-origin',
    }
    assert.equal((await knock({ cookie, 'x-csrf-token': csrf, ...ours })).status, 200)
  })
}

test('every operation has a rule, and few are open to anyone', () => {
  for (const { may, ...view } of dashboardRoutes) {
    const isList = Array.isArray(may) && may.length > 0 && may.every((each) => roles.includes(each))
    assert.ok(may === 'anyone' || may === 'signed-in' || isList, nameOf(view))
  }
  const open = dashboardRoutes.filter(({ may }) => may === 'anyone').map(nameOf)
  assert.deepEqual(open, ['POST /session', 'GET /invitation/:token', 'POST /invitation/:token'])
})

test('a viewer changes nothing but their own affairs', () => {
  const own = dashboardRoutes
    .filter((view) => view.method !== 'GET' && view.may !== 'anyone')
    .filter(({ may }) => may === 'signed-in' || may.includes('viewer'))
    .map(nameOf)
  assert.deepEqual(own.toSorted(), [
    'DELETE /session',
    'DELETE /sessions',
    'DELETE /totp',
    'POST /totp',
    'PUT /password',
    'PUT /profile',
    'PUT /totp',
  ])
  for (const environment of ['sandbox', 'live'] as const) {
    assert.deepEqual([...scopesOf.viewer[environment]], ['read'])
  }
})

test('no two operations share a method and place, or an id', () => {
  const places = rules.map(({ method, url }) => `${method} ${url}`)
  assert.equal(new Set(places).size, places.length)
  assert.equal(new Set(dashboardRoutes.map(({ about }) => about.id)).size, dashboardRoutes.length)
})

test('the token exchange is not for people, and simulations are not for live', () => {
  const urls = rules.map(({ url }) => url)
  assert.ok(!urls.some((url) => url.includes('generate-bearer-token')))
  for (const { path } of routes.filter(({ sandboxOnly }) => sandboxOnly)) {
    assert.ok(urls.includes(`/dashboard/sandbox/b2b${path}`))
    assert.ok(!urls.includes(`/dashboard/live/b2b${path}`))
  }
})
