import type { Sql } from '../db/pool.ts'

export type AuditRow = {
  id: string
  at: Date
  actor: string
  actorName: string
  action: string
  subject: string
  detail: Record<string, unknown>
}

/**
 * What was done at a merchant, newest first. Who runs the installation is named by that only: the
 * names of users of a machine are nobody's business elsewhere.
 */
export function listAudit(
  sql: Sql,
  merchantId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<AuditRow[]> {
  return sql<AuditRow[]>`
    with entry as (
      select id, at, action, subject, detail,
        case when actor ~ '^(person|api|batch):' then actor else 'operator' end as actor,
        case when actor ~ '^(person|api):[0-9a-f-]{36}$'
          then split_part(actor, ':', 2)::uuid end as "by"
      from audit_log
      where merchant_id = ${merchantId} and (${after}::uuid is null or id < ${after}::uuid)
      order by id desc limit ${limit})
    select e.id, e.at, e.actor, coalesce(p.name, c.name, e.actor) as "actorName",
      e.action, e.subject, e.detail
    from entry e
    left join people p on p.id = e."by" and p.merchant_id = ${merchantId}
    left join credentials c on c.id = e."by"
    order by e.id desc`
}
