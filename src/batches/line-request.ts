import { createHash } from 'node:crypto'
import { numberFromMinor } from '../money/amounts.ts'
import { type Currency, currency as currencyInfo } from '../money/currencies.ts'
import type { Cells, LineCaller, LineRequest } from './batch.ts'

/** The reference of a line that has none of its own: the same whenever it is tried. */
export const ownReference = (batchId: string, line: number): string => `batch-${batchId}-${line}`

/**
 * The key under which a line is paid. Whoever tries a line again, after whatever crash, is told
 * of the payout it became. No body of a request has this hash, so no other payout answers to it.
 */
export function idempotencyOf(
  batchId: string,
  line: number,
): NonNullable<LineCaller['idempotency']> {
  const key = ownReference(batchId, line)
  return { key, requestHash: createHash('sha256').update(key).digest() }
}

export function currencyOf(text: string | undefined): Currency | undefined {
  return currencyInfo((text ?? '').trim().toUpperCase())?.code
}

/** The request that a line stands for. One without an amount is only good for looking at. */
export function requestOf(
  { amount: _, reference: _reference, walletCurrency, walletCountry, ...cells }: Cells,
  externalReference: string,
  amountMinor: bigint | undefined,
): LineRequest {
  const { currency, country, destination, ...payoutMethod } = cells
  const code = currencyOf(currency)
  return {
    amount:
      code === undefined || amountMinor === undefined ? 1 : numberFromMinor(amountMinor, code),
    externalReference,
    payoutMethod,
    ...(currency === undefined ? {} : { currency }),
    ...(country === undefined ? {} : { country }),
    ...(destination === undefined ? {} : { destination }),
    ...(walletCurrency === undefined ? {} : { debitCurrency: walletCurrency }),
    ...(walletCountry === undefined ? {} : { debitCountry: walletCountry }),
  }
}
