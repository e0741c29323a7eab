import { LRUCache } from 'lru-cache'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import { type Owner, openWallet } from './wallets.ts'

/** A wallet's currency and the country it is scoped to. */
export type WalletScope = { currency: string; country: string }

/** Which wallet has a scope. A wallet is never deleted, so what was found once stays true. */
export type WalletIds = {
  find(owner: Owner, scope: WalletScope): Promise<string | undefined>
  /** The same, and one that is missing is opened. */
  findOrOpen(owner: Owner, scope: WalletScope): Promise<string>
}

const remembered = 50_000

export function createWalletIds(db: Db, ids: Ids): WalletIds {
  const known = new LRUCache<string, string>({ max: remembered })

  async function find(owner: Owner, scope: WalletScope): Promise<string | undefined> {
    const key = keyOf(owner, scope)
    const found = known.get(key)
    if (found !== undefined) return found
    const [wallet] = await db<{ id: string }[]>`
      select id from wallets
      where slot = ${owner.slot} and account_id = ${owner.accountId}
        and currency = ${scope.currency} and country = ${scope.country}`
    if (wallet) known.set(key, wallet.id)
    return wallet?.id
  }

  return {
    find,
    async findOrOpen(owner, scope) {
      const found = await find(owner, scope)
      if (found !== undefined) return found
      const { id } = await openWallet(db, ids, owner, scope)
      known.set(keyOf(owner, scope), id)
      return id
    },
  }
}

function keyOf({ accountId }: Owner, { currency, country }: WalletScope): string {
  return `${accountId} ${currency} ${country}`
}
