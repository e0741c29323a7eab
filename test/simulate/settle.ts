import { resumeDelivery } from '../../src/webhooks/pauses.ts'
import { passNames } from './node.ts'
import { bringNews, work } from './steps.ts'
import { problem, type World } from './world.ts'

const maxRounds = 400
/** What is due at nearly the same time is done in one go. */
const togetherMs = 20_000

/** Without faults, and with as much time as it takes, everything comes to its end. */
export async function settle(world: World): Promise<boolean> {
  for (const rail of world.rails) rail.setDown(false)
  world.receivers.restore()
  for (let round = 0; round < maxRounds; round++) {
    const done = await workOnce(world)
    if (done === 0 && !(await wait(world)) && !(await resume(world))) return true
    if (world.problems.length > 0) return false
  }
  problem(world, `there is no end to what is due:\n${(await openRows(world)).join('\n')}`)
  return false
}

async function workOnce(world: World): Promise<number> {
  let done = 0
  for (const rail of world.rails) {
    while ((await bringNews(world, world.apis[0]!, rail)) === 'received') done++
  }
  for (const name of passNames) done += Number(await work(world, world.workers[0]!, name)) || 0
  return done
}

/** Goes on to the next moment at which something is due; says whether there is one. */
async function wait({ db, clock, rails }: World): Promise<boolean> {
  const [next] = await db<{ due: Date | null }[]>`
    select least((select min(due_at) from transactions),
      (select min(greatest(due_at, leased_until)) from webhooks where due_at is not null)) as due`
  const moments = rails.flatMap(({ outbox, book }) => [
    ...outbox.map(({ dueMs }) => dueMs),
    ...[...book.payouts.values(), ...book.charges.values()].map(({ settlesAtMs }) => settlesAtMs),
  ])
  const nextMs = Math.min(next?.due?.getTime() ?? Number.POSITIVE_INFINITY, ...moments)
  if (nextMs === Number.POSITIVE_INFINITY) return false
  clock.advance(Math.max(0, nextMs - clock.now()) + togetherMs)
  return true
}

/** An operator ends the pauses, and sends again what was given up. */
async function resume({ db, merchants, clock, unordered }: World): Promise<boolean> {
  const rows = await db<{ id: string }[]>`
    select transaction_id as id from webhooks
    where status = 'FAILED' or status = 'CREATED' and due_at is null`
  let isMore = false
  for (const { owner } of merchants) {
    const account = { id: owner.accountId, slot: owner.slot }
    const count = await resumeDelivery(db, account, new Date(0))
    if (count === 0) continue
    isMore = true
    for (const { id } of rows) unordered.add(id)
    await db`update webhooks set due_at = ${new Date(clock.now())} where due_at is not null`
  }
  return isMore
}

async function openRows({ db }: World): Promise<string[]> {
  const rows = await db<{ line: string }[]>`
    select concat_ws(' ', kind, method, id, state, 'due', due_at) as line
    from transactions where status = 'pending'
    union all select concat_ws(' ', 'event', id, status, 'due', due_at, 'leased', leased_until)
    from webhooks where due_at is not null limit 20`
  return rows.map(({ line }) => line)
}
