import type { Db } from '../db/pool.ts'
import type { Environment } from '../environment.ts'
import { postWith } from '../ledger/post.ts'
import { suspensePosting } from './postings.ts'

/** Money that came in and settles nothing, with what is known about it. */
export type NewSuspense = {
  slot: number
  /** The id of what brought the news of it: the same news again adds nothing. */
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

/** Books it from the rail to suspense, with its story, once. */
export async function bookSuspense(db: Db, item: NewSuspense): Promise<'booked' | 'known'> {
  const { slot, id, environment, rail, currency, amount, story, transactionId, accountId, at } =
    item
  const [outcome] = await postWith(db, [suspensePosting(item)], () => ({
    known: db`
      select id as transaction_id from suspense_items where slot = ${slot} and id = ${id}`,
    recorded: db`
      insert into suspense_items (slot, id, environment, rail, currency, amount, story,
        transaction_id, account_id, created_at)
      select ${slot}, transaction_id, ${environment}, ${rail}, ${currency}, ${amount}, ${story},
        ${transactionId}, ${accountId}, ${at}
      from wanted
      returning id as transaction_id`,
  }))
  return outcome!.kind === 'recorded' ? 'booked' : 'known'
}
