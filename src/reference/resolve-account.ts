import { LRUCache } from 'lru-cache'
import type { Environment } from '../environment.ts'
import { AppError, validationError } from '../errors.ts'
import { currency as currencyInfo } from '../money/currencies.ts'
import type { AccountQuery, ResolvedAccount } from '../rails/rail.ts'
import type { Routing } from '../rails/routing.ts'
import { phoneDigits } from './phone-numbers.ts'
import type { Reference } from './reference.ts'

export type ResolveRequest = {
  accountNumber: string
  currency: string
  method: string
  momoOperator?: string | undefined
  bankCode?: string | undefined
}

/** Whose account a number is, asked of a rail that can tell, and remembered for a moment. */
export type ResolveAccount = (
  environment: Environment,
  request: ResolveRequest,
) => Promise<ResolvedAccount>

const rememberMs = 60_000
const remembered = 10_000
const askForMs = 10_000

export function createResolveAccount(parts: {
  routing: Routing
  reference: Reference
}): ResolveAccount {
  const known = new LRUCache<string, ResolvedAccount>({ max: remembered, ttl: rememberMs })
  return async (environment, request) => {
    const query = queryOf(parts.reference, request)
    const key = `${environment} ${Object.values(query).join(' ')}`
    const found = known.get(key) ?? (await ask(parts.routing, environment, query))
    known.set(key, found)
    return found
  }
}

async function ask(
  routing: Routing,
  environment: Environment,
  query: AccountQuery,
): Promise<ResolvedAccount> {
  const { method, country, currency, code: operator } = query
  const routed = routing.railsFor({
    ...{ environment, direction: 'payout', method, country, currency, operator },
  })
  const rail = routed.map(({ rail }) => rail).find(({ accounts }) => accounts !== undefined)
  if (!rail) throw new AppError('PROVIDER_NOT_FOUND')
  const account = await rail.accounts!.resolve(query, AbortSignal.timeout(askForMs))
  if (!account) throw new AppError('E-CH-PY.S-37')
  const { accountId, accountName } = account
  return { accountId, accountName: accountName.trim().replaceAll(/\s+/g, ' ') }
}

function queryOf(reference: Reference, request: ResolveRequest): AccountQuery {
  const info = currencyInfo(request.currency.trim().toUpperCase())
  if (!info) throw new AppError('UNSUPPORTED_CURRENCY')
  const method = request.method.trim().toLowerCase()
  const { code: currency, scopes } = info
  if (method === 'momo') return momoQuery(reference, request, currency, scopes)
  if (method !== 'bank') throw validationError('method must be one of momo, bank.')
  const { accountNumber, bankCode } = request
  if (!bankCode) throw validationError('bankCode is required for method bank.')
  for (const country of scopes) {
    const bank = reference.bank(country, bankCode)
    if (bank) return { method, country, currency, accountNumber, code: bank.code }
  }
  throw validationError(`bankCode must be the code of a bank of a country that uses ${currency}.`)
}

function momoQuery(
  reference: Reference,
  { accountNumber: text, momoOperator }: ResolveRequest,
  currency: string,
  scopes: readonly string[],
): AccountQuery {
  for (const country of scopes) {
    const accountNumber = phoneDigits(text, country)
    if (!accountNumber) continue
    if (!momoOperator) {
      if (currency !== 'KES') throw new AppError('MOMO_OPERATOR_ID_REQUIRED')
      return { method: 'momo', country, currency, accountNumber, code: null }
    }
    const operator = reference.operator(country, momoOperator)
    if (!operator) throw validationError(`momoOperator must be an operator of ${country}.`)
    return { method: 'momo', country, currency, accountNumber, code: operator.id }
  }
  throw validationError(`accountNumber must be a mobile number of a country that uses ${currency}.`)
}
