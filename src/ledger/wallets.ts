import type { Sql } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import type { Ids } from '../ids.ts'

export type Owner = { accountId: string; slot: number; environment: Environment }

export type Wallet = {
  id: string
  slot: number
  accountId: string
  environment: Environment
  currency: string
  country: string
  available: bigint
  held: bigint
}

const columns = (sql: Sql) =>
  sql`id, slot, account_id as "accountId", environment, currency, country, available, held`

/** Opens a wallet, or finds the one that is open already. */
export async function openWallet(
  sql: Sql,
  ids: Ids,
  owner: Owner,
  scope: { currency: string; country: string },
): Promise<Wallet> {
  const { accountId, slot, environment } = owner
  const [opened] = await sql<Wallet[]>`
    insert into wallets (slot, id, account_id, environment, currency, country)
    values (${slot}, ${ids.next(slot)}, ${accountId}, ${environment},
      ${scope.currency}, ${scope.country})
    on conflict (slot, account_id, currency, country) do nothing
    returning ${columns(sql)}`
  if (opened) return opened
  const [found] = await sql<Wallet[]>`
    select ${columns(sql)} from wallets
    where slot = ${slot} and account_id = ${accountId}
      and currency = ${scope.currency} and country = ${scope.country}`
  return found!
}

export function walletsOf(sql: Sql, owner: Owner): Promise<Wallet[]> {
  return sql<Wallet[]>`
    select ${columns(sql)} from wallets
    where slot = ${owner.slot} and account_id = ${owner.accountId}
    order by currency, country`
}

export async function walletById(sql: Sql, slot: number, id: string): Promise<Wallet | undefined> {
  const [wallet] = await sql<Wallet[]>`
    select ${columns(sql)} from wallets where slot = ${slot} and id = ${id}`
  return wallet
}
