import { NativeSelect } from '@mantine/core'
import { useEnvironment, useViewPage } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { formatAmount } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { batchStrings as strings } from '../../strings/batches.ts'
import { type Batch, type BatchLine, lineStates } from './batch.ts'
import classes from './batches.module.css'

/** The lines of the file; of a draft with errors those first that have them. */
export function BatchLines({ batch }: { batch: Batch }) {
  const { params, set } = useUrlParams()
  const isToMend = batch.state === 'draft' && batch.invalid > 0
  const state = params.state ?? (isToMend ? 'invalid' : 'all')
  const query = useViewPage<BatchLine>(`/batches/${batch.id}/lines`, {
    params: { state: state === 'all' ? undefined : state, after: params.after },
    live: ['batch', 'transaction'],
  })
  const choices = (['all', ...lineStates] as const).map((value) => ({
    value,
    label: strings.states[value],
  }))
  return (
    <Section
      title={strings.linesTitle}
      actions={
        <NativeSelect
          aria-label={strings.show}
          size="sm"
          data={choices}
          value={state}
          onChange={(event) => void set({ state: event.currentTarget.value })}
        />
      }
      flush
    >
      <DataTable
        label={strings.linesTitle}
        columns={columns}
        query={query}
        rowKey={({ line }) => String(line)}
        empty={<Empty title={strings.noLines} />}
      />
    </Section>
  )
}

const { lineColumns: names } = strings
const columns: readonly Column<BatchLine>[] = [
  { header: names.line, cell: ({ line }) => line },
  { header: names.reference, cell: ({ reference }) => reference, nowrap: true },
  { header: names.name, cell: ({ accountName }) => accountName, nowrap: true },
  { header: names.account, cell: ({ accountNumber }) => accountNumber },
  { header: names.amount, cell: (line) => amountOf(line), align: 'right', nowrap: true },
  { header: names.state, cell: (line) => <LineStatus {...line} />, phone: 'corner' },
  { header: names.errors, cell: (line) => <Errors {...line} /> },
]

/** What stands in the file may be no amount at all. */
function amountOf({ amount, currency }: BatchLine): string {
  return `${/^\d+(\.\d+)?$/.test(amount) ? formatAmount(amount) : amount} ${currency}`
}

function LineStatus({ state, transactionId }: BatchLine) {
  const environment = useEnvironment()
  const badge = <StatusBadge status={state} label={strings.states[state]} />
  if (transactionId === null) return badge
  return (
    <PageLink
      to="/$environment/transactions/$transactionId"
      params={{ environment, transactionId }}
      title={strings.transaction}
    >
      {badge}
    </PageLink>
  )
}

function Errors({ errors, failureReason }: BatchLine) {
  if (errors.length === 0) return <>{failureReason ?? ''}</>
  return (
    <ul className={classes.errors}>
      {errors.map(({ column, message }) => (
        <li key={`${column} ${message}`}>
          {column && !message.startsWith(column) ? `${column}: ${message}` : message}
        </li>
      ))}
    </ul>
  )
}
