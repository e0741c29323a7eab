import { Ajv, type ValidateFunction } from 'ajv'
import { type ErrorCode, errorCatalogue } from '../../src/errors.ts'
import { statusOf } from '../../src/http/statuses.ts'
import { headerOf, type Silence, type WireAnswer } from './connection.ts'
import type { Description, Schema } from './operations.ts'
import type { Drawn } from './requests.ts'

/** What is wrong with an answer, in sentences; nothing where it is right. */
export type Judge = (drawn: Drawn, answer: WireAnswer | Silence) => string[]

const requestIdShape = /^[\w.:-]{1,64}$/
const failureReference = '#/components/schemas/Failure'
/** Words of our inside. None of what is sent contains them, so none is an echo. */
const inside: readonly RegExp[] = [
  ...[
    /\n\s+at /,
    /\bat (async )?[\w.<>]+ \(/,
    /node:internal/,
    /node_modules/,
    /\.ts:\d+/,
    /\/src\//,
  ],
  ...[
    /syntax error at or near/i,
    /violates [\w-]+ constraint/i,
    /duplicate key value/i,
    /\bpg_\w+/,
  ],
  ...[
    /invalid input syntax/i,
    /invalid byte sequence/i,
    /relation "\w+"/,
    /column "\w+"/,
    /SQLSTATE/,
  ],
  ...[/\bselect \w+.* from /i, /\binsert into\b/i, /ECONN\w+/, /\bundefined\b is not/, /TypeError/],
  ...[/Cannot read propert/, /is not a function/, /\[object Object\]/, /Maximum call stack/],
]

/** What leaks stands in place of an answer, not at the end of a long one. */
const searchedBytes = 20_000

export function createJudge(description: Description): Judge {
  const ajv = new Ajv({ strict: false })
  ajv.addSchema({ components: description.components }, 'openapi')
  const compiled = new Map<Schema, ValidateFunction>()
  const failure = ajv.compile(description.components.schemas.Failure!)

  function schemaFault(schema: Schema, body: unknown): string | undefined {
    if (isFailure(schema)) return failure(body) ? undefined : ajv.errorsText(failure.errors)
    const check = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, check)
    return check(body) ? undefined : ajv.errorsText(check.errors)
  }

  return (drawn, answer) => {
    if (typeof answer === 'string') return silenceFaults(drawn, answer)
    const problems = [...frameFaults(drawn, answer), ...leaks(answer)]
    if (answer.status >= 500 && !isUnbuiltPage(answer)) {
      problems.push(`the service failed with ${answer.status}`)
    }
    if (drawn.message.method === 'HEAD' || answer.status === 304) return problems
    const body = jsonOf(answer)
    if (answer.status >= 400 && !isUnbuiltPage(answer)) {
      problems.push(...envelopeFaults(drawn, answer, body))
    }
    if (drawn.isDirect) problems.push(...statusFaults(drawn, answer, body))
    const schema = drawn.operation.answers[answer.status]
    const isFile = drawn.operation.isFile && answer.status === 200
    if (drawn.isDirect && schema && !isFile && !isUnknownPath(body)) {
      const fault = schemaFault(schema, body)
      if (fault) problems.push(`the answer does not fit the schema of ${answer.status}: ${fault}`)
    }
    return problems
  }
}

const isFailure = (schema: object): boolean =>
  (schema as { $ref?: string }).$ref === failureReference

function silenceFaults({ message }: Drawn, silence: Silence): string[] {
  return silence === 'hung up' && message.mayHangUp ? [] : [`there was no answer: ${silence}`]
}

/** Holds for every answer, whatever was asked. */
function frameFaults({ message, isDirect }: Drawn, answer: WireAnswer): string[] {
  const problems: string[] = []
  const ids = answer.headers.filter(([name]) => name === 'x-request-id')
  if (ids.length !== 1 || !requestIdShape.test(ids[0]![1])) {
    problems.push(`the request id is wrong: ${JSON.stringify(ids)}`)
  }
  if (headerOf(answer, 'x-injected') !== undefined) problems.push('a header was injected')
  if (answer.status === 0) problems.push('the answer is no HTTP')
  if (isDirect && headerOf(answer, 'x-content-type-options') !== 'nosniff') {
    problems.push('the security headers are missing')
  }
  if ((isDirect || message.mustRefuse) && answer.rest > 0) {
    problems.push(`one request was answered more than once: ${answer.rest} bytes more`)
  }
  if (message.mustRefuse && answer.status < 400) problems.push('a contradiction was read')
  return problems
}

function leaks({ headers, body }: WireAnswer): string[] {
  const text =
    headers.map((header) => header.join(': ')).join('\n') + body.toString('utf8', 0, searchedBytes)
  const found = inside.find((words) => words.test(text))
  return found ? [`the answer tells of the inside: ${found}`] : []
}

/** A refusal has the usual form, or the one the description gives this operation. */
function envelopeFaults({ operation }: Drawn, answer: WireAnswer, body: unknown): string[] {
  const isPage = /^text\/html/.test(headerOf(answer, 'content-type') ?? '')
  if (isPage && operation.name.includes('of a bank')) return []
  const given = (body ?? {}) as { success?: unknown; message?: unknown; errorCode?: string }
  const own = operation.answers[answer.status]
  const isOwn = own !== undefined && !isFailure(own) && operation.caller !== 'session'
  if (isOwn && given.errorCode === undefined) return []
  const code = given.errorCode as ErrorCode
  if (body === undefined) return ['the refusal is no JSON']
  if (given.success !== false) return ['the refusal does not say success: false']
  if (typeof given.message !== 'string' || given.message === '') return ['the refusal says nothing']
  if (!Object.hasOwn(errorCatalogue, code)) return [`there is no error code ${code}`]
  return statusOf[code] === answer.status ? [] : [`${code} came with ${answer.status}`]
}

const isUnknownPath = (body: unknown): boolean =>
  (body as { errorCode?: unknown } | undefined)?.errorCode === 'ROUTE_NOT_FOUND'

function statusFaults({ operation }: Drawn, { status }: WireAnswer, body: unknown): string[] {
  const isTold = Object.keys(operation.answers).length > 1
  const isKnown = !isTold || Object.hasOwn(operation.answers, status) || status === 304
  return isKnown || isUnknownPath(body) ? [] : [`the description does not tell of ${status}`]
}

/** Where the pages are not built yet, that is what they say. */
function isUnbuiltPage({ status, body }: WireAnswer): boolean {
  return status === 503 && body.includes('The dashboard is not built')
}

function jsonOf(answer: WireAnswer): unknown {
  if (!/^application\/json/.test(headerOf(answer, 'content-type') ?? '')) return undefined
  try {
    return JSON.parse(answer.body.toString('utf8'))
  } catch {
    return undefined
  }
}
