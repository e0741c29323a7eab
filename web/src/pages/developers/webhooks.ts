export type WebhookSettings = {
  url: string | null
  pausedAt: string | null
  failingSince: string | null
  secrets: { createdAt: string; expiresAt: string | null }[]
}

export type WebhookStatus = 'CREATED' | 'SUCCESS' | 'FAILED'

export type WebhookRow = {
  id: string
  event: string
  status: WebhookStatus
  transactionId: string
  reference: string
  createdAt: string
  attempts: number
}

export type WebhookRecord = Omit<WebhookRow, 'attempts' | 'reference'> & {
  url: string | null
  nextAttemptAt: string | null
  body: unknown
  attempts: { at: string; durationMs: number; status: string; answer: string }[]
}
