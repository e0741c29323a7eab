import { setTimeout as delay } from 'node:timers/promises'
import type { ChaosDatabase } from './database.ts'
import type { Fleet, Member, Role } from './fleet.ts'
import { createRandom } from './random.ts'
import type { Fault, FaultKind } from './schedule.ts'

/** What was done, and what could not be: nobody was there to hit, or this machine forbids it. */
export type Injected = {
  done: Partial<Record<FaultKind, number>>
  skipped: Partial<Record<FaultKind, number>>
}

const patienceMs = 4000
const lookEveryMs = 100

type Ground = { fleet: Fleet; database: ChaosDatabase }

/** Lets the faults happen at their times, until the last or until it is told to end. */
export async function injectFaults(
  ground: Ground,
  schedule: readonly Fault[],
  signal: AbortSignal,
): Promise<Injected> {
  const injected: Injected = { done: {}, skipped: {} }
  const startMs = performance.now()
  const lasting: Promise<void>[] = []
  for (const fault of schedule) {
    const waitMs = fault.atMs - (performance.now() - startMs)
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) break
    const counted = (isDone: boolean) => {
      const counts = isDone ? injected.done : injected.skipped
      counts[fault.kind] = (counts[fault.kind] ?? 0) + 1
    }
    lasting.push(inject(ground, fault, signal).then(counted))
  }
  await Promise.all(lasting)
  return injected
}

async function inject(ground: Ground, fault: Fault, signal: AbortSignal): Promise<boolean> {
  const { database, fleet } = ground
  const { kind, target, forMs } = fault
  // Any moment is right for a kill, also that of a start.
  const running = (role: Role) => chosen(fleet, target, role, 'isRunning')
  const up = (role?: Role) => patiently(() => chosen(fleet, target, role, 'isUp'), signal)
  switch (kind) {
    case 'kill api':
      return running('api')?.kill(forMs) ?? false
    case 'kill worker':
      return running('worker')?.kill(forMs) ?? false
    case 'kill postgres':
      return database.end('SIGKILL', forMs)
    case 'shut postgres down':
      return database.end('SIGQUIT', forMs)
    case 'kill a backend':
      return (await patiently(() => database.killBackend(createRandom(target)), signal)) ?? false
    case 'cut database':
      return isHit((await up())?.toDatabase.cut())
    case 'lose database answers':
      return isHit((await up())?.toDatabase.loseAnswers())
    case 'stall database':
      return isHit((await up())?.toDatabase.stall(forMs))
    case 'swallow database':
      return isHit((await up())?.toDatabase.swallow())
    case 'cut callers':
      return isHit((await up('api'))?.toCallers.cut())
    case 'lose answers to callers':
      return isHit((await up('api'))?.toCallers.loseAnswers())
    case 'stall callers':
      return isHit((await up('api'))?.toCallers.stall(forMs))
    case 'pause api':
      return (await up('api'))?.hold(forMs) ?? false
    case 'pause worker':
    case 'pause past leases':
      return (await up('worker'))?.hold(forMs) ?? false
    case 'fill disk':
      return await fillDisk(database, forMs, signal)
  }
}

const isHit = (connections: number | undefined) => (connections ?? 0) > 0

/** The one that was drawn, or the next that is there. */
function chosen(
  { members }: Fleet,
  target: number,
  role: Role | undefined,
  state: 'isUp' | 'isRunning',
): Member | undefined {
  const fit = members.filter((member) => role === undefined || member.role === role)
  const start = target % fit.length
  const inTurn = [...fit.slice(start), ...fit.slice(0, start)]
  return inTurn.find((member) => member.isRunning() && member[state]())
}

/** Waits a while for something to hit: soon after a kill there may be nothing. */
async function patiently<Found>(
  find: () => Found | Promise<Found>,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const until = performance.now() + patienceMs
  while (!signal.aborted && performance.now() < until) {
    const found = await find()
    if (found) return found
    await delay(lookEveryMs)
  }
  return undefined
}

async function fillDisk(
  { volume }: ChaosDatabase,
  forMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (volume.kind === 'none') return false
  await volume.fill()
  await delay(forMs, undefined, { signal }).catch(() => {})
  await volume.free()
  return true
}
