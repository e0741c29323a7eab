import { readFileSync } from 'node:fs'
import { dashboardRoutes } from '../../src/http/dashboard/index.ts'
import { placesOf, sessionPlacesOf } from '../../src/http/dashboard/register-dashboard.ts'
import { routes } from '../../src/http/routes/index.ts'

/** As much of JSON Schema as the descriptions use. */
export type Schema = {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

/** One operation as a caller sees it: where it is, what it takes, and what it may answer. */
export type Operation = {
  name: string
  method: string
  /** Every place it is found at, with parameters in braces. */
  paths: readonly string[]
  caller: 'token' | 'session' | 'nobody'
  query: Schema
  headers: Schema
  body: Schema | undefined
  example: unknown
  /** By status. Where none is told, any refusal in the usual form will do. */
  answers: Readonly<Record<string, Schema>>
  /** An answer that is a file, a page or a stream has no schema. */
  isFile: boolean
}

type Media = { 'application/json': { schema: Schema; example?: unknown } }
type Described = {
  operationId: string
  security: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Media }
  responses: Record<string, { content: Media }>
}
export type Description = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

export function readDescription(): Description {
  const file = new URL('../../openapi.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function allOperations(description: Description): Operation[] {
  return [
    ...publicOperations(description),
    ...sessionOperations(publicOperations(description)),
    ...dashboardOperations(),
    ...otherDoors,
  ]
}

/** Those of the API. Whatever stands below one prefix stands below the other too. */
function publicOperations({ paths }: Description): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => {
      const bare = path.replace(/^\/api\/(sandbox\/)?b2b/, '')
      return {
        name: described.operationId,
        method: method.toUpperCase(),
        paths: [`/api/b2b${bare}`, `/api/sandbox/b2b${bare}`],
        caller: described.security.length > 0 ? 'token' : 'nobody',
        query: schemaOf(described, 'query'),
        headers: schemaOf(described, 'header'),
        body: described.requestBody?.content['application/json'].schema,
        example: described.requestBody?.content['application/json'].example,
        answers: Object.fromEntries(
          Object.entries(described.responses).map(([status, { content }]) => [
            ...[status, content['application/json'].schema],
          ]),
        ),
        isFile: false,
      } as Operation
    }),
  )
}

function schemaOf({ parameters }: Described, place: string): Schema {
  const own = parameters.filter((parameter) => parameter.in === place)
  return {
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The same, called by somebody with a session. Refusals there have the usual form. */
function sessionOperations(operations: readonly Operation[]): Operation[] {
  return routes.flatMap((route) => {
    const operation = operations.find(({ name }) => name === route.about.id)!
    const paths = sessionPlacesOf(route).map(({ url }) => braced(url))
    if (paths.length === 0) return []
    const answers: Record<string, Schema> = { 200: operation.answers['200']! }
    const name = `${operation.name} with a session`
    return [{ ...operation, name, paths, answers, caller: 'session' as const }]
  })
}

function dashboardOperations(): Operation[] {
  return dashboardRoutes.map((route) => {
    const { method, may, about, input, output } = route
    const schema = JSON.parse(JSON.stringify(output)) as Schema
    return {
      ...{ name: `dashboard ${about.id}`, method, example: undefined, headers: {} },
      paths: placesOf(route).map(({ url }) => braced(url)),
      caller: may === 'anyone' ? 'nobody' : 'session',
      query: JSON.parse(JSON.stringify(input.query ?? {})),
      body: input.body === undefined ? undefined : JSON.parse(JSON.stringify(input.body)),
      answers: { 200: schema },
      isFile: schema.type === 'string',
    }
  })
}

const door = { caller: 'nobody', query: {}, headers: {}, example: undefined, answers: {} } as const
const anything: Schema = { type: 'object', properties: { id: { type: 'string' } } }

/** What is neither of the API nor of the dashboard, and open to everybody. */
const otherDoors: readonly Operation[] = [
  {
    ...{ ...door, name: 'news of a rail', method: 'POST', isFile: false, body: anything },
    paths: ['/rails/sandbox/callbacks', '/rails/{rail}/callbacks'],
  },
  {
    ...{ ...door, name: 'the page of a bank', method: 'GET', isFile: true, body: undefined },
    paths: ['/sandbox/confirm/{link}', '/docs', '/openapi.json', '/healthz', '/readyz'],
  },
  {
    ...{ ...door, name: 'the form of a bank', method: 'POST', isFile: true, body: anything },
    paths: ['/sandbox/confirm/{link}'],
  },
]

const braced = (url: string): string => url.replaceAll(/:(\w+)/g, '{$1}')
