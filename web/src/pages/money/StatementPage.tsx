import { useParams } from '@tanstack/react-router'
import { useEnvironment, usePaths, useViewPage } from '../../api/queries.ts'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { DownloadButton } from '../../parts/DownloadButton.tsx'
import { Facts } from '../../parts/Facts.tsx'
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
            columns={columnsOf(wallet?.currency ?? '')}
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
    </Section>
  )
}

function columnsOf(currency: string): readonly Column<Entry>[] {
  const { columns: names } = strings
  const money = (amount: string, isSigned = false) =>
    isNothing(amount) && isSigned ? (
      '–'
    ) : (
      <Money amount={amount} currency={currency} signed={isSigned} />
    )
  return [
    { header: names.time, cell: ({ at }) => <Moment at={at} />, phone: 'line' },
    { header: names.what, cell: (entry) => wordsOf(entry), phone: 'title' },
    { header: names.reference, cell: ({ reference }) => reference, wide: true },
    { header: names.amount, cell: ({ amount }) => money(amount, true), align: 'right' },
    {
      header: names.held,
      cell: ({ heldChange }) => money(heldChange, true),
      align: 'right',
      phone: 'none',
    },
    { header: names.after, cell: ({ availableAfter }) => money(availableAfter), align: 'right' },
    {
      header: names.heldAfter,
      cell: ({ heldAfter }) => money(heldAfter),
      align: 'right',
      wide: true,
      phone: 'none',
    },
  ]
}

const isNothing = (amount: string): boolean => !/[1-9]/.test(amount)

/** What a movement was, in a word; the name of the step where we have none. */
function wordsOf({ step }: Entry): string {
  const words: Record<string, string> = strings.steps
  return words[step] ?? step
}
