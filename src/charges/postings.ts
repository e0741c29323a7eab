import type { Posting, Transfer } from '../ledger/posting.ts'
import type { Charge } from './charge.ts'

/** What a charge does to the ledger. Pure: the same charge, the same transfers. */

type Priced = Pick<
  Charge,
  'slot' | 'id' | 'environment' | 'currency' | 'amount' | 'walletId' | 'walletCurrency' | 'rail'
> & {
  /** What the wallet gets before the fee, converted where its currency differs. */
  walletAmount: bigint
  fee: bigint
}

/** What the rail collected goes to the wallet, through our position where it is converted. */
export function collectedPosting(charge: Priced): Posting {
  const {
    slot,
    id: transactionId,
    environment,
    currency,
    amount,
    walletId,
    walletCurrency,
  } = charge
  const railAccount = `rail:${charge.rail}` as const
  const wallet = { currency: walletCurrency, walletId }
  const fee: Transfer = {
    ...{ step: 'fee', debit: 'wallet', credit: 'fees', amount: charge.fee, ...wallet },
  }
  const incoming: Transfer[] =
    currency === walletCurrency
      ? [{ step: 'collected', debit: railAccount, credit: 'wallet', amount, ...wallet }]
      : [
          { step: 'collected', debit: railAccount, credit: 'fx', amount, currency },
          {
            ...{ step: 'converted', debit: 'fx', credit: 'wallet', amount: charge.walletAmount },
            ...wallet,
          },
        ]
  const transfers = charge.fee > 0n ? [...incoming, fee] : incoming
  return { slot, transactionId, environment, transfers }
}

/** Money a rail has for us that settles nothing is kept apart until somebody decides. */
export function suspensePosting(item: {
  slot: number
  id: string
  environment: Charge['environment']
  rail: string
  currency: string
  amount: bigint
}): Posting {
  const { slot, id: transactionId, environment, rail, currency, amount } = item
  const debit = `rail:${rail}` as const
  const transfers = [{ step: 'arrived', debit, credit: 'suspense' as const, amount, currency }]
  return { slot, transactionId, environment, transfers }
}
