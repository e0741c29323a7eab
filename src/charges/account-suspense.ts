import type { Sql } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { slotOf } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { knownCurrency } from '../money/currencies.ts'
import {
  creditSuspense,
  findSuspense,
  type Refusal,
  type Resolved,
  type ResolveParts,
  returnSuspense,
  type SuspenseItem,
  suspenseColumns,
  suspenseTables,
} from './resolve-suspense.ts'

/** Money without a home that belongs to one account, as its own people see it. */

export const maxSuspensePage = 100

/** Newest first. An item is stored in the slot of the news of it, so the account alone finds it. */
export async function listAccountSuspense(
  sql: Sql,
  { accountId, environment }: Owner,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<SuspenseItem[]> {
  const below = after !== undefined && slotOf(after) !== undefined ? after : null
  return await sql<SuspenseItem[]>`
    select ${suspenseColumns(sql)} from ${suspenseTables(sql)}
    where s.account_id = ${accountId} and s.environment = ${environment}
      and (${below}::uuid is null or s.id < ${below}::uuid)
    order by s.id desc limit ${limit}`
}

/** How many wait for a decision; more than the bound are not counted. */
export async function countOpenSuspense(
  sql: Sql,
  { accountId }: Owner,
  most: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from (
      select from suspense_items where account_id = ${accountId} and state = 'open' limit ${most}
    ) open`
  return row!.count
}

/** To the wallet of its charge, or to the usual one of its currency. */
export async function creditAccountSuspense(
  parts: ResolveParts,
  owner: Owner,
  id: string,
): Promise<SuspenseItem> {
  const item = await ownItem(parts.db, owner, id)
  const country = await countryOf(parts.db, owner, item)
  return decided(await creditSuspense(parts, id, owner, country))
}

export async function returnAccountSuspense(
  parts: ResolveParts,
  owner: Owner,
  id: string,
): Promise<SuspenseItem> {
  await ownItem(parts.db, owner, id)
  return decided(await returnSuspense(parts, id))
}

/** Whose an item is never changes, so it can be looked at before anything is locked. */
async function ownItem(sql: Sql, owner: Owner, id: string): Promise<SuspenseItem> {
  const item = slotOf(id) === undefined ? undefined : await findSuspense(sql, id)
  if (item?.accountId === owner.accountId && item.environment === owner.environment) return item
  throw new AppError('SUSPENSE_NOT_FOUND')
}

async function countryOf(
  sql: Sql,
  { slot, accountId }: Owner,
  item: SuspenseItem,
): Promise<string> {
  const [wallet] = await sql<{ country: string }[]>`
    select w.country from transactions t
    join wallets w on w.slot = t.slot and w.id = t.wallet_id and w.currency = ${item.currency}
    where t.slot = ${slot} and t.id = ${item.transactionId} and t.account_id = ${accountId}`
  return wallet?.country ?? knownCurrency(item.currency).defaultScope
}

function decided(outcome: Resolved | Refusal): SuspenseItem {
  if (outcome.kind === 'resolved') return outcome.item
  throw new AppError('SUSPENSE_RESOLVED', { message: outcome.why })
}
