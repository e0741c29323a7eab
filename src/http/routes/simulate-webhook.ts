import Type from 'typebox'
import { AppError } from '../../errors.ts'
import type { TransactionKind } from '../../transactions/record.ts'
import type { Dependencies } from '../dependencies.ts'
import { route } from '../route.ts'

export const simulateWebhook = route({
  method: 'POST',
  path: '/utilities/simulate-webhook',
  auth: 'webhooks',
  sandboxOnly: true,
  about: {
    id: 'simulateWebhook',
    tag: 'Sandbox',
    summary: 'Bring about an event',
    description:
      'A pending transaction really moves to the status, its money included, and its event is ' +
      'sent. For a final one, and for `pending`, only an event with that status is sent.',
  },
  input: {
    body: Type.Object({
      externalReference: Type.String({ minLength: 1, maxLength: 100 }),
      webhookStatus: Type.String({ enum: ['successful', 'failed', 'pending'] }),
    }),
  },
  output: Type.Object({}),
  example: {
    body: { externalReference: 'order-4711', webhookStatus: 'successful' },
    output: {},
  },
  errors: ['TRANSACTION_NOT_FOUND'],
  async handle({ access, body }, on) {
    const record = await on.reads.byReference(access, body.externalReference)
    if (!record) throw new AppError('TRANSACTION_NOT_FOUND')
    const status = body.webhookStatus as 'successful' | 'failed' | 'pending'
    const { slot } = access
    const { id } = record
    const move = record.status === 'pending' && status !== 'pending' && movers[record.kind]
    const hasMoved = move ? await move(on, { slot, id }, status) : false
    if (hasMoved) on.webhooks.wake()
    else await on.webhooks.tellAgain({ slot, id }, status)
    return {}
  },
})

/** How a pending transaction of each kind is moved; says whether it was. */
const movers: Partial<
  Record<
    TransactionKind,
    (
      on: Dependencies,
      transaction: { slot: number; id: string },
      status: 'successful' | 'failed',
    ) => Promise<boolean>
  >
> = {
  payout: ({ payouts }, { slot, id }, status) =>
    payouts.simulateOutcome(slot, id, status === 'successful' ? 'succeeded' : 'failed'),
  charge: ({ charges }, { slot, id }, status) =>
    charges.simulateOutcome(slot, id, status === 'successful' ? 'succeeded' : 'failed'),
}
