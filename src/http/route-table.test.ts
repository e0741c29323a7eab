import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { TSchema } from 'typebox'
import { sandboxPath, startLoneNode, unauthorized } from '../../test/app-harness.ts'
import { AppError, errorCatalogue } from '../errors.ts'
import { scopes } from '../merchants/account.ts'
import { readVersion } from '../version.ts'
import { openApiDocument } from './openapi.ts'
import { routes } from './routes/index.ts'
import { prefixes } from './server.ts'
import { statusOf } from './statuses.ts'
import { type RequestPart, serializerOf, validatorOf } from './validation.ts'

type Operation = {
  operationId: string
  security: unknown[]
  responses: Record<string, { description: string }>
}
type Document = { paths: Record<string, Record<string, Operation>> }

const document = openApiDocument(routes, readVersion()) as Document

const nameOf = ({ method, path }: (typeof routes)[number]) => `${method} ${path}`

test('every operation says who may call it, and only the token exchange is open', () => {
  for (const route of routes) {
    const isKnown = route.auth === 'none' || scopes.includes(route.auth)
    assert.ok(isKnown, nameOf(route))
  }
  const open = routes.filter(({ auth }) => auth === 'none').map(nameOf)
  assert.deepEqual(open, ['POST /auth/generate-bearer-token'])
})

test('no two operations share a method and path, or an id', () => {
  assert.equal(new Set(routes.map(nameOf)).size, routes.length)
  assert.equal(new Set(routes.map(({ about }) => about.id)).size, routes.length)
})

test('the examples of every operation pass its own schemas', () => {
  for (const { input, output, example, ...route } of routes) {
    const about = nameOf({ input, output, example, ...route })
    const answer = validatorOf('body', output)
    assert.ok(answer(example.output), `${about}: ${JSON.stringify(answer.errors)}`)
    assert.deepEqual(JSON.parse(serializerOf(output)(example.output)), example.output, about)
    assert.equal(input.body === undefined, example.body === undefined, about)
    if (input.body === undefined) continue
    const body = validatorOf('body', input.body)
    assert.ok(body(example.body), `${about}: ${JSON.stringify(body.errors)}`)
  }
})

test('every schema compiles, which the service does when a request first needs it', () => {
  for (const { input } of routes) {
    const { body = {}, headers = {}, params = {}, query = {} } = input
    for (const [part, schema] of Object.entries({ body, headers, params, querystring: query })) {
      assert.equal(typeof validatorOf(part as RequestPart, schema as TSchema)({}), 'boolean')
    }
  }
})

test('every operation is in the description, with its refusals', () => {
  const described = Object.values(document.paths).flatMap((methods) => Object.keys(methods))
  assert.equal(described.length, routes.length)
  for (const { method, path, about, auth, errors, sandboxOnly } of routes) {
    const prefix = sandboxOnly ? prefixes.sandbox : prefixes.business
    const template = prefix + path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = document.paths[template]?.[method.toLowerCase()]
    assert.equal(operation?.operationId, about.id)
    assert.equal(operation.security.length, auth === 'none' ? 0 : 1)
    for (const code of errors) {
      assert.match(operation.responses[statusOf[code]]?.description ?? '', new RegExp(code))
    }
  }
})

test('the description that is served is the one of the routes', async (t) => {
  const node = await startLoneNode(t)
  const { body } = await node.send({ method: 'GET', url: '/openapi.json' })
  assert.deepEqual(body, JSON.parse(JSON.stringify(document)))
})

test('every code of the catalogue has an error status and a sentence', () => {
  for (const [code, { message }] of Object.entries(errorCatalogue)) {
    const status = statusOf[code as keyof typeof statusOf]
    assert.ok(status >= 400 && status < 600, code)
    assert.ok(message.length > 0, code)
  }
})

const node = await startLoneNode({ after })

for (const route of routes.filter(({ auth }) => auth !== 'none')) {
  test(`${nameOf(route)} is closed without a token, under both paths`, async () => {
    for (const prefix of [prefixes.business, sandboxPath]) {
      const { status, body } = await node.send({ method: route.method, url: prefix + route.path })
      assert.equal(status, 401)
      const own = route.renderFailure?.(new AppError('UNAUTHORIZED'))
      assert.deepEqual(body, own ?? unauthorized)
    }
  })
}
