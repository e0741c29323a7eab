import { slotOf } from '../../src/ids.ts'
import type { Settlement } from '../../src/payouts/store.ts'
import type { Bugs } from './bugs.ts'
import type { Mortal } from './mortal.ts'

/** A mistake, what the simulation says of it, and a seed from which it is soon found. */
export type Planted = { title: string; bugs: Bugs; found: RegExp; from: number }

export const planted: readonly Planted[] = [
  {
    title: 'a rail client that sends again under a new key after a timeout',
    found: /that is not ours|money left/,
    from: 2,
    bugs: {
      rail(rail, { ids }) {
        const { create, lookup } = rail.payouts!
        const twice: typeof create = (order, signal) =>
          create(order, signal).catch(() =>
            create({ ...order, key: ids.next(slotOf(order.key)!) }, signal),
          )
        return { ...rail, payouts: { create: twice, lookup } }
      },
    },
  },
  {
    title: 'a rail whose "never heard of it" is believed at once',
    found: /money left|not paid|paid/,
    from: 35,
    bugs: {
      rail: (rail) => ({ ...rail, promises: { ...rail.promises, unknownIsFinalAfterMs: 0 } }),
    },
  },
  {
    title: 'a callback that is believed although its amount is another',
    found: /is (succeeded|failed) at|collected at its rail/,
    from: 10,
    bugs: {
      rail(rail) {
        const { verify, translate } = rail.callbacks!
        const trusting: typeof translate = (message) => {
          const { amount, currency, ...news } = translate(message)
          return news.arrival ? { ...news, amount: amount!, currency: currency! } : news
        }
        return { ...rail, callbacks: { verify, translate: trusting } }
      },
    },
  },
  {
    title: 'a failed payout whose held money stays where it is',
    found: /holds|disagree/,
    from: 1,
    bugs: {
      payoutWriter: (writer, process) => ({
        ...writer,
        settle: (step) => (step.to === 'failed' ? failOnly(process, step) : writer.settle(step)),
      }),
    },
  },
  {
    title: 'an outcome without its event',
    found: /was not told|has not arrived/,
    from: 1,
    bugs: {
      payoutWriter: (writer, { db }) => ({
        ...writer,
        async settle(step) {
          const written = await writer.settle(step)
          await db`delete from webhooks where slot = ${step.payout.slot} and id = ${step.event.id}`
          return written
        },
      }),
    },
  },
  {
    title: 'the result of a delivery that is written although the lease is gone',
    found: /although it has arrived/,
    from: 2,
    bugs: {
      results: (results, { db }) => ({
        ...results,
        async submit(result) {
          const { delivery, status, nextDueMs } = result
          const applied = await results.submit(result)
          await db`
            update webhooks set status = ${status}, leased_until = null,
              due_at = ${nextDueMs === null ? null : new Date(nextDueMs)}
            where slot = ${delivery.slot} and id = ${delivery.id}`
          return applied
        },
      }),
    },
  },
  {
    title: 'an event that goes to another merchant',
    found: /is not its own/,
    from: 1,
    bugs: {
      endpoints: (endpoints, { merchants }) => ({
        ...endpoints,
        async find(accountIds) {
          const found = await endpoints.find(accountIds)
          const first = found.get(merchants[0]!.owner.accountId)
          const second = found.get(merchants[1]!.owner.accountId)
          if (first && second) found.set(second.accountId, { ...second, target: first.target })
          return found
        },
        peek: () => undefined,
      }),
    },
  },
]

/** All of a failure but the money. */
async function failOnly({ db }: Mortal, step: Settlement): Promise<boolean> {
  const { payout, from, event } = step
  const rows = await db`
    with failed as (
      update transactions set state = 'failed', status = 'failed', sequence = sequence + 1,
        due_at = null, leased_until = null
      where slot = ${payout.slot} and id = ${payout.id} and state = ${from}
      returning slot, account_id, sequence
    )
    insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
      created_at)
    select slot, ${event.id}, account_id, ${payout.id}, sequence, ${event.event},
      ${db.json(event.data)}, ${payout.createdAt}, ${payout.createdAt}
    from failed returning id`
  return rows.length > 0
}
