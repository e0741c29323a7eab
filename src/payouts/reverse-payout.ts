import { isUniqueViolation } from '../db/faults.ts'
import { postWith } from '../ledger/post.ts'
import { toldPart } from '../webhooks/event.ts'
import { eventDataOf, type OutcomeParts } from './outcomes.ts'
import type { Payout } from './payout.ts'
import { reversedPosting } from './postings.ts'

/**
 * A rail gave a paid payout back. The payout stays successful, for it was; the money returns as a
 * new deposit that is linked to it. One payout has one reversal at most: its reference says so.
 */
export async function reversePayout(parts: OutcomeParts, payout: Payout): Promise<string> {
  if (payout.state !== 'succeeded') return 'contradiction: only a paid payout can be reversed'
  try {
    return await reverse(parts, payout)
  } catch (error) {
    // Another node may have been quicker since we looked; then a second look sees it.
    if (!isUniqueViolation(error)) throw error
    return await reverse(parts, payout)
  }
}

async function reverse(
  { db, ids, clock }: OutcomeParts,
  payout: Payout,
): Promise<'applied' | 'repeated'> {
  const id = ids.next(payout.slot)
  const reference = `reversal-${payout.id}`
  const at = new Date(clock.now())
  const data = {
    ...eventDataOf({ ...payout, id, externalReference: reference }, 'successful'),
    type: 'deposit' as const,
    linkedTransactionId: payout.id,
  }
  const [outcome] = await postWith(db, [reversedPosting(payout, payout.rail, id)], () => ({
    known: db`
        select ${id}::uuid as transaction_id from transactions
        where slot = ${payout.slot} and account_id = ${payout.accountId}
          and external_reference = ${reference} and linked_id = ${payout.id}`,
    recorded: db`
        insert into transactions (slot, id, account_id, environment, kind, state, status,
          external_reference, method, destination, country, currency, amount, wallet_id,
          wallet_currency, wallet_amount, exchange_rate, beneficiary_id, account_name,
          account_number, code, branch_code, business_number, rail, linked_id, created_at,
          updated_at)
        select slot, ${id}, account_id, environment, 'reversal', 'succeeded', 'successful',
          ${reference}, method, destination, country, currency, amount, wallet_id,
          wallet_currency, wallet_amount, exchange_rate, beneficiary_id, account_name,
          account_number, code, branch_code, business_number, rail, id, ${at}, ${at}
        from transactions join wanted using (slot)
        where slot = ${payout.slot} and id = ${payout.id} and state = 'succeeded'
        returning id as transaction_id, slot, account_id, sequence`,
    further: toldPart(
      db,
      [{ id: ids.next(payout.slot), transactionId: id, event: 'transaction_created', data }],
      at,
    ),
  }))
  return outcome!.kind === 'recorded' ? 'applied' : 'repeated'
}
