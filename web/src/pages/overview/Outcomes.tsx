import { DataTable } from '../../parts/DataTable.tsx'
import { formatCount, formatShare } from '../../parts/format.ts'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { overviewStrings as strings } from '../../strings/overview.ts'
import { methodWords } from '../../strings/parts.ts'
import classes from './overview.module.css'
import type { Outcome } from './overview.ts'

export function Outcomes({ outcomes }: { outcomes: Outcome[] }) {
  return (
    <Section title={strings.success} hint={strings.successHint} flush>
      <DataTable
        label={strings.success}
        query={{ data: outcomes, error: null, refetch: () => undefined }}
        rowKey={({ kind, method, rail }) => `${kind} ${method} ${rail}`}
        empty={<Empty title={strings.noSuccess} />}
        columns={[
          { header: strings.method, cell: ({ method }) => methodWords[method] ?? method },
          { header: strings.kind, cell: ({ kind }) => strings.kinds[kind] },
          { header: strings.rail, cell: ({ rail }) => rail },
          count(strings.successful, ({ successful }) => successful),
          count(strings.failed, ({ failed }) => failed),
          count(strings.pending, ({ pending }) => pending),
          { header: strings.rate, align: 'right', cell: (row) => <Rate {...row} /> },
        ]}
      />
    </Section>
  )
}

const count = (header: string, of: (row: Outcome) => number) => ({
  header,
  align: 'right' as const,
  phone: 'none' as const,
  cell: (row: Outcome) => formatCount(of(row)),
})

/** Of those that have ended: what is pending has not succeeded and has not failed. */
function Rate({ successful, failed }: Outcome) {
  const ended = successful + failed
  return (
    <span className={classes.rate}>
      <svg viewBox="0 0 64 6" width="64" height="6" aria-hidden="true" focusable="false">
        <rect width="64" height="6" rx="3" className={classes.rateRest} />
        {ended > 0 && successful > 0 && (
          <rect width={(64 * successful) / ended} height="6" rx="3" className={classes.rateDone} />
        )}
      </svg>
      <span>{formatShare(successful, ended)}</span>
    </span>
  )
}
