import { eachRow } from '../db/pages.ts'
import type { Fragment, Sql } from '../db/pool.ts'
import { slotOf } from '../ids.ts'
import type { Account, Merchant } from './account.ts'

/** A merchant with its two sides. */
export type MerchantAccounts = { merchant: Merchant; sandbox: Account; live: Account }

const demoName = 'demo'

/** By its id, its email, or the word "demo" for the merchant that a start makes. */
export async function findMerchant(
  sql: Sql,
  idOrEmail: string,
): Promise<MerchantAccounts | undefined> {
  const merchants = await readMerchants(sql, whereMerchant(sql, idOrEmail), 1)
  return (await withAccounts(sql, merchants))[0]
}

function whereMerchant(sql: Sql, idOrEmail: string): Fragment {
  if (idOrEmail === demoName) {
    return sql`id = (
      select a.merchant_id from settings s
      join accounts a on a.id = (s.value ->> 'accountId')::uuid
      where s.name = 'demo_merchant')`
  }
  return slotOf(idOrEmail) === undefined
    ? sql`lower(email) = lower(${idOrEmail})`
    : sql`id = ${idOrEmail}`
}

/** All merchants, oldest first. */
export function eachMerchant(sql: Sql): AsyncGenerator<MerchantAccounts> {
  return eachRow(
    async (after: string | undefined, limit) =>
      withAccounts(sql, await readMerchants(sql, after ? sql`id > ${after}` : sql`true`, limit)),
    ({ merchant }) => merchant.id,
  )
}

async function readMerchants(sql: Sql, where: Fragment, limit: number): Promise<Merchant[]> {
  return await sql<Merchant[]>`
    select id, name, first_name as "firstName", last_name as "lastName", email,
      created_at as "createdAt"
    from merchants where ${where} order by id limit ${limit}`
}

async function withAccounts(sql: Sql, merchants: Merchant[]): Promise<MerchantAccounts[]> {
  const accounts = await sql<Account[]>`
    select id, slot, merchant_id as "merchantId", environment, time_zone as "timeZone",
      webhook_url as "webhookUrl"
    from accounts where merchant_id = any(${merchants.map(({ id }) => id)}::uuid[])`
  const accountOf = new Map(
    accounts.map((account) => [`${account.merchantId} ${account.environment}`, account]),
  )
  return merchants.map((merchant) => ({
    merchant,
    sandbox: accountOf.get(`${merchant.id} sandbox`)!,
    live: accountOf.get(`${merchant.id} live`)!,
  }))
}
