import { DataTable } from '../../parts/DataTable.tsx'
import { formatAmount } from '../../parts/format.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { transactionStrings as strings } from '../../strings/transactions.ts'
import { accountName } from './LedgerPicture.tsx'
import classes from './transaction.module.css'
import type { Transfer } from './transactions.ts'

const balance = (amount: string | null): string => (amount === null ? '–' : formatAmount(amount))

/** The same as the picture, with the balances after each transfer. */
export function TransferTable({ transfers }: { transfers: Transfer[] }) {
  if (transfers.length === 0) return null
  return (
    <details className={classes.more}>
      <summary>{strings.asTable}</summary>
      <DataTable
        label={strings.ledgerPicture}
        query={{ data: transfers, error: null, refetch: () => undefined }}
        rowKey={({ step }) => step}
        empty={null}
        columns={[
          { header: strings.ledgerStep, cell: ({ step }) => step },
          { header: strings.fromAccount, cell: ({ debit }) => accountName(debit) },
          { header: strings.toAccount, cell: ({ credit }) => accountName(credit) },
          {
            header: strings.amount,
            align: 'right',
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          {
            header: strings.availableAfter,
            align: 'right',
            phone: 'none',
            cell: ({ availableAfter }) => balance(availableAfter),
          },
          {
            header: strings.heldAfter,
            align: 'right',
            phone: 'none',
            cell: ({ heldAfter }) => balance(heldAfter),
          },
          { header: strings.at, wide: true, cell: ({ at }) => <Moment at={at} /> },
        ]}
      />
    </details>
  )
}
