const countOf = (count: number, one: string, many: string): string =>
  `${new Intl.NumberFormat('en').format(count)} ${count === 1 ? one : many}`

export const overviewStrings = {
  title: 'Overview',
  period: 'Period',
  days: (days: number) => `${days} days`,
  attention: 'Needs attention',
  calm: 'Nothing needs your attention.',
  stuck: (count: number) =>
    countOf(count, 'payment takes longer than it should', 'payments take longer than they should'),
  suspense: (count: number) =>
    countOf(count, 'amount arrived without a home', 'amounts arrived without a home'),
  failingWebhooks: (count: number) =>
    countOf(count, 'webhook could not be delivered', 'webhooks could not be delivered'),
  webhooksFailing: 'Your receiver of webhooks does not answer since',
  webhooksPaused: 'Webhooks are paused since',
  batchesToApprove: (count: number) =>
    countOf(count, 'batch waits for approval', 'batches wait for approval'),
  balances: 'Balances',
  reserved: 'reserved',
  allWallets: (count: number) => `All ${count} wallets`,
  noWallets: 'No wallets yet',
  noWalletsHint: 'A wallet is made when money first arrives in its currency.',
  flow: 'Money in and out',
  flowOf: (currency: string, days: number) =>
    `Money in and out in ${currency} over the last ${days} days`,
  currency: 'Currency',
  moneyIn: 'In',
  moneyOut: 'Out',
  noFlow: 'No money has moved in this period',
  noFlowHint: 'Collect a payment or send a payout, and it shows here within a moment.',
  success: 'How payments end',
  successHint: 'By method and rail, in this period.',
  noSuccess: 'No payments in this period',
  method: 'Method',
  rail: 'Rail',
  kind: 'Kind',
  kinds: { charge: 'Charge', payout: 'Payout' } as Record<string, string>,
  successful: 'Successful',
  failed: 'Failed',
  pending: 'Pending',
  rate: 'Success rate',
} as const
