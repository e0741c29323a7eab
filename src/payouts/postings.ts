import type { Posting, Transfer } from '../ledger/posting.ts'
import type { Payout } from './payout.ts'

/** What a payout does to the ledger, step by step. Pure: the same payout, the same transfers. */

type Priced = Pick<
  Payout,
  | 'slot'
  | 'id'
  | 'environment'
  | 'currency'
  | 'amount'
  | 'walletId'
  | 'walletCurrency'
  | 'walletAmount'
  | 'fee'
>

/** Amount and fee leave the available balance and are held. */
export function heldPosting(payout: Priced): Posting {
  return posting(payout, [
    { step: 'accepted', debit: 'wallet', credit: 'held', amount: payout.walletAmount },
    { step: 'accepted fee', debit: 'wallet', credit: 'held', amount: payout.fee },
  ])
}

/** The held money goes to the rail, through our position where it was converted. */
export function paidPosting(payout: Priced, rail: string): Posting {
  const fee = { step: 'fee', debit: 'held', credit: 'fees', amount: payout.fee } as const
  const railAccount = `rail:${rail}` as const
  if (payout.currency === payout.walletCurrency) {
    const paid = {
      step: 'paid',
      debit: 'held',
      credit: railAccount,
      amount: payout.amount,
    } as const
    return posting(payout, [paid, fee])
  }
  const { amount, currency } = payout
  const given = {
    step: 'converted',
    debit: 'held',
    credit: 'fx',
    amount: payout.walletAmount,
  } as const
  const paid = { step: 'paid', debit: 'fx', credit: railAccount, amount, currency } as const
  const { transfers, ...rest } = posting(payout, [given, fee])
  return { ...rest, transfers: [...transfers, paid] }
}

/** All of it returns to where it came from. */
export function returnedPosting(payout: Priced): Posting {
  return posting(payout, [
    { step: 'returned', debit: 'held', credit: 'wallet', amount: payout.walletAmount },
    { step: 'returned fee', debit: 'held', credit: 'wallet', amount: payout.fee },
  ])
}

/** The rail gave a paid amount back: it goes to the wallet at the price it had left it. */
export function reversedPosting(payout: Priced, rail: string, reversalId: string): Posting {
  const railAccount = `rail:${rail}` as const
  const own = { ...payout, id: reversalId }
  if (payout.currency === payout.walletCurrency) {
    return posting(own, [
      { step: 'reversed', debit: railAccount, credit: 'wallet', amount: payout.amount },
    ])
  }
  const { amount, currency } = payout
  const back = { step: 'reversed', debit: railAccount, credit: 'fx', amount, currency } as const
  const { transfers, ...rest } = posting(own, [
    { step: 'converted', debit: 'fx', credit: 'wallet', amount: payout.walletAmount },
  ])
  return { ...rest, transfers: [back, ...transfers] }
}

type WalletLeg = Pick<Transfer, 'step' | 'debit' | 'credit' | 'amount'>

/** Transfers on the payout's own wallet; one of nothing, such as no fee, is left out. */
function posting(payout: Priced, legs: readonly WalletLeg[]): Posting {
  const { slot, id: transactionId, environment, walletCurrency, walletId } = payout
  const transfers = legs
    .filter(({ amount }) => amount > 0n)
    .map((leg) => ({ ...leg, currency: walletCurrency, walletId }))
  return { slot, transactionId, environment, transfers }
}
