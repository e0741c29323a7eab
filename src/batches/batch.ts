import type { Environment } from '../environment.ts'

export const batchStates = [
  'draft',
  'waiting_for_approval',
  'running',
  'done',
  'cancelled',
] as const
export type BatchState = (typeof batchStates)[number]

/** A line ends invalid, refused, successful or failed; accepted means that its payout is open. */
export const lineStates = [
  'invalid',
  'ready',
  'accepted',
  'refused',
  'successful',
  'failed',
] as const
export type LineState = (typeof lineStates)[number]

/** Someone who acts in the dashboard. */
export type Actor = { personId: string; name: string }

/** Whose batch it is: every look and every change names it. */
export type BatchKey = { slot: number; accountId: string; id: string }

/** Of the valid lines in one currency, in minor units. */
export type Total = { currency: string; count: number; amount: bigint }

export type Batch = {
  id: string
  name: string
  state: BatchState
  lines: number
  valid: number
  invalid: number
  totals: Total[]
  /** Of a draft: whether it would need it by the limits of now. */
  needsApproval: boolean
  accepted: number
  refused: number
  successful: number
  failed: number
  createdBy: { id: string; name: string }
  approvedBy: { id: string; name: string } | null
  createdAt: Date
  updatedAt: Date
  /** An earlier batch of the same file that was not cancelled. */
  sameFileAs: { id: string; name: string } | null
}

/** What is wrong with a line; no column where it is about the line as a whole. */
export type LineError = { column: string | null; message: string }
export type PlacedError = LineError & { line: number }

export type Cells = Partial<Record<Column, string>>

export type CheckedLine = {
  line: number
  state: 'ready' | 'invalid'
  reference: string
  /** In minor units, where the amount could be read. */
  amount: bigint | null
  cells: Cells
  errors: LineError[]
}

const requiredColumns = [
  'amount',
  'currency',
  'country',
  'destination',
  'accountName',
  'accountNumber',
] as const

/** As the template has them; a file may have them in any order. */
export const columns = [
  'reference',
  ...requiredColumns,
  'code',
  'branchCode',
  'businessNumber',
  'walletCurrency',
  'walletCountry',
] as const
export type Column = (typeof columns)[number]
export const required: readonly Column[] = requiredColumns

export const maxLines = 10_000
export const maxFileBytes = 5 * 1024 * 1024
export const maxErrorsShown = 1000

/** A payout as a line asks for it. */
export type LineRequest = {
  amount: number
  externalReference: string
  currency?: string
  country?: string
  destination?: string
  payoutMethod: {
    accountName?: string
    accountNumber?: string
    code?: string
    branchCode?: string
    businessNumber?: string
  }
  debitCurrency?: string
  debitCountry?: string
}

export type LineCaller = {
  accountId: string
  slot: number
  environment: Environment
  feeOf(method: string, currency: string, amountMinor: bigint): bigint
  idempotency: { key: string; requestHash: Buffer } | null
}

/** What batches need of payouts: the way of the API, and the same without writing anything. */
export type BatchPayouts = {
  check(caller: LineCaller, request: LineRequest): Promise<void>
  accept(caller: LineCaller, request: LineRequest): Promise<{ id: string }>
}
