import { LRUCache } from 'lru-cache'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { type Scope, scopes } from '../merchants/account.ts'
import type { Access } from '../merchants/tokens.ts'
import type { Role, SignedIn } from './person.ts'

const moneyScopes: readonly Scope[] = ['read', 'charges', 'payouts', 'beneficiaries']

/** What a person of a role may do with the operations of the API. */
export const scopesOf: Record<Role, Record<Environment, ReadonlySet<Scope>>> = {
  owner: { sandbox: new Set(scopes), live: new Set(scopes) },
  finance: { sandbox: new Set(moneyScopes), live: new Set(moneyScopes) },
  developer: { sandbox: new Set(scopes), live: new Set<Scope>(['read', 'webhooks']) },
  viewer: { sandbox: new Set<Scope>(['read']), live: new Set<Scope>(['read']) },
}

export type AccessOf = (person: SignedIn, environment: Environment) => Promise<Access>

type AccountRow = Pick<Access, 'accountId' | 'merchantId' | 'slot' | 'timeZone' | 'feePlan'>

const cachedAccounts = 10_000

/** The access a session gives, in the same form as that of a token. */
export function createAccessOf({ db, changes }: { db: Db; changes: Changes }): AccessOf {
  const cache = new LRUCache<string, AccountRow>({ max: cachedAccounts })
  let generation = 0
  changes.onChange((subject) => {
    const [kind] = subject.split(':')
    if (subject === 'all' || kind === 'account') cache.clear()
    generation++
  })

  async function accountOf(merchantId: string, environment: Environment): Promise<AccountRow> {
    const key = `${environment} ${merchantId}`
    const cached = changes.isLive() ? cache.get(key) : undefined
    if (cached) return cached
    const before = generation
    const [account] = await db<AccountRow[]>`
      select id as "accountId", merchant_id as "merchantId", slot, time_zone as "timeZone",
        fee_plan as "feePlan"
      from accounts where merchant_id = ${merchantId} and environment = ${environment}`
    if (!account) throw new Error(`the merchant ${merchantId} has no ${environment} account`)
    if (generation === before && changes.isLive()) cache.set(key, account)
    return account
  }

  return async ({ personId, merchantId, role }, environment) => ({
    ...(await accountOf(merchantId, environment)),
    environment,
    personId,
    credentialId: personId,
    publicKey: '',
    scopes: scopesOf[role][environment],
    ipAllowList: [],
    expiresAtMs: Number.POSITIVE_INFINITY,
  })
}
