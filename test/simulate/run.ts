import type { Db } from '../../src/db/pool.ts'
import type { Reference } from '../../src/reference/reference.ts'
import type { Bugs } from './bugs.ts'
import { checkAlways, checkSettled } from './checks.ts'
import type { Fate, Fates, Mortal, Place } from './mortal.ts'
import { createApi, createWorker } from './node.ts'
import { settle } from './settle.ts'
import { createWorld } from './setup.ts'
import { takeStep } from './steps.ts'
import { storiesOf } from './story.ts'
import { type Counts, note, problem, type World } from './world.ts'

export type Run = { seed: number; steps: number; bugs?: Bugs }
export type Report = {
  seed: number
  counts: Counts
  problems: string[]
  trace: string[]
  stories: string[]
}

export const checkEvery = 1000
const apiCount = 2
const workerCount = 3
const maxDepth = 2
const leaseMs = 60_000

/** One seed from its first step to the end, on a database of its own. */
export async function runSeed(
  { db, reference }: { db: Db; reference: Reference },
  { seed, steps, bugs = {} }: Run,
): Promise<Report> {
  const world = await createWorld({ db, reference, seed, bugs })
  const fates = fatesOf(world)
  const replace = () => {
    fill(world.apis, apiCount, (turn) => createApi(world, `api ${turn}`, fates))
    fill(world.workers, workerCount, (turn) => createWorker(world, `worker ${turn}`, fates))
  }
  const { counts } = world
  for (let done = 0; done < steps && world.problems.length === 0; done++) {
    replace()
    await takeStep(world)
    if ((done + 1) % checkEvery === 0) await checkAlways(world)
  }
  world.calm = true
  replace()
  await checkAlways(world)
  if (world.problems.length === 0 && (await settle(world))) await checkSettled(world)
  const { problems, trace } = world
  return { seed, counts, problems, trace, stories: await storiesOf(world) }
}

/** What died is replaced: all it left behind is in the database. */
function fill<Node extends { process: Mortal }>(
  nodes: Node[],
  count: number,
  create: (turn: number) => Node,
): void {
  for (let turn = 0; turn < count; turn++) {
    if (!nodes[turn]?.process.isAlive()) nodes[turn] = create(turn)
  }
}

/** Where processes die, lose their connection or stand still while the others go on. */
function fatesOf(world: World): Fates {
  const { random } = world
  let depth = 0
  return {
    at(place, process): Fate {
      if (world.calm) return 'goes on'
      const mayStand = depth < maxDepth && place !== 'transaction' && !world.hasty.has(process)
      const fate = random.weighted<Fate>({
        'goes on': 97.5,
        dies: 0.5,
        'loses its connection': place === 'database' || place === 'transaction' ? 0.6 : 0,
        'stands still': mayStand ? 1.4 : 0,
      })
      if (fate !== 'goes on') note(world, `process ${fate}: ${place}`)
      return fate
    },
    async standStill(process: Mortal, place: Place) {
      world.standing.add(process)
      depth++
      try {
        // Long enough, now and then, for its leases to end.
        if (random.chance(0.4)) world.clock.advance(random.between(1, 5 * leaseMs))
        for (let others = random.between(1, 4); others > 0; others--) await takeStep(world)
      } catch (error) {
        problem(world, `while one stood still (${place}): ${String(error)}`)
      } finally {
        depth--
        world.standing.delete(process)
      }
    },
  }
}
