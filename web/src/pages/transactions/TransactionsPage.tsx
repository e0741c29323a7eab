import { withParams } from '../../api/client.ts'
import { useEnvironment, usePaths, useViewPage } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { DownloadButton } from '../../parts/DownloadButton.tsx'
import { type Filter, FilterBar } from '../../parts/FilterBar.tsx'
import { LinkButton } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { methodWords, statusWords } from '../../strings/parts.ts'
import { transactionsStrings as strings } from '../../strings/transactions.ts'
import type { TransactionRow } from './transactions.ts'

const choices = (words: Record<string, string>, values: readonly string[]) =>
  values.map((value) => ({ value, label: words[value] ?? value }))

const filters: readonly Filter[] = [
  {
    kind: 'search',
    name: 'search',
    label: strings.search,
    placeholder: strings.searchPlaceholder,
  },
  {
    kind: 'choice',
    name: 'type',
    label: strings.type,
    options: choices(strings.types, ['charge', 'payout', 'reversal']),
  },
  {
    kind: 'choice',
    name: 'status',
    label: strings.status,
    options: choices(statusWords, ['pending', 'successful', 'failed']),
  },
  {
    kind: 'choice',
    name: 'method',
    label: strings.method,
    options: choices(methodWords, ['card', 'momo', 'bank']),
  },
  { kind: 'day', name: 'from', label: strings.from },
  { kind: 'day', name: 'to', label: strings.to },
]

const columns: Column<TransactionRow>[] = [
  { header: strings.reference, cell: ({ reference }) => reference },
  {
    header: strings.status,
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  { header: strings.type, cell: ({ kind }) => strings.types[kind] ?? kind },
  {
    header: strings.method,
    cell: ({ method }) => methodWords[method] ?? method,
    wide: true,
    nowrap: true,
    phone: 'none',
  },
  { header: strings.party, cell: ({ accountName }) => accountName, phone: 'none', wide: true },
  {
    header: strings.amount,
    align: 'right',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    header: strings.created,
    align: 'right',
    phone: 'line',
    cell: (row) => <Moment at={row.createdAt} />,
  },
]

const names = ['search', 'type', 'status', 'method', 'currency', 'from', 'to'] as const

export function TransactionsPage() {
  const { params } = useUrlParams()
  const environment = useEnvironment()
  const paths = usePaths()
  const mayPay = useMay('moveMoney')
  const chosen = Object.fromEntries(names.map((name) => [name, params[name]]))
  const page = useViewPage<TransactionRow>('/transactions', {
    params: { ...chosen, after: params.after },
    live: ['transaction'],
  })
  const isFiltered = names.some((name) => params[name] !== undefined)
  const none = isFiltered ? (
    <Empty title={strings.noneFound} hint={strings.noneFoundHint} />
  ) : (
    <Empty
      title={strings.none}
      hint={strings.noneHint}
      action={
        mayPay && (
          <LinkButton to="/$environment/payouts" params={{ environment }} variant="default" mt="xs">
            {strings.sendPayout}
          </LinkButton>
        )
      }
    />
  )
  return (
    <>
      <PageHeader
        title={strings.title}
        actions={<DownloadButton href={withParams(paths.view('/transactions.csv'), chosen)} />}
      />
      <FilterBar filters={filters} />
      <Section flush>
        <DataTable
          label={strings.label}
          query={page}
          columns={columns}
          rowKey={({ id }) => id}
          rowLink={({ id }) => ({
            to: '/$environment/transactions/$transactionId',
            params: { environment, transactionId: id },
          })}
          empty={none}
        />
      </Section>
    </>
  )
}
