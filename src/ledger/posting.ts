import type { Environment } from '../environment.ts'
import { isLedgerAccount, isWalletAccount, type LedgerAccount } from './accounts.ts'

/** Moves an amount, in minor units, from the debit to the credit account. */
export type Transfer = {
  /** What it is within its transaction, such as "accepted" or "fee". Unique there. */
  step: string
  debit: LedgerAccount
  credit: LedgerAccount
  amount: bigint
  currency: string
  /** Whose wallet or held account it touches; absent where it touches neither. */
  walletId?: string
}

/** The transfers of one step of a transaction: all are made or none. */
export type Posting = {
  slot: number
  transactionId: string
  environment: Environment
  transfers: readonly Transfer[]
}

export const maxTransfersPerPosting = 16

/** A posting that breaks these rules is a fault in our code, so it is thrown and not answered. */
export function assertPosting(posting: Posting): void {
  const { transfers } = posting
  if (transfers.length === 0 || transfers.length > maxTransfersPerPosting) {
    throw new Error(`a posting has 1 to ${maxTransfersPerPosting} transfers`)
  }
  const steps = new Set(transfers.map(({ step }) => step))
  if (steps.size !== transfers.length) throw new Error('the steps of a posting must differ')
  for (const transfer of transfers) assertTransfer(transfer)
}

function assertTransfer({ debit, credit, amount, walletId }: Transfer): void {
  if (amount <= 0n) throw new Error('a transfer moves a positive amount')
  if (debit === credit) throw new Error('a transfer needs two different accounts')
  if (!isLedgerAccount(debit) || !isLedgerAccount(credit)) {
    throw new Error(`no such ledger account: ${debit} or ${credit}`)
  }
  const touchesWallet = isWalletAccount(debit) || isWalletAccount(credit)
  if (touchesWallet !== (walletId !== undefined)) {
    throw new Error('a transfer names a wallet exactly when it touches one')
  }
}

/** What a transfer does to the two balances of its wallet. */
export function changeOf({ debit, credit, amount }: Transfer): { available: bigint; held: bigint } {
  const side = (account: 'wallet' | 'held') =>
    credit === account ? amount : debit === account ? -amount : 0n
  return { available: side('wallet'), held: side('held') }
}
