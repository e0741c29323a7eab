import { useEnvironment } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Money } from '../../parts/Money.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { moneyStrings } from '../../strings/money.ts'
import { useCountryName } from '../beneficiaries/reference.ts'
import { useWallets, type Wallet } from './wallets.ts'

const strings = moneyStrings.wallets

export function WalletsTab() {
  const environment = useEnvironment()
  const query = useWallets()
  const countryName = useCountryName()
  const { columns: names } = strings
  const columns: readonly Column<Wallet>[] = [
    { header: names.currency, cell: ({ currency }) => currency },
    { header: names.country, cell: ({ country }) => countryName(country) },
    {
      header: names.available,
      cell: ({ balance, currency }) => <Money amount={balance} currency={currency} fw={550} />,
      align: 'right',
    },
    {
      header: names.reserved,
      cell: ({ reserved, currency }) => <Money amount={reserved} currency={currency} c="dimmed" />,
      align: 'right',
      phone: 'none',
    },
  ]
  return (
    <Section flush>
      <DataTable
        label={strings.label}
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/$environment/wallets/$walletId',
          params: { environment, walletId: id },
        })}
        empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
      />
    </Section>
  )
}
