import { AppError, type ErrorCode, errorCatalogue } from '../errors.ts'
import type { Route } from './route.ts'
import { statusOf } from './statuses.ts'

type Json = Record<string, unknown>

const description = `
One API to collect money by card, mobile money and bank transfer, and to pay it out to mobile money
and banks.

- Exchange your keys for a token first, then send it as \`Authorization: Bearer <token>\`.
- Amounts are in major units: 1000 is KES 1,000.
- Success is HTTP 200 with \`success: true\`. A refusal is \`{success: false, message, errorCode}\`.
- The token decides between sandbox and live. A sandbox token also works below
  \`/api/sandbox/b2b\`, which mirrors every path.
- Every answer carries \`x-request-id\`. Quote it when you ask about a request.
`.trim()

/** Refusals any operation can give, and those any operation with a token can. */
const common: ErrorCode[] = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'RATE_LIMITED',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]
const withToken: ErrorCode[] = ['FORBIDDEN', 'IP_NOT_ALLOWED', 'SANDBOX_ONLY']
const withBody: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

/** The OpenAPI 3.1 description. TypeBox schemas are JSON Schema, so they go in as they are. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const prefix = route.sandboxOnly ? '/api/sandbox/b2b' : '/api/b2b'
    const path = prefix + route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  const tags = [...new Set(routes.map(({ about }) => about.tag))].map((name) => ({ name }))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Malipo',
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags,
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Failure: failureSchema },
    },
  }
}

const failureSchema = {
  type: 'object',
  required: ['success', 'message', 'errorCode'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'What is wrong and what to do, for people.' },
    errorCode: { type: 'string', description: 'For programs; does not change.' },
  },
}

function operationOf(route: Route): Json {
  const { about, auth, input, output, example } = route
  return {
    operationId: about.id,
    tags: [about.tag],
    summary: about.summary,
    ...(about.description ? { description: about.description } : {}),
    security: auth === 'none' ? [] : [{ token: [] }],
    ...(auth === 'none' ? {} : { 'x-scope': auth }),
    parameters: [
      ...parametersOf('path', input.params),
      ...parametersOf('query', input.query),
      ...parametersOf('header', input.headers),
    ],
    ...(input.body
      ? { requestBody: { required: true, content: content(plain(input.body), example.body) } }
      : {}),
    responses: {
      '200': { description: 'Success', content: content(plain(output), example.output) },
      ...refusalsOf(route),
    },
  }
}

function parametersOf(place: 'path' | 'query' | 'header', schema: unknown): Json[] {
  const { properties = {}, required = [] } = (plain(schema) ?? {}) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description: about, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(about ? { description: about } : {}),
    schema: rest,
  }))
}

function refusalsOf({ auth, input, errors, renderFailure }: Route): Record<string, Json> {
  const codes = new Set<ErrorCode>([
    ...common,
    ...(auth === 'none' ? [] : withToken),
    ...(input.body ? withBody : []),
    ...errors,
  ])
  const byStatus = Map.groupBy(codes, (code) => statusOf[code])
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, group]) => [
        String(status),
        {
          description: group.join(', '),
          content: {
            'application/json': {
              schema: renderFailure?.(new AppError(group[0]!))
                ? { type: 'object' }
                : { $ref: '#/components/schemas/Failure' },
              examples: Object.fromEntries(
                group.map((code) => [
                  code,
                  { value: renderFailure?.(new AppError(code)) ?? failureOf(code) },
                ]),
              ),
            },
          },
        },
      ]),
  )
}

function failureOf(code: ErrorCode): Json {
  return { success: false, message: errorCatalogue[code].message, errorCode: code }
}

function content(schema: unknown, example: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}

/** A schema without the marks TypeBox keeps for itself. */
function plain(schema: unknown): unknown {
  return schema === undefined ? undefined : JSON.parse(JSON.stringify(schema))
}
