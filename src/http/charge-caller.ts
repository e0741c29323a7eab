import { createHash } from 'node:crypto'
import Type from 'typebox'
import type { ChargeCaller } from '../charges/prepare.ts'
import { feeFor } from '../merchants/fee-plan.ts'
import type { Access } from '../merchants/tokens.ts'

/** The header by which a caller asks for the same answer to the same request. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Replays the first answer to an identical request.',
    }),
  ),
})

/** The caller of an operation that moves money, as its domain wants to know it. */
export function moneyCaller(
  access: Access,
  kind: 'payout' | 'charge',
  headers: { 'idempotency-key'?: string },
  body: unknown,
): ChargeCaller {
  const { accountId, slot, environment, feePlan } = access
  const key = headers['idempotency-key']
  return {
    ...{ accountId, slot, environment },
    idempotency: key === undefined ? null : { key, requestHash: hashOf(body) },
    feeOf: (method, currency, amountMinor) =>
      feeFor(feePlan, { kind, method, currency }, amountMinor),
  }
}

function hashOf(body: unknown): Buffer {
  return createHash('sha256').update(JSON.stringify(body)).digest()
}
