import type { World } from './world.ts'

const idShape = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g
const maxStories = 3

/** What is on record about the transactions that the problems name, for whoever looks into them. */
export async function storiesOf({ db, problems, rails }: World): Promise<string[]> {
  const ids = new Set(problems.flatMap((line) => line.match(idShape) ?? []))
  const lines: string[] = []
  for (const id of [...ids].slice(0, maxStories)) {
    const rows = await db<{ line: string }[]>`
      select line from (
        select at, concat_ws(' ', at, rail, action, outcome, said) as line
        from rail_attempts where transaction_id = ${id}
        union all select received_at, concat_ws(' ', received_at, rail, 'news', outcome, amount,
          'handled', handled_at, finding)
        from rail_callbacks where transaction_id = ${id}
        union all select created_at, concat_ws(' ', created_at, 'event', sequence,
          data ->> 'status', status, 'due', due_at, 'leased', leased_until)
        from webhooks where transaction_id = ${id}
        union all select created_at, concat_ws(' ', created_at, kind, method, state, 'at', rail,
          'deadline', deadline_at)
        from transactions where id = ${id}
      ) lines order by at, line`
    lines.push(id, ...rows.map(({ line }) => `  ${line}`))
    for (const { rail, book } of rails) {
      const { order, ...entry } = book.payouts.get(id) ?? book.charges.get(id) ?? {}
      if (order) lines.push(`  ${rail.name} itself: ${JSON.stringify(entry)}`)
    }
  }
  return lines
}
