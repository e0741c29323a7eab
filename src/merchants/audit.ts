import type { Sql } from '../db/pool.ts'
import type { Ids } from '../ids.ts'

export type AuditEntry = {
  /** Who did it, such as "cli:deploy" or "api:<credential id>". */
  actor: string
  action: string
  subject: string
  detail?: Record<string, string | number | boolean | null | string[]>
}

/** Part of the transaction that makes the change: what is not on record did not happen. */
export async function audit(tx: Sql, ids: Ids, entry: AuditEntry): Promise<void> {
  await tx`
    insert into audit_log (id, actor, action, subject, detail)
    values (${ids.next(0)}, ${entry.actor}, ${entry.action}, ${entry.subject},
      ${tx.json(entry.detail ?? {})})`
}
