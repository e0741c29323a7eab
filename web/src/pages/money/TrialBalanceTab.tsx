import { Text } from '@mantine/core'
import { useView } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Money } from '../../parts/Money.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { moneyStrings } from '../../strings/money.ts'

const strings = moneyStrings.ledger

type Row = { account: string; currency: string; debits: string; credits: string; balance: string }

const { columns: names } = strings
const columns: readonly Column<Row>[] = [
  { header: names.account, cell: ({ account }) => account },
  { header: names.currency, cell: ({ currency }) => currency, phone: 'none' },
  {
    header: names.debits,
    cell: ({ debits, currency }) => <Money amount={debits} currency={currency} />,
    align: 'right',
    phone: 'none',
  },
  {
    header: names.credits,
    cell: ({ credits, currency }) => <Money amount={credits} currency={currency} />,
    align: 'right',
    phone: 'none',
  },
  {
    header: names.balance,
    cell: ({ balance, currency }) => <Money amount={balance} currency={currency} fw={550} />,
    align: 'right',
  },
]

export function TrialBalanceTab() {
  const query = useView<Row[]>('/trial-balance', { live: ['transaction'] })
  return (
    <>
      <Text c="dimmed" mb="lg" maw="42rem">
        {strings.hint}
      </Text>
      <Section flush>
        <DataTable
          label={strings.label}
          columns={columns}
          query={query}
          rowKey={({ account, currency }) => `${account} ${currency}`}
          empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
        />
      </Section>
    </>
  )
}
