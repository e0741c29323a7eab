import type { Db } from '../db/pool.ts'
import { quoteName } from '../db/query.ts'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from './loop.ts'

const everyMs = 2_000
/** Smaller ones are read in a moment, whatever the plan; larger ones show which plan is good. */
const leastBytes = 2 * 1024 * 1024

/**
 * A statement is planned when it is first used, on a table that may still be empty, where all
 * indexes look alike. The plan is kept until PostgreSQL looks at the table by itself, up to a
 * minute later, and reads everything till then. So we look once, as soon as there is something.
 */
export function startYoungTablesWatch(db: Db, log: Log): Loop {
  return startLoop({ name: 'young tables', everyMs, log }, () => analyseYoungTables(db))
}

export async function analyseYoungTables(db: Db): Promise<void> {
  const young = await db<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and reltuples < 0 and pg_relation_size(oid) >= ${leastBytes}
      and pg_has_role(relowner, 'usage')`
  for (const { name } of young) await db.unsafe(`analyze ${quoteName(name)}`)
}
