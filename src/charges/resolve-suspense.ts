import type { Db, Sql, Tx } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import type { Environment } from '../environment.ts'
import type { Ids } from '../ids.ts'
import { postTransfers } from '../ledger/post.ts'
import type { Transfer } from '../ledger/posting.ts'
import { type Owner, openWallet } from '../ledger/wallets.ts'
import { audit } from '../merchants/audit.ts'

/** Money without a home, as the operator sees it. */
export type SuspenseItem = {
  slot: number
  id: string
  environment: Environment
  rail: string
  currency: string
  amount: bigint
  story: string
  transactionId: string | null
  accountId: string | null
  state: 'open' | 'credited' | 'returned'
  resolvedBy: string | null
  resolvedAt: Date | null
  createdAt: Date
  /** Of the charge it belongs to, where there is one. */
  externalReference: string | null
  /** Where it came in, and what it carried, where a rail said so. */
  accountNumber: string | null
  reference: string | null
}

/** Why nothing was done; the sentence is for the operator. */
export type Refusal = { kind: 'refused'; why: string }
export type Resolved = { kind: 'resolved'; item: SuspenseItem }

export type ResolveParts = { db: Db; ids: Ids; actor: string; now: Date }

export const suspenseColumns = (sql: Sql) => sql`
  s.slot, s.id, s.environment, s.rail, s.currency, s.amount, s.story,
  s.transaction_id as "transactionId", s.account_id as "accountId", s.state,
  s.resolved_by as "resolvedBy", s.resolved_at as "resolvedAt", s.created_at as "createdAt",
  t.external_reference as "externalReference", a.account_number as "accountNumber",
  a.key as reference`

export const suspenseTables = (sql: Sql) => sql`
  suspense_items s
  left join accounts owner on owner.id = s.account_id
  left join transactions t on t.slot = owner.slot and t.id = s.transaction_id
  left join arrivals a on a.slot = s.slot and a.id = s.id`

/** Oldest first: what waits longest is on top. */
export function listSuspense(
  sql: Sql,
  { all, limit }: { all: boolean; limit: number },
): Promise<SuspenseItem[]> {
  return sql<SuspenseItem[]>`
    select ${suspenseColumns(sql)} from ${suspenseTables(sql)}
    where ${all} or s.state = 'open'
    order by s.created_at, s.id limit ${limit}`
}

export async function findSuspense(sql: Sql, id: string): Promise<SuspenseItem | undefined> {
  const [item] = await sql<SuspenseItem[]>`
    select ${suspenseColumns(sql)} from ${suspenseTables(sql)} where s.id = ${id}`
  return item
}

/**
 * Gives the money to a wallet of its own currency. No transaction changes by it, so no event tells
 * of it: the charge stays as its merchant knows it, and the ledger shows where the money went.
 */
export function creditSuspense(
  parts: ResolveParts,
  id: string,
  owner: Owner,
  country: string,
): Promise<Resolved | Refusal> {
  return resolve(parts, id, 'credited', async (tx, item) => {
    if (owner.environment !== item.environment) {
      return { kind: 'refused', why: `The money is in the ${item.environment} environment.` }
    }
    const scope = { currency: item.currency, country }
    const wallet = await openWallet(tx, parts.ids, owner, scope)
    return {
      slot: owner.slot,
      accountId: owner.accountId,
      detail: { walletId: wallet.id },
      transfer: { debit: 'suspense', credit: 'wallet', walletId: wallet.id },
    }
  })
}

/** Books the money back to the rail, when it was sent back to whoever paid it. */
export function returnSuspense(parts: ResolveParts, id: string): Promise<Resolved | Refusal> {
  return resolve(parts, id, 'returned', async (_tx, { slot, rail, accountId }) => ({
    slot,
    accountId,
    detail: {},
    transfer: { debit: 'suspense', credit: `rail:${rail}` },
  }))
}

type Way = {
  slot: number
  /** Who may read of it. */
  accountId: string | null
  detail: Record<string, string>
  transfer: Pick<Transfer, 'debit' | 'credit' | 'walletId'>
}

/** State, ledger and audit log change in one commit. The lock makes a second call wait and see. */
function resolve(
  { db, ids, actor, now }: ResolveParts,
  id: string,
  state: 'credited' | 'returned',
  wayOf: (tx: Tx, item: SuspenseItem) => Promise<Way | Refusal>,
): Promise<Resolved | Refusal> {
  return transaction(db, async (tx): Promise<Resolved | Refusal> => {
    await tx`select 1 from suspense_items where id = ${id} for update`
    const item = await findSuspense(tx, id)
    if (!item) return { kind: 'refused', why: `There is no suspense item ${id}.` }
    if (item.state !== 'open') {
      return { kind: 'refused', why: `It was ${item.state} by ${item.resolvedBy} already.` }
    }
    const way = await wayOf(tx, item)
    if ('kind' in way) return way
    const { environment, amount, currency } = item
    const transfers = [{ step: state, amount, currency, ...way.transfer }]
    await postTransfers(tx, [{ slot: way.slot, transactionId: id, environment, transfers }])
    await tx`
      update suspense_items set state = ${state}, resolved_by = ${actor}, resolved_at = ${now}
      where slot = ${item.slot} and id = ${id}`
    const detail = { ...way.detail, currency, amount: amount.toString() }
    const about = { subject: id, accountId: way.accountId }
    await audit(tx, ids, { actor, action: `suspense.${state}`, ...about, detail })
    return { kind: 'resolved', item: (await findSuspense(tx, id))! }
  })
}
