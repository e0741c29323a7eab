import type { Environment } from '../environment.ts'
import type { StoredNews } from './callbacks.ts'
import type { Charge } from './charge.ts'
import { applyHeard, type ChargeParts } from './outcomes.ts'
import { attemptOf } from './send.ts'
import { chargeColumns } from './store.ts'
import { bookSuspense } from './suspense.ts'

type PaidInto = Charge & { expiresAt: Date }

/**
 * Money came into a virtual account. The exact amount, once and in time, settles the charge.
 * Whatever else arrives is booked to suspense with its story: nothing that arrived vanishes.
 */
export async function handleArrival(parts: ChargeParts, news: StoredNews): Promise<string> {
  const charge = await findPaidInto(parts, news)
  const known = await noteArrival(parts, news, charge)
  if (known) return 'repeated'
  const story = storyOf(news, charge)
  if (story === undefined) {
    const said = { kind: 'succeeded', said: 'paid' }
    const finding = await applyHeard(parts, charge!, {
      event: 'succeeded',
      ...(news.reference === null ? {} : { reference: news.reference }),
      attempt: attemptOf(parts, charge!, 'callback', said, parts.clock.now()),
      callbackId: news.callbackId,
    })
    if (finding === 'applied') return finding
    // Somebody was quicker: another transfer has settled it, or it has failed.
    return keep(parts, news, charge, 'The charge was settled or over when it arrived.')
  }
  return keep(parts, news, charge, story)
}

async function findPaidInto(
  { db }: ChargeParts,
  { callbackRail, arrivalAccount }: StoredNews,
): Promise<PaidInto | undefined> {
  const [found] = await db<PaidInto[]>`
    select ${chargeColumns(db, 't')}, v.expires_at as "expiresAt"
    from virtual_accounts v
    join transactions t on t.slot = v.slot and t.id = v.transaction_id
    where v.rail = ${callbackRail} and v.account_number = ${arrivalAccount}`
  return found
}

/** Whether this arrival was told before. Its row is kept by the id of the callback that told it. */
async function noteArrival(
  { db }: ChargeParts,
  news: StoredNews,
  charge: PaidInto | undefined,
): Promise<boolean> {
  await db`
    insert into arrivals (slot, id, rail, key, account_number, amount, currency, transaction_id,
      finding, arrived_at)
    values (${news.callbackSlot}, ${news.callbackId}, ${news.callbackRail}, ${news.arrivalId},
      ${news.arrivalAccount}, ${news.newsAmount}, ${news.newsCurrency}, ${charge?.id ?? null},
      ${storyOf(news, charge) ?? 'settles the charge'}, ${news.receivedAt})
    on conflict do nothing`
  const [row] = await db<{ id: string }[]>`
    select id from arrivals where rail = ${news.callbackRail} and key = ${news.arrivalId}`
  return row?.id !== news.callbackId
}

/** Why the money cannot settle a charge; nothing where it can. */
function storyOf(news: StoredNews, charge: PaidInto | undefined): string | undefined {
  if (!charge) return `It came into the account ${news.arrivalAccount}, which nobody was given.`
  if (news.newsCurrency !== charge.currency) {
    return `It came in ${news.newsCurrency}; the charge is in ${charge.currency}.`
  }
  if (charge.state === 'succeeded') return 'It came after the charge had been paid.'
  if (news.receivedAt >= charge.expiresAt) return 'It came after the account had expired.'
  if (charge.state === 'failed') return 'It came after the charge had failed.'
  const difference = news.newsAmount! - charge.amount
  if (difference === 0n) return undefined
  return difference < 0n ? 'It is less than the charge.' : 'It is more than the charge.'
}

async function keep(
  parts: ChargeParts,
  news: StoredNews,
  charge: PaidInto | undefined,
  story: string,
): Promise<string> {
  const environment: Environment = charge?.environment ?? environmentOf(news.callbackRail)
  const outcome = await bookSuspense(parts.db, {
    ...{ slot: news.callbackSlot, id: news.callbackId, environment, rail: news.callbackRail },
    ...{ currency: news.newsCurrency!, amount: news.newsAmount!, story },
    transactionId: charge?.id ?? null,
    accountId: charge?.accountId ?? null,
    at: new Date(parts.clock.now()),
  })
  const finding = `in suspense: ${story}`
  if (outcome === 'booked') {
    await parts.db`
      update arrivals set finding = ${finding}
      where slot = ${news.callbackSlot} and id = ${news.callbackId}`
  }
  return finding
}

/** Money nobody can be asked about belongs to the environment its rail serves. */
function environmentOf(rail: string): Environment {
  return rail.startsWith('sandbox') ? 'sandbox' : 'live'
}
