import { isUniqueViolation } from '../db/faults.ts'
import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { postWith } from '../ledger/post.ts'
import { suspensePosting } from './postings.ts'

/** Money that came in and settles nothing, with what is known about it. */
export type NewSuspense = {
  slot: number
  /** The id of the news of it, or of the charge: the same money again adds nothing. */
  id: string
  environment: Environment
  rail: string
  currency: string
  amount: bigint
  story: string
  transactionId: string | null
  accountId: string | null
  at: Date
}

/**
 * Books it from the rail to suspense, with its story, once. Where two have read the same news and
 * the other one has settled a charge with it, there is nothing left to book.
 */
export async function bookSuspense(db: Db, item: NewSuspense): Promise<'booked' | 'known'> {
  const { slot, id, environment, rail, currency, amount, story, transactionId, accountId, at } =
    item
  const booking = postWith(db, [suspensePosting(item)], () => ({
    known: db`
      select id as transaction_id from suspense_items where slot = ${slot} and id = ${id}
      union
      select id from rail_callbacks
      where slot = ${slot} and id = ${id} and finding = 'applied'`,
    recorded: db`
      insert into suspense_items (slot, id, environment, rail, currency, amount, story,
        transaction_id, account_id, created_at)
      select ${slot}, transaction_id, ${environment}, ${rail}, ${currency}, ${amount}, ${story},
        ${transactionId}, ${accountId}, ${at}
      from wanted
      returning id as transaction_id`,
  }))
  try {
    const [outcome] = await booking
    return outcome!.kind === 'recorded' ? 'booked' : 'known'
  } catch (error) {
    // Another one has booked the same in this very moment.
    if (isUniqueViolation(error)) return 'known'
    throw error
  }
}
