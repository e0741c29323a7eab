import { useView } from '../../api/queries.ts'

export type Wallet = {
  id: string
  currency: string
  country: string
  balance: string
  reserved: string
}

export type Outcome = {
  method: string
  rail: string
  kind: 'charge' | 'payout'
  successful: number
  failed: number
  pending: number
}

export type Attention = {
  stuck: number
  suspense: number
  failingWebhooks: number
  webhooksFailingSince: string | null
  webhooksPausedAt: string | null
  batchesToApprove: number
}

export type Flow = {
  currency: string | null
  currencies: string[]
  days: { day: string; in: string; out: string }[]
}

export type Overview = {
  wallets: Wallet[]
  flow: Flow
  success: Outcome[]
  attention: Attention
}

export const periods = [7, 30, 90] as const

export const readPeriod = (text: string | undefined): number =>
  periods.find((days) => String(days) === text) ?? 30

export const useOverview = (days: number, currency: string | undefined) =>
  useView<Overview>('/overview', {
    params: { days, currency },
    live: ['transaction', 'batch'],
    keep: true,
  })
