import { Anchor } from '@mantine/core'
import { useEnvironment } from '../../api/queries.ts'
import { CopyId } from '../../parts/CopyField.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { countryName } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { methodWords, statusWords } from '../../strings/parts.ts'
import { transactionStrings as strings } from '../../strings/transactions.ts'
import type { TransactionDetail } from './transactions.ts'

type Transaction = TransactionDetail['transaction']

export function Details({ transaction }: { transaction: Transaction }) {
  const environment = useEnvironment()
  const { linkedId, reversalId, redirectUrl, virtualAccount, deadlineAt, status } = transaction
  const linkTo = (transactionId: string | null) =>
    transactionId && (
      <PageLink
        to="/$environment/transactions/$transactionId"
        params={{ environment, transactionId }}
      >
        {strings.open}
      </PageLink>
    )
  return (
    <Facts
      facts={[
        { label: strings.id, value: <CopyId id={transaction.id} /> },
        { label: strings.reference, value: <CopyId id={transaction.reference} /> },
        ...moneyFacts(transaction),
        ...wayFacts(transaction),
        {
          label: strings.redirect,
          value: redirectUrl && (
            <Anchor href={redirectUrl} target="_blank" rel="noreferrer">
              {redirectUrl}
            </Anchor>
          ),
        },
        {
          label: strings.virtualAccount,
          value: virtualAccount && `${virtualAccount.bankName}, ${virtualAccount.accountNumber}`,
        },
        { label: strings.linked, value: linkTo(linkedId) },
        { label: strings.reversal, value: linkTo(reversalId) },
        {
          label: strings.deadline,
          value: deadlineAt && status === 'pending' && <Moment at={deadlineAt} exact />,
        },
        { label: strings.created, value: <Moment at={transaction.createdAt} exact /> },
        { label: strings.updated, value: <Moment at={transaction.updatedAt} exact /> },
      ]}
    />
  )
}

function moneyFacts({ kind, walletAmount, walletCurrency, fee, exchangeRate }: Transaction) {
  const inWallet = (amount: string | null) =>
    amount && walletCurrency && <Money amount={amount} currency={walletCurrency} />
  return [
    {
      label: kind === 'payout' ? strings.walletAmount : strings.walletAmountIn,
      value: inWallet(walletAmount),
    },
    { label: strings.fee, value: inWallet(fee) },
    { label: strings.rate, value: exchangeRate },
  ]
}

/** Destinations that say no more than the method. */
const usual = ['MoMo', 'Bank Account', 'Card', 'Bank Transfer']

function wayFacts(transaction: Transaction) {
  const { method, destination, state, status, stepRequired } = transaction
  const name = methodWords[method] ?? method
  return [
    { label: strings.accountName, value: transaction.accountName },
    { label: strings.accountNumber, value: transaction.accountNumber },
    {
      label: strings.method,
      value: destination && !usual.includes(destination) ? `${name}, ${destination}` : name,
    },
    { label: strings.country, value: countryName(transaction.country) },
    { label: strings.rail, value: transaction.rail },
    { label: strings.railReference, value: transaction.providerReference },
    { label: strings.state, value: status === 'pending' && (statusWords[state] ?? state) },
    { label: strings.failureReason, value: transaction.failureReason },
    { label: strings.step, value: stepRequired && (strings.steps[stepRequired] ?? stepRequired) },
  ]
}
