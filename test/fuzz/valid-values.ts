import type { Random } from '../simulate/random.ts'
import type { Operation, Schema } from './operations.ts'

/** What a request is about: its number, and what it may name. */
export type Subject = { index: number; seed: number; ids: KnownIds }

/** Ids that exist, by the part of a path before them. They are many enough to lose some. */
export type KnownIds = Readonly<Record<string, readonly string[]>>

type Choice = readonly unknown[]

const phones = ['+254700000000', '254700000001', '+254711000010', '+256770000000', '+233200000000']
const days = ['2026-01-01', '2026-06-30', '2027-01-01', '2020-02-29']
const numbers = ['4111111111111111', '5555555555554444', '4000000000000002', '+254700000000']
const emails = ['ada@shop.example', 'a.b+c@shop.example', 'nobody@shop.example']

/** What a caller who knows the service would send, by the name of the field. */
const known: Readonly<Record<string, Choice>> = {
  ...{ currency: ['KES', 'UGX', 'NGN', 'GHS', 'kes', 'USD', 'XOF'], country: ['KE', 'UG', 'GH'] },
  ...{ debitCurrency: ['KES', 'USD', 'UGX'], walletCurrency: ['KES', 'NGN'], debitCountry: ['KE'] },
  ...{ type: ['payout', 'deposit', 'otp', 'pin', 'address'], value: ['123456', '1234', '{}'] },
  ...{ destination: ['MoMo', 'Bank Account', 'Paybill', 'Till'], method: ['momo', 'bank'] },
  ...{ momoOperatorId: ['mpesa', 'mtn', 'airtel'], momoOperator: ['mpesa', 'mtn'] },
  ...{ accountName: ['Amina Otieno', 'Zoë Ñandú'], firstName: ['Achieng'], lastName: ["O'Brien"] },
  ...{ accountNumber: phones, phoneNumber: phones, code: ['mpesa', 'mtn', '01', '123456'] },
  ...{ number: numbers, cvv: ['123'], expMonth: ['12'], expYear: ['2030', '31'], email: emails },
  ...{ from: ['KES', 'USD', ...days], to: ['UGX', 'KES', ...days], startDate: days, endDate: days },
  ...{
    date: days,
    limit: [1, 3, 10],
    bankCode: ['01', '02'],
    branchCode: ['001'],
    role: ['viewer'],
  },
  ...{ webhookUrl: ['https://shop.example/hook', '', null], timeZone: ['Africa/Nairobi', 'UTC'] },
  ...{ sandboxWebhookUrl: ['https://shop.example/sandbox', null], skipInvalid: [true, false] },
  ...{
    successRedirectUrl: ['https://shop.example/ok'],
    redirectUrl: ['https://shop.example/back'],
  },
  ...{ ipAllowList: [[], ['127.0.0.0/8', '::1'], ['10.0.0.0/8']], reference: ['setup-1', 'none'] },
  ...{ overlapMinutes: [0, 5], name: ['Salaries', 'Éva'], search: ['setup', '+2547', '100'] },
  ...{ password: ['not the password at all'], current: ['not the password at all'] },
  ...{ ipAddress: ['198.51.100.7'] },
}

const mostAmount = 5000
const knownShare = 0.85
const earlierShare = 0.1

/** A value that fits the schema, and mostly one that makes sense. */
export function validValue(
  schema: Schema,
  name: string,
  random: Random,
  subject: Subject,
): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  const ours = ownValue(name, random, subject)
  if (ours !== undefined) return ours
  if (Object.hasOwn(known, name) && random.chance(knownShare)) {
    return structuredClone(random.pick(known[name]!))
  }
  if (schema.anyOf) return validValue(random.pick(schema.anyOf), name, random, subject)
  switch (schema.type) {
    case 'object':
      return validObject(schema, random, subject)
    case 'array': {
      const least = schema.minItems ?? 0
      const length = random.between(least, Math.min(schema.maxItems ?? 5, least + 3))
      return Array.from({ length }, () => validValue(schema.items ?? {}, name, random, subject))
    }
    case 'boolean':
      return random.chance(0.5)
    case 'integer':
    case 'number':
      return random.between(schema.minimum ?? 0, Math.min(schema.maximum ?? 1000, 1000))
    case 'null':
      return null
    default:
      return plainText(schema, random)
  }
}

/** Required members and some of the others. */
export function validObject(schema: Schema, random: Random, subject: Subject): object {
  const required = new Set(schema.required ?? [])
  return Object.fromEntries(
    Object.entries(schema.properties ?? {})
      .filter(([name]) => required.has(name) || random.chance(0.4))
      .map(([name, each]) => [name, validValue(each, name, random, subject)]),
  )
}

/** A body: the example of the description with what is new about it, or one made up. */
export function validBody(operation: Operation, random: Random, subject: Subject): unknown {
  const { example, body } = operation
  if (example === undefined || random.chance(0.3)) return validObject(body ?? {}, random, subject)
  const given = structuredClone(example) as Record<string, unknown>
  if ('externalReference' in given) given.externalReference = referenceFor(random, subject)
  if ('amount' in given) given.amount = random.between(1, mostAmount)
  if ('payload' in given) (given.payload as { phoneNumber: string }).phoneNumber = newPhone(subject)
  if (operation.name.startsWith('simulateBankTransfer')) {
    given.accountNumber = idAt('virtual', random, subject)
  }
  if (operation.name.startsWith('simulateWebhook')) {
    given.externalReference = idAt('references', random, subject)
  }
  return given
}

function ownValue(name: string, random: Random, subject: Subject): unknown {
  if (name === 'externalReference') return referenceFor(random, subject)
  if (name === 'amount') return random.between(1, mostAmount)
  if (name === 'csv') return csvFor(random, subject)
  if (name === 'approvalLimits') return random.pick([{}, { KES: '1000' }, { KES: '0' }])
  if (name === 'externalAccountId') return idAt('external-accounts', random, subject)
  if (name === 'transactionId' || name === 'after') return idAt('transactions', random, subject)
  if (name === 'publicKey' || name === 'api-key') return idAt(name, random, subject)
  if (name === 'bankId') return idAt('banks', random, subject)
  if (name === 'ids') return [idAt('webhooks', random, subject)]
  if (name === 'idempotency-key') return `key-${subject.index - random.int(2)}`
  return undefined
}

const newPhone = ({ index }: Subject) => `+25471${String(index).padStart(7, '0').slice(-7)}`

/** Mostly a new one; now and then that of a request before. */
function referenceFor(random: Random, { seed, index }: Subject): string {
  const at = random.chance(earlierShare) ? random.int(index + 1) : index
  return `fuzz-${seed}-${at}`
}

export function idAt(kind: string, random: Random, { ids }: Subject): string {
  const pool = ids[kind] ?? []
  return pool.length > 0 ? random.pick(pool) : '01990a3c-5a00-7001-8a5b-3c2d1e0f0042'
}

function csvFor(random: Random, { index }: Subject): string {
  const lines = Array.from({ length: random.int(6) }, (_, at) =>
    [`line-${index}-${at}`, random.between(1, 50), 'KES', 'KE', 'MoMo', 'Amina', phones[0]].join(),
  )
  const header = 'reference,amount,currency,country,destination,accountName,accountNumber'
  return `${[header, ...lines].join('\n')}\n`
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

function plainText({ minLength = 0, maxLength = 20 }: Schema, random: Random): string {
  const length = random.between(minLength, Math.min(maxLength, minLength + 20))
  return Array.from({ length }, () => random.pick([...letters])).join('')
}
