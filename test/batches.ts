import type { Actor, Batch, BatchKey, PlacedError } from '../src/batches/batch.ts'
import { makePerson } from './dashboard.ts'
import type { World } from './payout-world.ts'

export const header = 'reference,amount,currency,country,destination,accountName,accountNumber'

/** A file of payouts to Kenyan phones: a reference, an amount, and how the number ends. */
export function fileOf(lines: readonly (readonly [string, string, string])[]): string {
  const texts = lines.map(
    ([reference, amount, suffix]) =>
      `${reference},${amount},KES,KE,MoMo,Amina Otieno,+254700000${suffix}`,
  )
  return `${[header, ...texts].join('\n')}\n`
}

/** So many lines of ten shillings that are all paid. */
export function longFile(count: number, prefix = 'long'): string {
  return fileOf(Array.from({ length: count }, (_, at) => [`${prefix}-${at}`, '10', '000']))
}

export async function makeActor({ db, node, account }: World): Promise<Actor> {
  const { merchantId } = account
  const { personId } = await makePerson({ db, ids: node.ids }, { merchantId, role: 'finance' })
  return { personId, name: `Person ${personId.slice(-4)}` }
}

export async function makeBatch(
  { node, account }: World,
  actor: Actor,
  csv: string,
): Promise<{ key: BatchKey; batch: Batch; errors: PlacedError[] }> {
  const { id: accountId, slot, environment } = account
  const owner = { accountId, slot, environment, feePlan: [] }
  const { batch, errors } = await node.batches.create(owner, actor, { name: 'Salaries', csv })
  return { key: { slot, accountId, id: batch.id }, batch, errors }
}

export async function setLimits({ db, account }: World, limits: Record<string, string>) {
  await db`update accounts set approval_limits = ${db.json(limits)} where id = ${account.id}`
}

/** Does what is due now, payouts included, and lets a second pass; until nothing runs. */
export async function runBatches(world: World, maxSeconds = 60): Promise<void> {
  for (let second = 0; second < maxSeconds; second++) {
    while (await world.node.batches.step()) await world.settle()
    const running = await world.db`select from batches where state = 'running'`
    if (running.length === 0) return
    await world.drive(1000)
  }
  throw new Error('a batch does not come to its end')
}

/** "2 accepted, 3 refused" in the order of the file. */
export async function statesOf({ db }: World, { id }: BatchKey): Promise<string[]> {
  const rows = await db<{ text: string }[]>`
    select line || ' ' || state as text from batch_lines where batch_id = ${id} order by line`
  return rows.map(({ text }) => text)
}
