import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import type { Log } from '../log.ts'
import type { Seal } from '../seal.ts'
import { secretKey } from './sign.ts'

/** Where the events of an account go, and with what they are signed. */
export type Endpoint = {
  accountId: string
  environment: Environment
  /** None where there is no URL, or the endpoint is paused. */
  target: Target | undefined
  failingSince: Date | null
  secrets: readonly Secret[]
}

export type Target = {
  url: string
  origin: string
  path: string
  /** Whose room it takes. Sandbox and live never share any. */
  receiver: string
}

export type Secret = { key: KeyObject; expiresAtMs: number }

export type Endpoints = {
  find(accountIds: readonly string[]): Promise<Map<string, Endpoint>>
  /** What is known of one without asking the database. */
  peek(accountId: string): Endpoint | undefined
}

export const secretPurpose = 'webhook secret'
const remembered = 20_000

type Parts = { db: Db; clock: Clock; seal: Seal; changes: Changes; log: Log }

/** Kept in memory for as long as the change feed can be trusted to tell of changes. */
export function createEndpoints(parts: Parts): Endpoints {
  const { changes } = parts
  const known = new LRUCache<string, Endpoint>({ max: remembered })
  let generation = 0
  changes.onChange((subject) => {
    generation++
    if (subject === 'all') known.clear()
    else if (subject.startsWith('account:')) known.delete(subject.slice('account:'.length))
  })
  return {
    peek: (accountId) => (changes.isLive() ? known.get(accountId) : undefined),
    async find(accountIds) {
      const found = new Map<string, Endpoint>()
      const isLive = changes.isLive()
      const missing = accountIds.filter((id) => {
        const endpoint = isLive ? known.get(id) : undefined
        if (endpoint) found.set(id, endpoint)
        return endpoint === undefined
      })
      if (missing.length === 0) return found
      const asked = generation
      for (const endpoint of await readEndpoints(parts, missing)) {
        found.set(endpoint.accountId, endpoint)
        // What changed while it was read may be newer than what was read.
        if (asked === generation) known.set(endpoint.accountId, endpoint)
      }
      return found
    },
  }
}

/** Those that are signed with now: during a rotation two. */
export function validKeys({ secrets }: Endpoint, nowMs: number): KeyObject[] {
  return secrets.filter(({ expiresAtMs }) => expiresAtMs > nowMs).map(({ key }) => key)
}

export async function readEndpoints(
  { db, clock, seal, log }: Omit<Parts, 'changes'>,
  accountIds: readonly string[],
): Promise<Endpoint[]> {
  const [accounts, secrets] = await Promise.all([
    db<AccountRow[]>`
      select id as "accountId", environment, webhook_url as url,
        webhook_failing_since as "failingSince", webhook_paused_at as "pausedAt"
      from accounts where id = any(${accountIds}::uuid[])`,
    db<{ accountId: string; sealed: Buffer; expiresAt: Date | null }[]>`
      select account_id as "accountId", secret_sealed as sealed, expires_at as "expiresAt"
      from webhook_secrets
      where account_id = any(${accountIds}::uuid[])
        and (expires_at is null or expires_at > ${new Date(clock.now())}::timestamptz)
      order by created_at desc, id desc`,
  ])
  const byAccount = Map.groupBy(secrets, ({ accountId }) => accountId)
  return accounts.map(({ accountId, environment, url, failingSince, pausedAt }) => ({
    ...{ accountId, environment, failingSince },
    target: url === null || pausedAt ? undefined : targetOf(environment, url),
    secrets: (byAccount.get(accountId) ?? []).flatMap(({ sealed, expiresAt }) => {
      try {
        const key = secretKey(seal.open(sealed, secretPurpose).toString())
        return [{ key, expiresAtMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY }]
      } catch (error) {
        // The others must go on: this one is told by the attempts that cannot be signed.
        log.error({ err: error, accountId }, 'a webhook secret cannot be opened')
        return []
      }
    }),
  }))
}

type AccountRow = {
  accountId: string
  environment: Environment
  url: string | null
  failingSince: Date | null
  pausedAt: Date | null
}

export function targetOf(environment: Environment, url: string): Target {
  const { origin, pathname, search } = new URL(url)
  return { url, origin, path: pathname + search, receiver: `${environment} ${origin}` }
}
