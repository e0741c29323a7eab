import type { Seen } from './checks.ts'
import type { SimulatedRail } from './rail.ts'
import { problem, type World } from './world.ts'

/** Our view of the rails against their own books. */

type ById = ReadonlyMap<string, Seen>

/** Money leaves under a key once, from one rail, for a payout of ours. */
export function paidOnce(world: World, seen: ById): void {
  const movedBy = new Map<string, number>()
  for (const { rail, book } of world.rails) {
    for (const [key, { moved, order }] of book.payouts) {
      movedBy.set(key, (movedBy.get(key) ?? 0) + moved)
      const ours = seen.get(key)
      if (ours?.kind !== 'payout')
        problem(world, `${rail.name} has a payout ${key} that is not ours`)
      else if (ours.amount !== order.amount || ours.currency !== order.currency) {
        problem(world, `${rail.name} has another amount for ${key}`)
      }
    }
  }
  for (const [key, moved] of movedBy) {
    if (moved > 1) problem(world, `money left ${moved} times for payout ${key}`)
  }
}

/** Everything a rail did is in our books, and nothing that it did not. */
export async function booksOfRails(world: World, seen: ById): Promise<void> {
  for (const ours of seen.values()) {
    if (world.simulated.has(ours.id)) continue
    if (ours.kind === 'payout') payoutAgrees(world, ours, seen)
    if (ours.kind === 'charge' && ours.method !== 'bank') await chargeAgrees(world, ours)
  }
  for (const rail of world.rails) await arrivalsAgree(world, rail)
  await sumsAgree(world, seen)
  await liesAreKept(world)
}

function payoutAgrees(world: World, ours: Seen, seen: ById): void {
  for (const { rail, book } of world.rails) {
    const entry = book.payouts.get(ours.id)
    if (entry?.lies) continue
    const isOurs = ours.state === 'succeeded' && ours.rail === rail.name
    const isTheirs = (entry?.moved ?? 0) > 0
    if (isOurs !== isTheirs) {
      const theirs = isTheirs ? 'paid' : 'not paid'
      problem(world, `payout ${ours.id} is ${ours.state} at ${ours.rail}; ${rail.name}: ${theirs}`)
    }
    const isReturned = [...seen.values()].some(({ linkedId }) => linkedId === ours.id)
    if (isTheirs && isReturned !== entry!.isReversed) {
      problem(world, `payout ${ours.id} was given back at one side only`)
    }
  }
}

async function chargeAgrees(world: World, ours: Seen): Promise<void> {
  const { book } = world.rails.find(({ rail }) => rail.name === ours.rail)!
  const entry = book.charges.get(ours.id)
  const isCollected = (entry?.collected ?? 0) > 0
  if (entry?.lies && !isCollected) return
  const [late] = await world.db<{ amount: bigint }[]>`
    select amount from suspense_items where id = ${ours.id}`
  const hasHome = ours.state === 'succeeded' || late?.amount === ours.amount
  if (isCollected !== hasHome || (ours.state === 'succeeded' && late)) {
    const theirs = isCollected ? 'collected' : 'not collected'
    const kept = late ? `${late.amount} in suspense` : 'nothing in suspense'
    problem(world, `charge ${ours.id} is ${ours.state}, ${theirs} at its rail, ${kept}`)
  }
}

/** Each arrival has settled a charge or is in suspense, with its whole amount. */
async function arrivalsAgree(world: World, { rail, book }: SimulatedRail): Promise<void> {
  const rows = await world.db<{ key: string; settled: bigint | null; kept: bigint | null }[]>`
    select a.key, case when c.finding = 'applied' then t.amount end as settled, s.amount as kept
    from arrivals a
    join rail_callbacks c on c.slot = a.slot and c.id = a.id
    left join transactions t on t.id = a.transaction_id
    left join suspense_items s on s.slot = a.slot and s.id = a.id
    where a.rail = ${rail.name}`
  const known = new Map(rows.map((row) => [row.key, row]))
  if (known.size !== book.arrivals.size) {
    problem(world, `${rail.name} told of ${book.arrivals.size} arrivals, we know ${known.size}`)
  }
  for (const { id, amount } of book.arrivals.values()) {
    const { settled, kept } = known.get(id) ?? { settled: null, kept: null }
    if ((settled ?? 0n) + (kept ?? 0n) !== amount || (settled !== null && kept !== null)) {
      problem(world, `arrival ${id} of ${amount}: settled ${settled}, in suspense ${kept}`)
    }
  }
}

/** The account of each rail in the ledger is what the rail would answer if asked. */
async function sumsAgree(world: World, seen: ById): Promise<void> {
  const rows = await world.db<{ id: string; account: string; currency: string; sum: bigint }[]>`
    select transaction_id as id, currency,
      case when credit like 'rail:%' then credit else debit end as account,
      sum(case when credit like 'rail:%' then amount else -amount end)::bigint as sum
    from transfers where credit like 'rail:%' or debit like 'rail:%'
    group by 1, 2, 3`
  for (const { rail, book } of world.rails) {
    for (const currency of ['KES', 'UGX']) {
      const ours = rows
        .filter((row) => row.account === `rail:${rail.name}` && row.currency === currency)
        .filter(({ id }) => isJudged(world, seen.get(id)?.linkedId ?? id))
        .reduce((sum, row) => sum + row.sum, 0n)
      const theirs = sumOf(world, book, currency)
      if (ours !== theirs) problem(world, `${rail.name} ${currency}: we say ${ours}, it ${theirs}`)
    }
  }
}

function sumOf(world: World, book: SimulatedRail['book'], currency: string): bigint {
  const paid = [...book.payouts].map(([key, { order, moved, isReversed }]) => ({
    ...{ key, currency: order.currency, amount: isReversed ? 0n : order.amount * BigInt(moved) },
  }))
  const collected = [...book.charges].map(([key, { order, collected: times }]) => ({
    ...{ key, currency: order.currency, amount: -order.amount * BigInt(times) },
  }))
  const arrived = [...book.arrivals].map(([key, arrival]) => ({
    ...{ key, currency: arrival.currency, amount: -arrival.amount },
  }))
  return [...paid, ...collected, ...arrived]
    .filter((each) => each.currency === currency && isJudged(world, each.key))
    .reduce((sum, { amount }) => sum + amount, 0n)
}

/** What a client has played, or a rail has lied about, cannot agree. */
function isJudged(world: World, key: string): boolean {
  if (world.simulated.has(key)) return false
  return !world.rails.some(({ book }) => {
    const charge = book.charges.get(key)
    return book.payouts.get(key)?.lies || (charge?.lies && charge.collected === 0)
  })
}

/** Where a rail contradicts itself the operator can see it. */
async function liesAreKept(world: World): Promise<void> {
  const rows = await world.db<{ key: string }[]>`
    select distinct transaction_id as key from rail_callbacks where finding like 'contradiction%'`
  const kept = new Set(rows.map(({ key }) => key))
  for (const { book } of world.rails) {
    for (const [key, { lies }] of book.payouts) {
      if (lies && !kept.has(key)) problem(world, `nobody is told that ${key} was contradicted`)
    }
  }
}
