import { useParams } from '@tanstack/react-router'
import { useEnvironment, usePaths, useViewPage } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { DownloadButton } from '../../parts/DownloadButton.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { formatAmount } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { moneyStrings } from '../../strings/money.ts'
import { useCountryName } from '../beneficiaries/reference.ts'
import classes from './money.module.css'
import { useWallets, type Wallet } from './wallets.ts'

const strings = moneyStrings.statement

type Entry = {
  seq: string
  at: string
  transactionId: string
  reference: string | null
  step: string
  debit: string
  credit: string
  /** The effect on what is available, with its sign. */
  amount: string
  heldChange: string
  availableAfter: string
  heldAfter: string
}

export function StatementPage() {
  const environment = useEnvironment()
  const { walletId = '' } = useParams({ strict: false })
  const { data: wallets } = useWallets()
  const countryName = useCountryName()
  const paths = usePaths()
  const { params } = useUrlParams()
  const path = `/wallets/${walletId}/statement`
  const query = useViewPage<Entry>(path, {
    params: { after: params.after },
    live: ['transaction'],
  })
  const wallet = wallets?.find(({ id }) => id === walletId)
  const name = wallet ? `${wallet.currency} · ${countryName(wallet.country)}` : ''
  return (
    <>
      <PageHeader
        title={strings.title(name)}
        back={
          <PageLink
            to="/$environment/money/$tab"
            params={{ environment, tab: 'wallets' }}
            size="sm"
          >
            {strings.back}
          </PageLink>
        }
        actions={<DownloadButton href={paths.view(`${path}.csv`)} />}
      />
      <div className={classes.stack}>
        {wallet && <Balances wallet={wallet} />}
        <Section flush>
          <DataTable
            label={strings.label}
            columns={columns}
            query={query}
            rowKey={({ seq }) => seq}
            rowLink={({ transactionId }) => ({
              to: '/$environment/transactions/$transactionId',
              params: { environment, transactionId },
            })}
            empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
          />
        </Section>
      </div>
    </>
  )
}

function Balances({ wallet: { balance, reserved, currency } }: { wallet: Wallet }) {
  return (
    <Section>
      <div className={classes.balances}>
        <Facts
          facts={[
            {
              label: strings.available,
              value: <Money amount={balance} currency={currency} fz="xl" fw={600} />,
            },
            {
              label: strings.reserved,
              value: <Money amount={reserved} currency={currency} fz="xl" />,
            },
          ]}
        />
      </div>
    </Section>
  )
}

/** A wallet has one currency, which stands above: the columns need not repeat it. */
const { columns: names } = strings
const columns: readonly Column<Entry>[] = [
  { header: names.time, cell: ({ at }) => <Moment at={at} />, phone: 'line', nowrap: true },
  { header: names.what, cell: (entry) => wordsOf(entry), phone: 'title', nowrap: true },
  { header: names.reference, cell: ({ reference }) => reference, wide: true },
  {
    header: names.amount,
    cell: ({ amount }) => signed(amount),
    align: 'right',
  },
  {
    header: names.held,
    cell: ({ heldChange }) => signed(heldChange),
    align: 'right',
    phone: 'none',
  },
  {
    header: names.after,
    cell: ({ availableAfter }) => formatAmount(availableAfter),
    align: 'right',
  },
  {
    header: names.heldAfter,
    cell: ({ heldAfter }) => formatAmount(heldAfter),
    align: 'right',
    wide: true,
    phone: 'none',
  },
]

function signed(amount: string): string {
  if (!/[1-9]/.test(amount)) return '–'
  return `${amount.startsWith('-') ? '' : '+'}${formatAmount(amount)}`
}

/** What a movement was, in a word; the name of the step where we have none. */
function wordsOf({ step }: Entry): string {
  const words: Record<string, string> = strings.steps
  return words[step] ?? step
}
