import { checkLedger } from '../src/ledger/check.ts'
import { compared, type Figure, median } from './report.ts'
import type { LoadResult, World } from './world.ts'

type Requests = Parameters<World['load']>[0]['requests']

export type Options = { rounds: number; secondsPerRound: number }

const payoutBody = JSON.stringify({
  ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo' },
  externalReference: 'bench-$N',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '254700000000' },
})
const chargeBody = JSON.stringify({
  ...{ amount: 10, currency: 'KES', phoneNumber: '+254700000000' },
  externalReference: 'bench-$N',
})

const posts = (path: string, body: string, tokens: readonly string[]): Requests =>
  tokens.map((token) => ({ method: 'POST', path: `/api/b2b${path}`, token, body }))
export const gets = (path: string, tokens: readonly string[]): Requests =>
  tokens.map((token) => ({ method: 'GET', path: `/api/b2b${path}`, token }))

export const ceilingRequests = ({ tokens }: World) => posts('/bench/ceiling', payoutBody, tokens)
export const payoutRequests = ({ tokens }: World) => posts('/fiat/payout', payoutBody, tokens)
const hotRequests = ({ tokens }: World) => posts('/fiat/payout', payoutBody, tokens.slice(0, 1))
const chargeRequests = ({ tokens }: World) => posts('/fiat/deposit/momo', chargeBody, tokens)

/** Runs every case in every round, so that a slow minute of the machine meets them all alike. */
export async function interleaved(cases: readonly Case[], rounds: number): Promise<Figure[]> {
  const seen = cases.map(() => [] as number[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, run]] of cases.entries()) seen[index]!.push(await run())
  }
  return cases.map(([name], index) => ({ name, value: median(seen[index]!) }))
}

/**
 * The service as its callers meet it, over HTTP, in a process of its own and with its defaults:
 * durable commits, logging and metrics on. Only the rate limits are lifted.
 */
export async function httpBench(
  { empty: world, lone, full }: { empty: World; lone?: World; full: World },
  { rounds, secondsPerRound: seconds }: Options,
  connections: number,
): Promise<Figure[]> {
  const { tokens } = world
  const rate = (on: World, requests: Requests) => async () =>
    (await on.load({ connections, seconds, requests })).perSecond
  const at = `, ${connections} connections`
  const [ceiling, spread, hot, charges, read, list, loneSpread, loneHot] = await interleaved(
    [
      [`ceiling: the payout without a database${at}`, rate(world, ceilingRequests(world))],
      [`payouts accepted, 1,000 wallets${at}`, rate(world, payoutRequests(world))],
      [`payouts accepted, one wallet${at}`, rate(world, hotRequests(world))],
      [`mobile money charges accepted${at}`, rate(world, chargeRequests(world))],
      [
        `single transaction read${at}`,
        rate(full, gets('/transactions/history-1', full.tokens.slice(1, 2))),
      ],
      [`reference list (countries)${at}`, rate(world, gets('/utilities/countries', tokens))],
      ...(lone ? loneCases(rate, lone, at) : []),
    ],
    rounds,
  )
  return [
    { ...ceiling!, number: '1' },
    { ...compared(spread!, ceiling!, 0.6), number: '2' },
    { ...compared(hot!, spread!, 0.95), number: '3' },
    ...(loneSpread && loneHot
      ? [
          { ...loneSpread, number: '4' },
          { ...compared(spread!, loneSpread, 2.5), number: '4' },
          { ...loneHot, number: '4' },
          { ...compared(hot!, loneHot, 4), number: '4' },
        ]
      : []),
    { ...compared(charges!, ceiling!, 0.6), number: '5' },
    { ...compared(read!, ceiling!, 0.5), number: '8' },
    compared(list!, ceiling!, 0.7),
  ]
}

type Case = [name: string, run: () => Promise<number>]

/** The same without groups: every request has a commit of its own. */
const loneCases = (
  rate: (on: World, requests: Requests) => () => Promise<number>,
  lone: World,
  at: string,
): Case[] => [
  [`payouts, batches of one, 1,000 wallets${at}`, rate(lone, payoutRequests(lone))],
  [`payouts, batches of one, one wallet${at}`, rate(lone, hotRequests(lone))],
]

/** Latency at half of what the payouts reach, against the ceiling at the same pace. */
export async function latencyBench(
  world: World,
  { rounds, secondsPerRound: seconds }: Options,
  payoutsPerSecond: number,
): Promise<Figure[]> {
  const pace = payoutsPerSecond / 2
  const connections = 64
  const seen: { ceiling: LoadResult[]; payouts: LoadResult[] } = { ceiling: [], payouts: [] }
  for (let round = 0; round < rounds; round++) {
    const plan = { connections, seconds, perSecond: pace }
    seen.ceiling.push(await world.load({ ...plan, requests: ceilingRequests(world) }))
    seen.payouts.push(await world.load({ ...plan, requests: payoutRequests(world) }))
  }
  const at = `, at ${Math.floor(pace).toLocaleString('en')} a second`
  const base = {
    name: `p50 of the ceiling${at}`,
    value: median(seen.ceiling.map(({ p50Ms }) => p50Ms)),
    unit: 'ms',
  }
  const p99 = median(seen.payouts.map(({ p99Ms }) => p99Ms))
  const p50 = median(seen.payouts.map(({ p50Ms }) => p50Ms))
  return [
    { number: '9', ...base },
    { number: '9', name: `p50 of payouts${at}`, value: p50, unit: 'ms' },
    {
      ...{ number: '9', name: `p99 of payouts${at}`, value: p99, unit: 'ms' },
      ...{ against: base.name, ratio: p99 / base.value, atMost: 10 },
    },
  ]
}

/** The memory of the service under payouts, seen every second. */
export async function memoryBench(
  world: World,
  readRssMb: () => number,
  seconds: number,
): Promise<Figure[]> {
  const seen: number[] = []
  const timer = setInterval(() => seen.push(readRssMb()), 1000)
  await world.load({ connections: 64, seconds, requests: payoutRequests(world) })
  clearInterval(timer)
  const third = Math.floor(seen.length / 3)
  const [middle, last] = [median(seen.slice(third, 2 * third)), median(seen.slice(2 * third))]
  const name = `memory under payouts for ${seconds} s`
  return [
    { number: '11', name: `${name}, most`, value: Math.max(...seen), unit: 'MB', atMost: 300 },
    {
      ...{ number: '11', name: `${name}, last third`, value: last, unit: 'MB' },
      ...{ against: 'the third before', ratio: last / middle, atMost: 1.1 },
    },
  ]
}

export async function assertLedger({ db }: World): Promise<void> {
  const { problems } = await checkLedger(db)
  if (problems.length > 0) throw new Error(`the ledger is wrong: ${problems.join('; ')}`)
}
