import { manualClock } from '../../src/clock.ts'
import type { Db } from '../../src/db/pool.ts'
import { slotCount } from '../../src/ids.ts'
import { postTransfers } from '../../src/ledger/post.ts'
import { openWallet } from '../../src/ledger/wallets.ts'
import type { RailRoute } from '../../src/rails/rail.ts'
import type { Reference } from '../../src/reference/reference.ts'
import { createSeal } from '../../src/seal.ts'
import { secretPurpose } from '../../src/webhooks/endpoints.ts'
import type { Bugs } from './bugs.ts'
import { seededIds } from './ids.ts'
import { createSimulatedRail } from './rail.ts'
import { createRandom } from './random.ts'
import { movingRates } from './rates.ts'
import { createReceivers } from './receivers.ts'
import { type Merchant, note, type World } from './world.ts'

const startMs = Date.UTC(2040, 0, 1)
const merchantCount = 4
const seal = createSeal([Buffer.alloc(32, 5)])
const wallets = [
  { currency: 'KES', country: 'KE' },
  { currency: 'UGX', country: 'UG' },
]
const maxMinor = 10n ** 12n

const route = (direction: RailRoute['direction'], method: RailRoute['method'], place: Place) => ({
  ...{ direction, method, ...place, minMinor: 1n, maxMinor },
})
type Place = (typeof wallets)[number]

/** Both pay out everywhere, so that one stands in for the other; each collects one currency. */
function routesOf(turn: number): RailRoute[] {
  const [kenya, uganda] = wallets as [Place, Place]
  const own = turn === 0 ? kenya : uganda
  return [
    ...[kenya, uganda].map((place) => route('payout', 'momo', place)),
    ...(['momo', 'card'] as const).map((method) => route('charge', method, own)),
    ...(turn === 0 ? [route('charge', 'bank', kenya)] : []),
  ]
}

export async function createWorld(given: {
  db: Db
  reference: Reference
  seed: number
  bugs: Bugs
}): Promise<World> {
  const { seed } = given
  const random = createRandom(seed)
  const clock = manualClock(startMs)
  const common = {
    ...{ random, clock },
    isCalm: () => world.calm,
    note: (fault: string) => note(world, fault),
  }
  const world: World = {
    ...{ ...given, random, clock, seal, ids: seededIds(clock, random) },
    rates: movingRates(random, () => world.calm),
    rails: ['sandbox-one', 'sandbox-two'].map((name, turn) =>
      createSimulatedRail({ ...common, name, routes: routesOf(turn) }),
    ),
    receivers: createReceivers(common),
    ...{ merchants: [], apis: [], workers: [], standing: new Set(), simulated: new Set() },
    ...{ unordered: new Set(), delivered: new Set(), hasty: new Set() },
    ...{ calm: false, problems: [], trace: [] },
    counts: { steps: 0, requests: 0, accepted: 0, checks: 0, deliveries: 0, faults: {} },
  }
  for (let turn = 0; turn < merchantCount; turn++) {
    world.merchants.push(await openMerchant(world, turn))
  }
  return world
}

async function openMerchant(world: World, turn: number): Promise<Merchant> {
  const { db, ids, random } = world
  // The first two share a slot: what keeps them apart is the account.
  const slot = turn < 2 ? 7 : random.int(slotCount)
  const merchantId = ids.next(0)
  const accountId = ids.next(slot)
  const origin = `https://shop-${turn}.example`
  const environment = 'sandbox' as const
  await db`
    insert into merchants (id, name, first_name, last_name, email)
    values (${merchantId}, ${`Shop ${turn}`}, 'Amina', 'Otieno', ${`owner-${turn}@shop.example`})`
  await db`
    insert into accounts (id, slot, merchant_id, environment, webhook_url)
    values (${accountId}, ${slot}, ${merchantId}, ${environment}, ${`${origin}/hook`})`
  const secret = seal.seal(Buffer.from(`whsec_${'A'.repeat(32)}`), secretPurpose)
  await db`
    insert into webhook_secrets (id, account_id, secret_sealed)
    values (${ids.next(slot)}, ${accountId}, ${secret})`
  const owner = { accountId, slot, environment, timeZone: 'UTC' }
  for (const scope of wallets) {
    const { id: walletId } = await openWallet(db, ids, owner, scope)
    const amount = BigInt(random.between(100_000, 5_000_000))
    const funds = { step: 'funds', debit: 'funding', credit: 'wallet', amount } as const
    const transfers = [{ ...funds, currency: scope.currency, walletId }]
    await postTransfers(db, [{ slot, transactionId: ids.next(slot), environment, transfers }])
  }
  return { owner, origin, requests: [] }
}
