import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Sql } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import type { Account } from '../merchants/account.ts'
import { findMerchant, type MerchantAccounts } from '../merchants/find-merchant.ts'
import { knownCurrency } from '../money/currencies.ts'
import { MoneyError } from '../money/money-error.ts'
import { CommandError } from './command-error.ts'

export const environments: readonly Environment[] = ['sandbox', 'live']
export const merchantWords = 'email or id of the merchant, or demo'

/** A command that does something. All of them can speak JSON. */
export function leaf(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print JSON, for programs')
}

export function merchantOption(): Option {
  return new Option('--merchant <merchant>', merchantWords)
}

export function environmentOption(): Option {
  return new Option('--environment <environment>', 'which side of the merchant').choices(
    environments,
  )
}

export async function requireMerchant(sql: Sql, text: string): Promise<MerchantAccounts> {
  const found = await findMerchant(sql, text.trim())
  if (found) return found
  throw new CommandError(
    text === 'demo'
      ? 'There is no demo merchant here: a start with MALIPO_DEMO=on makes it.'
      : `There is no merchant "${text}": malipo merchant list shows them all.`,
  )
}

export async function requireAccount(
  sql: Sql,
  { merchant, environment }: { merchant: string; environment: Environment },
): Promise<Account> {
  return (await requireMerchant(sql, merchant))[environment]
}

/** A wallet is told by its currency and country; most currencies have one country only. */
export function walletScope(options: { currency: string; country?: string }): {
  currency: string
  country: string
} {
  const { code, scopes, defaultScope } = requireCurrency(options.currency)
  const country = options.country?.toUpperCase() ?? defaultScope
  if (scopes.includes(country)) return { currency: code, country }
  throw new CommandError(`Wallets in ${code} can be in ${scopes.join(', ')}, not in ${country}.`)
}

export function requireCurrency(text: string) {
  return aboutMoney('The currency', () => knownCurrency(text.toUpperCase()))
}

/** Errors about money leave the subject of the sentence to whoever knows it. */
export function aboutMoney<Value>(subject: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof MoneyError) throw new CommandError(`${subject} ${error.message}.`)
    throw error
  }
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
const maxDurationSeconds = 365 * 86_400

/** "30m", "24h", "7d" or "0", in seconds. */
export function parseDuration(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = text === '0' ? 0 : Number(digits) * (unitSeconds[unit] ?? Number.NaN)
  if (seconds >= 0 && seconds <= maxDurationSeconds) return seconds
  throw new InvalidArgumentError('Write 30m, 24h or 7d, at most 365d, or 0.')
}
