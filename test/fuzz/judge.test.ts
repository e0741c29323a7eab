import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAnswer, type WireAnswer } from './connection.ts'
import { createJudge } from './judge.ts'
import { bytesOf } from './message.ts'
import { allOperations, readDescription } from './operations.ts'
import { type Drawn, drawRequest } from './requests.ts'

/** The proof that the fuzzer finds what it looks for: answers with planted faults. */
const description = readDescription()
const operations = allOperations(description)
const judge = createJudge(description)

const request = (name: string, changes: Partial<Drawn['message']> = {}): Drawn => ({
  ...{ index: 0, manner: 'valid', trick: '', isDirect: true },
  operation: operations.find((each) => each.name === name)!,
  message: {
    ...{ method: 'GET', target: '/', version: 'HTTP/1.1', headers: [], body: Buffer.alloc(0) },
    ...{ mayHangUp: false, mustRefuse: false, ...changes },
  },
})

function answer(status: number, body: unknown, changes: Partial<WireAnswer> = {}): WireAnswer {
  return {
    status,
    headers: [
      ['x-request-id', 'request-1'],
      ['x-content-type-options', 'nosniff'],
      ['content-type', 'application/json; charset=utf-8'],
    ],
    body: Buffer.from(JSON.stringify(body)),
    rest: 0,
    ...changes,
  }
}

const refusal = (errorCode: string, message = 'No.') => ({ success: false, message, errorCode })
const rate = { success: true, data: { conversionRate: 1, convertedAmount: 2 } }

test('an answer that is right has no fault', () => {
  assert.deepEqual(judge(request('getRate'), answer(200, rate)), [])
  assert.deepEqual(judge(request('getRate'), answer(401, refusal('UNAUTHORIZED'))), [])
  assert.deepEqual(judge(request('listTransactions'), answer(400, {})), [])
  assert.deepEqual(judge(request('getRate', { mayHangUp: true }), 'hung up'), [])
})

const planted: [what: string, drawn: Drawn, given: WireAnswer | 'hung up', found: RegExp][] = [
  [
    ...(['a failure', request('getRate')] as const),
    ...([answer(500, refusal('INTERNAL_SERVER_ERROR')), /failed with 500/] as const),
  ],
  ['no answer', request('getRate'), 'hung up', /no answer/],
  ['another form', request('getRate'), answer(200, { success: true }), /does not fit the schema/],
  [
    'a refusal without its form',
    request('getRate'),
    answer(400, { error: 'no' }),
    /success: false/,
  ],
  ['a refusal in words', request('getRate'), answer(400, '', { body: text('no') }), /no JSON/],
  ['an unknown code', request('getRate'), answer(400, refusal('OOPS')), /no error code OOPS/],
  [
    'a code of another status',
    request('getRate'),
    answer(400, refusal('FORBIDDEN')),
    /came with 400/,
  ],
  [
    'a status nobody told of',
    request('getRate'),
    answer(409, refusal('E-BEN.S-35')),
    /tell of 409/,
  ],
  ['no request id', request('getRate'), answer(200, rate, { headers: [] }), /request id is wrong/],
  [
    ...(['a stack', request('getRate')] as const),
    ...([answer(400, refusal('VALIDATION_ERROR', 'x\n    at read (a.ts:1)')), /inside/] as const),
  ],
  [
    ...(['words of the database', request('getRate')] as const),
    answer(400, refusal('VALIDATION_ERROR', 'duplicate key value violates unique constraint')),
    /inside/,
  ],
  [
    'two answers to one request',
    request('getRate'),
    answer(200, rate, { rest: 9 }),
    /more than once/,
  ],
  [
    ...(['a contradiction that was read', request('getRate', { mustRefuse: true })] as const),
    ...([answer(200, rate), /contradiction/] as const),
  ],
]

function text(words: string): Buffer {
  return Buffer.from(words)
}

for (const [what, drawn, given, found] of planted) {
  test(`the judge finds ${what}`, () => {
    assert.match(judge(drawn, given).join('; '), found)
  })
}

test('the same seed and number make the same request, and others another one', () => {
  const draw = { seed: 5, operations, ids: {}, callers: () => [], host: 'x' }
  const bytes = (seed: number, index: number) =>
    bytesOf(drawRequest({ ...draw, seed }, index).message).toString('latin1')
  for (let index = 0; index < 300; index++) assert.equal(bytes(5, index), bytes(5, index))
  const many = Array.from({ length: 300 }, (_, index) => bytes(5, index))
  const others = Array.from({ length: 300 }, (_, index) => bytes(6, index))
  assert.ok(many.filter((each, index) => each === others[index]).length < 100)
})

test('every operation of the description and of the dashboard has its turn', () => {
  const draw = { seed: 1, operations, ids: {}, callers: () => [], host: 'x' }
  const names = operations.map((_, index) => drawRequest(draw, index).operation.name)
  assert.equal(new Set(names).size, operations.length)
  const described = Object.values(description.paths).flatMap((path) => Object.values(path))
  for (const { operationId } of described) assert.ok(names.includes(operationId), operationId)
})

test('an answer is read whole, in chunks or by its length, and not before', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'
  assert.equal(readAnswer(text(chunked), false, false)?.body.toString(), 'abc')
  assert.equal(readAnswer(text(chunked.slice(0, -3)), false, false), undefined)
  const sized = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabHTTP'
  const read = readAnswer(text(sized), false, false)
  assert.deepEqual([read?.status, read?.body.toString(), read?.rest], [200, 'ab', 4])
})
