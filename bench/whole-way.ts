import { setTimeout as sleep } from 'node:timers/promises'
import { payoutRequests } from './http.ts'
import type { Figure } from './report.ts'
import { startReceivers } from './webhooks.ts'
import { startWorld, type World } from './world.ts'

/** Payouts are sent at this share of the ceiling: a bit more than the target asks for. */
const share = 0.12
const webhooksEach = 2

type Seen = { atMs: number; accepted: number; done: number; told: number }

/**
 * The whole way of payouts at a steady pace: accepted, submitted, settled, and both events
 * delivered. What counts is what came to its end, and that the rest does not pile up.
 */
export async function wholeWayBench(ceiling: Figure, seconds: number): Promise<Figure[]> {
  const receivers = await startReceivers(0)
  const world = await startWorld({
    ...{ accounts: 1000, role: 'all', webhookUrl: receivers.healthy },
    settings: { MALIPO_LOOPBACK_WEBHOOKS: 'on' },
  })
  try {
    const seen: Seen[] = []
    const plan = { connections: 64, seconds, perSecond: ceiling.value * share }
    let isOver = false
    const load = world.load({ ...plan, requests: payoutRequests(world) }).finally(() => {
      isOver = true
    })
    while (!isOver) {
      seen.push(await look(world, receivers.received()))
      await sleep(1000)
    }
    await load
    return figuresOf(seen, ceiling, seconds)
  } finally {
    await world.stop()
    await receivers.stop()
  }
}

async function look({ db }: World, told: number): Promise<Seen> {
  const [row] = await db<{ accepted: number; done: number }[]>`
    select count(*)::int as accepted, count(*) filter (where status = 'successful')::int as done
    from transactions`
  return { atMs: performance.now(), ...row!, told }
}

function figuresOf(seen: readonly Seen[], ceiling: Figure, seconds: number): Figure[] {
  const middle = seen[Math.floor(seen.length / 3)]!
  const last = seen.at(-1)!
  const passed = (last.atMs - middle.atMs) / 1000
  const finished = ({ done, told }: Seen) => Math.min(done, told / webhooksEach)
  const value = (finished(last) - finished(middle)) / passed
  const backlog = (at: Seen) => at.accepted - finished(at)
  const name = `whole way for ${seconds} s, both webhooks delivered`
  return [
    {
      ...{ number: '6', name, value, against: ceiling.name },
      ...{ ratio: value / ceiling.value, atLeast: 0.1 },
    },
    {
      ...{ number: '6', name: 'whole way: open at the end', value: backlog(last), unit: 'payouts' },
      ...{ against: 'open after a third of the time', ratio: backlog(last) / backlog(middle) },
      atMost: 1.5,
    },
  ]
}
