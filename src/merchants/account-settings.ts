import { announceChange } from '../db/changes.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { AppError, validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { minorFromText, textFromMinor } from '../money/amounts.ts'
import { currency as currencyInfo } from '../money/currencies.ts'
import { MoneyError } from '../money/money-error.ts'
import { audit } from './audit.ts'
import type { FeeRule } from './fee-plan.ts'

/** What the people of an account decide about it. */
export type AccountSettings = {
  timeZone: string
  /** By currency, decimal text: a batch of more waits for a second person. */
  approvalLimits: Record<string, string>
  feePlan: FeeRule[]
}

export async function readAccountSettings(sql: Sql, accountId: string): Promise<AccountSettings> {
  const [row] = await sql<AccountSettings[]>`
    select time_zone as "timeZone", approval_limits as "approvalLimits", fee_plan as "feePlan"
    from accounts where id = ${accountId}`
  if (!row) throw new AppError('E-B2B-S-118')
  return row
}

export type SettingsChange = Partial<Pick<AccountSettings, 'timeZone' | 'approvalLimits'>>

/** A field that is absent stays as it is; limits are replaced as a whole. */
export function changeAccountSettings(
  db: Db,
  ids: Ids,
  actor: string,
  accountId: string,
  change: SettingsChange,
): Promise<AccountSettings> {
  const timeZone = change.timeZone === undefined ? null : checkedTimeZone(change.timeZone)
  const limits = change.approvalLimits === undefined ? null : checkedLimits(change.approvalLimits)
  return transaction(db, async (tx) => {
    await tx`
      update accounts set time_zone = coalesce(${timeZone}, time_zone),
        approval_limits = coalesce(${limits && tx.json(limits)}::jsonb, approval_limits)
      where id = ${accountId}`
    const detail = {
      ...(timeZone === null ? {} : { timeZone }),
      ...(limits === null ? {} : { approvalLimits: sayLimits(limits) }),
    }
    const about = { subject: accountId, accountId, detail }
    await audit(tx, ids, { actor, action: 'account.settings', ...about })
    await announceChange(tx, `account:${accountId}`)
    return await readAccountSettings(tx, accountId)
  })
}

const sayLimits = (limits: Record<string, string>): string[] =>
  Object.entries(limits).map(([currency, amount]) => `${amount} ${currency}`)

function checkedTimeZone(timeZone: string): string {
  try {
    const { timeZone: known } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions()
    // Mere offsets are taken too, but they know nothing of summer.
    if (/^[A-Za-z]/.test(timeZone)) return known === 'UTC' ? known : timeZone
  } catch {
    // Not in the list of zones.
  }
  throw validationError('timeZone must be the name of a time zone such as Africa/Nairobi.')
}

function checkedLimits(limits: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(limits).map(([currency, amount]) => {
      if (!currencyInfo(currency)) {
        throw validationError(`approvalLimits: ${currency} is not a currency we know.`)
      }
      try {
        return [currency, textFromMinor(minorFromText(amount, currency), currency)]
      } catch (error) {
        if (!(error instanceof MoneyError)) throw error
        throw validationError(`approvalLimits: the amount of ${currency} ${error.message}.`)
      }
    }),
  )
}
