/** The shapes of the views of transactions, as the service describes them. */

export type TransactionRow = {
  id: string
  reference: string
  kind: 'charge' | 'payout' | 'reversal'
  status: string
  state: string
  method: string
  rail: string | null
  country: string
  destination: string | null
  amount: string
  currency: string
  walletAmount: string | null
  walletCurrency: string | null
  fee: string | null
  accountName: string | null
  accountNumber: string | null
  failureReason: string | null
  createdAt: string
  updatedAt: string
}

export type TimelineEntry = {
  at: string
  kind: string
  title: string
  detail: string | null
  tone: 'neutral' | 'good' | 'bad' | 'waiting'
}

export type Transfer = {
  step: string
  debit: string
  credit: string
  amount: string
  currency: string
  at: string
  availableAfter: string | null
  heldAfter: string | null
}

export type WebhookRow = {
  id: string
  event: string
  sequence: number
  status: string
  attempts: number
  createdAt: string
}

export type TransactionDetail = {
  transaction: TransactionRow & {
    beneficiaryId: string | null
    exchangeRate: string | null
    providerReference: string | null
    stepRequired: string | null
    redirectUrl: string | null
    linkedId: string | null
    reversalId: string | null
    deadlineAt: string | null
    virtualAccount: {
      accountNumber: string
      bankName: string
      note: string
      expiresAt: string
    } | null
  }
  timeline: TimelineEntry[]
  transfers: Transfer[]
  webhooks: WebhookRow[]
}
