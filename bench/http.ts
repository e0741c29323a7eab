import { checkLedger } from '../src/ledger/check.ts'
import { type Figure, median } from './report.ts'
import { startWorld, type World } from './world.ts'

type Options = { rounds: number; secondsPerRound: number; connections: number }
type Requests = Parameters<World['load']>[0]['requests']
type Case = { name: string; target?: number; requests(world: World): Requests }

const payoutBody = JSON.stringify({
  ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo' },
  externalReference: 'bench-$N',
  payoutMethod: { accountName: 'Amina Otieno', accountNumber: '254700000003' },
})
const chargeBody = JSON.stringify({
  ...{ amount: 10, currency: 'KES', phoneNumber: '+254700000003' },
  externalReference: 'bench-$N',
})

const posts = (path: string, body: string, tokens: readonly string[]): Requests =>
  tokens.map((token) => ({ method: 'POST', path: `/api/b2b${path}`, token, body }))
const gets = (path: string, tokens: readonly string[]): Requests =>
  tokens.map((token) => ({ method: 'GET', path: `/api/b2b${path}`, token }))

const yardstick = 'ceiling: the payout without a database'

/** Against the yardstick: the same server and answer, and no database. */
const cases: Case[] = [
  { name: yardstick, requests: ({ tokens }) => posts('/bench/ceiling', payoutBody, tokens) },
  {
    name: 'payouts accepted, 1,000 wallets',
    target: 0.6,
    requests: ({ tokens }) => posts('/fiat/payout', payoutBody, tokens),
  },
  {
    name: 'payouts accepted, one wallet',
    target: 0.6,
    requests: ({ tokens }) => posts('/fiat/payout', payoutBody, tokens.slice(0, 1)),
  },
  {
    name: 'mobile money charges accepted',
    target: 0.6,
    requests: ({ tokens }) => posts('/fiat/deposit/momo', chargeBody, tokens),
  },
  {
    name: 'transactions list, first page',
    target: 0.5,
    requests: ({ tokens }) => gets('/transactions?limit=10', tokens.slice(0, 1)),
  },
  {
    name: 'reference list (countries)',
    target: 0.7,
    requests: ({ tokens }) => gets('/utilities/countries', tokens),
  },
]

/**
 * The service as its callers meet it, over HTTP, in a process of its own and with its defaults:
 * durable commits, logging and metrics on. Only the rate limits are lifted.
 */
export async function httpBench(options: Options): Promise<Figure[]> {
  const world = await startWorld({ accounts: 1000, role: 'api' })
  const seen = new Map<string, number[]>(cases.map(({ name }) => [name, []]))
  try {
    const { connections, secondsPerRound: seconds } = options
    for (let round = 0; round < options.rounds; round++) {
      for (const { name, requests } of cases) {
        const plan = { connections, seconds, requests: requests(world) }
        seen.get(name)!.push((await world.load(plan)).perSecond)
      }
    }
    const { problems } = await checkLedger(world.db)
    if (problems.length > 0) throw new Error(`the ledger is wrong: ${problems.join('; ')}`)
  } finally {
    await world.stop()
  }
  const ceiling = median(seen.get(yardstick)!)
  return cases.map(({ name, target }) => {
    const perSecond = median(seen.get(name)!)
    return target === undefined
      ? { name, perSecond }
      : { name, perSecond, against: 'the ceiling', ratio: perSecond / ceiling, target }
  })
}
