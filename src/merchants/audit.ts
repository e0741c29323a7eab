import type { Sql } from '../db/pool.ts'
import type { Ids } from '../ids.ts'

export type AuditEntry = {
  /** Who did it, such as "cli:deploy", "api:<credential id>" or "person:<id>". */
  actor: string
  action: string
  subject: string
  /** Whose it is, told by the merchant or by one of its accounts: its owner may read it. */
  merchantId?: string
  accountId?: string | null
  detail?: Record<string, string | number | boolean | null | string[]>
}

/** Part of the transaction that makes the change: what is not on record did not happen. */
export async function audit(tx: Sql, ids: Ids, entry: AuditEntry): Promise<void> {
  await tx`
    insert into audit_log (id, actor, action, subject, merchant_id, detail)
    values (${ids.next(0)}, ${entry.actor}, ${entry.action}, ${entry.subject},
      coalesce(${entry.merchantId ?? null}::uuid,
        (select merchant_id from accounts where id = ${entry.accountId ?? null}::uuid)),
      ${tx.json(entry.detail ?? {})})`
}

export const personActor = (personId: string): string => `person:${personId}`

/** Whoever calls an operation: a program with a credential, or a person with a session. */
export function actorOf(access: { credentialId: string; personId?: string }): string {
  return access.personId === undefined ? `api:${access.credentialId}` : personActor(access.personId)
}
