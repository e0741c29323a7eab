import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { unnest } from '../db/unnest.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from '../work/loop.ts'

/** A request of a program as it is kept: what is secret was taken out before. */
export type LoggedRequest = {
  slot: number
  accountId: string
  credentialId: string
  atMs: number
  method: string
  path: string
  status: number
  durationMs: number
  requestId: string
  ip: string
  request: string | null
  answer: string | null
}

export type RequestLog = {
  /** Whether one more would be kept. To be asked first: most are not, and then nothing is made. */
  wants(accountId: string, isFailure: boolean): boolean
  add(entry: LoggedRequest): void
  /** Removes what is older than it is kept, on a node that does such work. */
  startWork(): Loop[]
  close(): Promise<void>
}

export const maxLoggedBody = 4_096
/** Within a second, of one account and of all; failures have their own room, and go first. */
const perAccount = 20
const perNode = 200
/** What an account may write for longer: so many at once, and so many more a second. */
const burst = 600
const sustained = 2
const rememberedAccounts = 10_000
const everyMs = 1_000
const sweepEveryMs = 3_600_000
const dayMs = 86_400_000

type Options = { db: Db; clock: Clock; ids: Ids; log: Log; keptDays: number }
type Allowance = { left: number; atMs: number }

/** Gathers in memory and writes once a second: a request waits for none of it. */
export function createRequestLog({ db, clock, ids, log, keptDays }: Options): RequestLog {
  const counts = new Map<string, number>()
  const allowances = new LRUCache<string, Allowance>({ max: rememberedAccounts })
  let loop: Loop | undefined
  let waiting: LoggedRequest[] = []
  let nodeCounts = [0, 0]

  async function write(): Promise<void> {
    const entries = chosen(waiting, allowances, clock.now())
    waiting = []
    counts.clear()
    nodeCounts = [0, 0]
    if (entries.length > 0) await insertEntries(db, ids, entries)
  }

  const isOn = keptDays > 0
  return {
    wants(accountId, isFailure) {
      const kind = isFailure ? 1 : 0
      if (!isOn || nodeCounts[kind]! >= perNode) return false
      const key = isFailure ? `!${accountId}` : accountId
      const count = counts.get(key) ?? 0
      if (count >= perAccount) return false
      counts.set(key, count + 1)
      nodeCounts[kind]!++
      return true
    },
    add(entry) {
      if (waiting.length < 2 * perNode) waiting.push(entry)
      loop ??= startLoop({ name: 'request log', everyMs, log }, write)
    },
    startWork: () => [
      startLoop({ name: 'request log sweep', everyMs: sweepEveryMs, log }, () =>
        sweepRequests(db, new Date(clock.now() - keptDays * dayMs)),
      ),
    ],
    async close() {
      await loop?.stop()
      // What is lost here is a line of a log, and a stop must not fail for it.
      await write().catch((error) => log.error({ err: error }, 'requests were not logged'))
    },
  }
}

/** Failures first, within what each account may write. */
function chosen(
  entries: readonly LoggedRequest[],
  allowances: LRUCache<string, Allowance>,
  nowMs: number,
): LoggedRequest[] {
  const taken = new Map<string, number>()
  const isFailure = ({ status }: LoggedRequest) => status >= 400
  const ordered = [...entries.filter(isFailure), ...entries.filter((each) => !isFailure(each))]
  const kept = new Set(
    ordered.filter(({ accountId }) => {
      const count = taken.get(accountId) ?? 0
      const allowance = allowanceOf(allowances, accountId, nowMs)
      if (count >= perAccount || allowance.left < 1) return false
      taken.set(accountId, count + 1)
      allowance.left--
      return true
    }),
  )
  return entries.filter((each) => kept.has(each))
}

function allowanceOf(
  allowances: LRUCache<string, Allowance>,
  accountId: string,
  nowMs: number,
): Allowance {
  const known = allowances.get(accountId) ?? { left: burst, atMs: nowMs }
  const earned = ((nowMs - known.atMs) / 1000) * sustained
  const now = { left: Math.min(burst, known.left + earned), atMs: nowMs }
  allowances.set(accountId, now)
  return now
}

async function insertEntries(db: Db, ids: Ids, entries: readonly LoggedRequest[]): Promise<void> {
  await db`
    insert into request_log (slot, account_id, id, at, method, path, status, duration_ms,
      request_id, credential_id, ip, request, answer)
    select slot, account_id, id, at, method, path, status, duration_ms, request_id, credential_id,
      ip, request, answer
    from (${unnest(db, 'r', entries, {
      slot: ['smallint', ({ slot }) => slot],
      account_id: ['uuid', ({ accountId }) => accountId],
      id: ['uuid', ({ slot }) => ids.next(slot)],
      at: ['timestamptz', ({ atMs }) => new Date(atMs)],
      method: ['text', ({ method }) => method],
      path: ['text', ({ path }) => path],
      status: ['smallint', ({ status }) => status],
      duration_ms: ['int', ({ durationMs }) => durationMs],
      request_id: ['text', ({ requestId }) => requestId],
      credential_id: ['uuid', ({ credentialId }) => credentialId],
      ip: ['text', ({ ip }) => ip],
      request: ['text', ({ request }) => request],
      answer: ['text', ({ answer }) => answer],
    })}) r`
}

const sweepBatch = 5_000

/** Removes what is older than it is kept. */
export async function sweepRequests(db: Db, before: Date): Promise<void> {
  for (;;) {
    const rows = await db`
      delete from request_log where (slot, account_id, id) in (
        select slot, account_id, id from request_log
        where at < ${before}::timestamptz limit ${sweepBatch}
      )
      returning id`
    if (rows.length < sweepBatch) return
  }
}
