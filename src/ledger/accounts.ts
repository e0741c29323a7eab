/**
 * The chart of accounts. `wallet` and `held` belong to one wallet and keep a live balance, which
 * never goes below zero. The others belong to the house, once per environment and currency; a
 * balance row of theirs would be hot under every payment, so theirs is summed from transfers.
 */
export const chartOfAccounts = {
  wallet: 'What a merchant can spend.',
  held: 'What is set aside for payouts in flight.',
  fx: 'Our position in a currency, from conversions.',
  fees: 'What merchants paid for our service.',
  suspense: 'Money that arrived without a home.',
  funding: 'Money an operator put in or took out.',
  rail: 'What a rail holds for us; one account per rail, written rail:<name>.',
} as const

export type LedgerAccount = Exclude<keyof typeof chartOfAccounts, 'rail'> | `rail:${string}`

export function isLedgerAccount(text: string): text is LedgerAccount {
  if (text.startsWith('rail:')) return /^rail:[a-z][a-z0-9-]{0,30}$/.test(text)
  return text !== 'rail' && Object.hasOwn(chartOfAccounts, text)
}

export function isWalletAccount(account: LedgerAccount): account is 'wallet' | 'held' {
  return account === 'wallet' || account === 'held'
}
