import { isConnectionFault } from '../../src/db/faults.ts'
import { AppError } from '../../src/errors.ts'
import { rollUp } from '../../src/ledger/rollup.ts'
import * as clients from './clients.ts'
import { dead } from './mortal.ts'
import type { Api, Pass, Worker } from './node.ts'
import type { SimulatedRail } from './rail.ts'
import { note, problem, type World } from './world.ts'

/** One thing that happens. What it gives is for the trace. */
type Step = (world: World, api: Api) => Promise<string>

/** One pass of a worker; how much it did, or why it did not. */
export async function work(world: World, { process, passes }: Worker, pass: Pass) {
  try {
    const done = await process.live(passes[pass])
    return done === dead ? 'died' : String(done)
  } catch (error) {
    if (!isConnectionFault(error) && !(error instanceof AppError)) {
      problem(world, `the pass over ${pass} met a fault: ${String(error)}`)
    }
    return 'fault'
  }
}

/** The oldest news of a rail is brought to the service, and again until it was received. */
export async function bringNews(world: World, api: Api, from: SimulatedRail): Promise<string> {
  from.tick()
  const index = from.outbox.findIndex(({ dueMs }) => dueMs <= world.clock.now())
  if (index < 0) return 'no news'
  const news = from.outbox[index]!
  try {
    const received = await api.process.live(() =>
      api.payouts.receiveCallback(from.rail.name, news.message),
    )
    if (received === dead) return 'died'
  } catch (error) {
    if (isConnectionFault(error) || error instanceof AppError) return 'fault'
    problem(world, `news met a fault: ${String(error)}`)
  }
  // Somebody else may have brought the same news meanwhile.
  const place = from.outbox.indexOf(news)
  if (place >= 0) from.outbox.splice(place, 1)
  return 'received'
}

const secondMs = 1000
const hourMs = 3_600_000

/** How often each thing happens, beside each other. */
const workSteps: Record<Pass, number> = {
  ...{ payouts: 12, charges: 10, 'payout news': 7, 'charge news': 7, deliveries: 14 },
}

const steps: Record<string, { weight: number; run: Step }> = {
  payout: { weight: 14, run: (world, api) => clients.askAnew(world, api, 'payout') },
  momo: { weight: 8, run: (world, api) => clients.askAnew(world, api, 'momo') },
  card: { weight: 6, run: (world, api) => clients.askAnew(world, api, 'card') },
  bank: { weight: 5, run: (world, api) => clients.askAnew(world, api, 'bank') },
  repeat: { weight: 8, run: clients.repeat },
  'repeat changed': { weight: 4, run: clients.repeatChanged },
  authorise: { weight: 9, run: clients.authorise },
  simulate: { weight: 2, run: clients.simulate },
  read: { weight: 6, run: clients.read },
  pry: { weight: 3, run: clients.pry },
  resend: { weight: 2, run: clients.resend },
  'bring news': {
    weight: 18,
    run: (world, api) => bringNews(world, api, world.random.pick(world.rails)),
  },
  'pay in': customer('pay in', 6, ({ customers }) => customers.payIn()),
  'confirm page': customer('confirm page', 3, ({ customers }) => customers.confirmPage()),
  'roll up': { weight: 1, run: ({ db }) => rollUp(db, 0).then(() => 'done') },
  'rail goes or comes': { weight: 2, run: toggleRail },
  'receiver goes or comes': { weight: 2, run: toggleReceiver },
  'time passes': { weight: 14, run: jump('time passes', 1, 30 * secondMs) },
  'clock jumps': { weight: 2, run: jump('clock jumps', 60 * secondMs, hourMs) },
  'clock goes back': { weight: 1, run: jump('clock goes back', -2 * secondMs, -1) },
}

const weights: Record<string, number> = {
  ...Object.fromEntries(Object.entries(steps).map(([name, { weight }]) => [name, weight])),
  ...workSteps,
}

/** The next thing that happens, to whom chance decides. */
export async function takeStep(world: World): Promise<void> {
  const { random, counts, clock } = world
  counts.steps++
  clock.advance(random.int(secondMs / 2))
  const name = random.weighted(weights)
  const isWork = Object.hasOwn(workSteps, name)
  const awake = (isWork ? world.workers : world.apis).filter(
    ({ process }) => process.isAlive() && !world.standing.has(process),
  )
  if (awake.length === 0) return
  const one = random.pick<Api | Worker>(awake)
  const outcome =
    'passes' in one ? await work(world, one, name as Pass) : await steps[name]!.run(world, one)
  world.trace.push(`${counts.steps} ${clock.now()} ${one.process.name} ${name}: ${outcome}`)
}

function customer(
  name: string,
  weight: number,
  act: (rail: SimulatedRail) => boolean,
): (typeof steps)[string] {
  const run: Step = async ({ rails, random }) => (act(random.pick(rails)) ? name : 'nobody')
  return { weight, run }
}

async function toggleRail(world: World): Promise<string> {
  const rail = world.random.pick(world.rails)
  rail.setDown(!rail.isDown())
  if (rail.isDown()) note(world, 'rail down')
  return rail.isDown() ? 'down' : 'up'
}

async function toggleReceiver(world: World): Promise<string> {
  const { origin } = world.random.pick(world.merchants)
  const isAway = world.receivers.toggle(origin)
  if (isAway) note(world, 'receiver away')
  return isAway ? 'away' : 'back'
}

function jump(name: string, fromMs: number, toMs: number): Step {
  return async (world) => {
    world.clock.advance(world.random.between(fromMs, toMs))
    if (name !== 'time passes') note(world, name)
    return 'done'
  }
}
