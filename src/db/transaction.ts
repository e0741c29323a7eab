import { isConflictFault } from './faults.ts'
import type { Db, Tx } from './pool.ts'

const maxTries = 4

/** Runs in one transaction, anew where PostgreSQL undid it for a conflict with another. */
export async function transaction<Result>(
  db: Db,
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await db.begin(run)) as Result
    } catch (error) {
      if (attempt >= maxTries || !isConflictFault(error)) throw error
    }
  }
}
