import { LRUCache } from 'lru-cache'
import type { Db } from '../db/pool.ts'
import type { Owner } from '../ledger/wallets.ts'
import type { WalletScope } from './debit.ts'

/** Which wallet has a scope. A wallet is never deleted, so what was found once stays true. */
export type WalletIds = {
  find(owner: Owner, scope: WalletScope): Promise<string | undefined>
}

const remembered = 50_000

export function createWalletIds(db: Db): WalletIds {
  const known = new LRUCache<string, string>({ max: remembered })
  return {
    async find({ accountId, slot }, { currency, country }) {
      const key = `${accountId} ${currency} ${country}`
      const found = known.get(key)
      if (found !== undefined) return found
      const [wallet] = await db<{ id: string }[]>`
        select id from wallets
        where slot = ${slot} and account_id = ${accountId}
          and currency = ${currency} and country = ${country}`
      if (wallet) known.set(key, wallet.id)
      return wallet?.id
    },
  }
}
