import { createRandom, type Random } from '../simulate/random.ts'
import { trickHeaders } from './header-tricks.ts'
import type { Message } from './message.ts'
import { spoil, spoilText } from './mutations.ts'
import { oddText, oddValue, Raw, writeJson } from './odd-values.ts'
import type { Operation, Schema } from './operations.ts'
import { trickPath } from './path-tricks.ts'
import { idAt, type KnownIds, type Subject, validBody, validObject } from './valid-values.ts'

/** How far a request is from one that is right. */
export type Manner = 'valid' | 'nearly valid' | 'absurd' | 'odd headers' | 'odd path'
export type Drawn = {
  index: number
  operation: Operation
  manner: Manner
  trick: string
  message: Message
  /** Whether it surely meets its operation, and not what stands before it. */
  isDirect: boolean
}

/** Which header lines a caller sends; the same name is the same caller in every run. */
export type CallerName = (typeof tokenCallers)[number] | (typeof sessionCallers)[number] | 'nobody'
export type Callers = (name: CallerName) => string[]

const tokenCallers = ['all', 'read', 'charges', 'payouts', 'beneficiaries', 'live', 'old'] as const
const sessionCallers = ['owner', 'finance', 'developer', 'viewer'] as const
const usualCallerShare = 0.9
const manners = { valid: 30, 'nearly valid': 35, absurd: 10, 'odd headers': 15, 'odd path': 10 }
const ownPath = 2 ** 32
const seedRange = 2 ** 20

export type Draw = {
  seed: number
  operations: readonly Operation[]
  ids: KnownIds
  callers: Callers
  host: string
}

/** The request with that number: it depends on nothing but the seed and its number. */
export function drawRequest(draw: Draw, index: number): Drawn & { caller: CallerName } {
  const { seed, operations, ids, callers, host } = draw
  const random = createRandom((seed % seedRange) * ownPath + index)
  const operation = operations[index % operations.length]!
  const manner = random.weighted(manners)
  const subject = { seed, index, ids }
  const caller = callerOf(operation, random)
  const target = targetOf(operation, manner, random, subject)
  const body = bodyFor(operation, manner, random, subject)
  const message: Message = {
    ...{ method: operation.method, target, version: 'HTTP/1.1' },
    headers: [
      ...[`host: ${host}`, ...callers(caller)],
      ...ownHeaders(operation, random, subject),
      ...(body ? ['content-type: application/json', `content-length: ${body.length}`] : []),
    ],
    ...{ body: body ?? Buffer.alloc(0), mayHangUp: false, mustRefuse: false },
  }
  const drawn = { index, operation, manner, caller, trick: '', message, isDirect: true }
  if (manner === 'odd headers') {
    return { ...drawn, ...trickHeaders(message, random), isDirect: false }
  }
  if (manner === 'odd path') {
    const { trick, path } = trickPath(target, random)
    return { ...drawn, trick, message: { ...message, target: path }, isDirect: false }
  }
  return drawn
}

/** Every place once in a while; mostly the one where most can happen. */
function targetOf(operation: Operation, manner: Manner, random: Random, subject: Subject): string {
  const [usual = '/', ...others] = operation.paths
  const template = others.length > 0 && random.chance(0.3) ? random.pick(others) : usual
  const isSpoilt = manner === 'absurd' || (manner === 'nearly valid' && random.chance(0.3))
  const path = template.replaceAll(/\/([\w-]+)\/\{\w+\}/g, (_all, kind: string) => {
    const value = isSpoilt ? oddText(random) : idAt(kind, random, subject)
    return `/${kind}/${escaped(value)}`
  })
  const query = queryOf(operation.query, manner, random, subject)
  return query === '' ? path : `${path}?${query}`
}

/** A text in an address. Half of a surrogate pair is written as its bytes, which are no text. */
function escaped(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ed%a0%80'
}

function queryOf(schema: Schema, manner: Manner, random: Random, subject: Subject): string {
  const fields = Object.entries(validObject(schema, random, subject))
  const pairs = fields.map(([name, value]) => [name, escaped(String(value))])
  if (manner === 'nearly valid' && pairs.length > 0 && random.chance(0.6)) {
    const pair = random.pick(pairs)
    spoilPair(pair, pairs, random)
  }
  if (manner === 'absurd') {
    const name = random.pick(['__proto__', 'constructor', 'a[b][c]', '', 'limit', 'after', '%00'])
    pairs.push([name, escaped(oddText(random)).slice(0, 6000)])
  }
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

function spoilPair(pair: string[], pairs: string[][], random: Random): void {
  const [name = '', value = ''] = pair
  switch (random.int(6)) {
    case 0:
      pairs.push([name, value])
      break
    case 1:
      pair[0] = `${name}[]`
      break
    case 2:
      pair[0] = `${name}[$gt]`
      break
    case 3:
      pair[1] = random.pick(['%zz', '%', '%ff', '%00', '%u0000', '+'])
      break
    case 4:
      pair[1] = random.pick(['-1', '0', '1e3', '1.5', '99999999999999999999', 'null', '[object]'])
      break
    default:
      pair[1] = escaped(oddText(random)).slice(0, 6000)
  }
}

function bodyFor(
  operation: Operation,
  manner: Manner,
  random: Random,
  subject: Subject,
): Buffer | undefined {
  if (operation.body === undefined) {
    const isOdd = manner === 'absurd' && random.chance(0.5)
    return isOdd ? Buffer.from(writeJson(oddValue(random))) : undefined
  }
  const body = validBody(operation, random, subject)
  if (manner === 'nearly valid') {
    if (random.chance(0.2)) return spoilText(writeJson(body), random)
    return Buffer.from(writeJson(spoil(body, random)))
  }
  if (manner !== 'absurd') return Buffer.from(writeJson(body))
  if (random.chance(0.02)) return Buffer.from(`{"a":"${'x'.repeat(1_100_000)}"}`)
  const allOdd = Object.keys(operation.body.properties ?? {}).map((name) => [
    name,
    oddValue(random),
  ])
  return Buffer.from(
    writeJson(random.pick([oddValue(random), Object.fromEntries(allOdd), new Raw('')])),
  )
}

function callerOf({ caller }: Operation, random: Random): CallerName {
  if (caller === 'nobody') return 'nobody'
  if (random.chance(0.02)) return 'nobody'
  if (random.chance(usualCallerShare)) return caller === 'token' ? 'all' : 'owner'
  return random.pick<CallerName>(caller === 'token' ? tokenCallers : sessionCallers)
}

function ownHeaders({ headers }: Operation, random: Random, subject: Subject): string[] {
  return Object.entries(validObject(headers, random, subject)).map(
    ([name, value]) => `${name}: ${value}`,
  )
}
