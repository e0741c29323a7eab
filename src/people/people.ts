import type { Clock } from '../clock.ts'
import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Ids } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Seal } from '../seal.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { type AccessOf, createAccessOf } from './access.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createSessions, idleLimitMs, type Sessions } from './sessions.ts'

/** What the operations on people work with. */
export type People = {
  db: Db
  clock: Clock
  ids: Ids
  seal: Seal
  passwords: Passwords
  sessions: Sessions
  accessOf: AccessOf
  startWork(log: Log): Loop[]
}

type Parts = { db: Db; clock: Clock; ids: Ids; seal: Seal; changes: Changes }

const sweepEveryMs = 3_600_000

export function createPeople({ changes, ...parts }: Parts): People {
  const { db, clock } = parts
  return {
    ...parts,
    passwords: createPasswords(),
    sessions: createSessions({ ...parts, changes }),
    accessOf: createAccessOf({ db, changes }),
    startWork: (log) => [
      startLoop({ name: 'ended sessions', everyMs: sweepEveryMs, log }, () =>
        removeEnded(db, clock.now()),
      ),
    ],
  }
}

/** They are refused already; this only makes room. */
export async function removeEnded(db: Db, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  await db`
    delete from sessions
    where ends_at <= ${now} or seen_at <= ${new Date(nowMs - idleLimitMs)}`
  await db`delete from login_attempts where ends_at <= ${now}`
}
