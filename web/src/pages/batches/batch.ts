import { formatMoney } from '../../parts/format.ts'

export type Named = { id: string; name: string }
export type BatchState = 'draft' | 'waiting_for_approval' | 'running' | 'done' | 'cancelled'
export type Total = { currency: string; count: number; amount: string }

export type Batch = {
  id: string
  name: string
  state: BatchState
  createdBy: Named
  approvedBy: Named | null
  createdAt: string
  lines: number
  valid: number
  invalid: number
  totals: Total[]
  needsApproval: boolean
  progress: {
    accepted: number
    refused: number
    successful: number
    failed: number
    pending: number
  }
  sameFileAs: Named | null
}

export const lineStates = [
  ...(['invalid', 'ready', 'accepted', 'successful', 'failed', 'refused'] as const),
]
export type LineState = (typeof lineStates)[number]

export type BatchLine = {
  line: number
  reference: string
  amount: string
  currency: string
  accountName: string
  accountNumber: string
  state: LineState
  errors: { column: string | null; message: string }[]
  transactionId: string | null
  failureReason: string | null
}

export const totalsText = (totals: readonly Total[]): string =>
  totals.map(({ amount, currency }) => formatMoney(amount, currency)).join(', ')
