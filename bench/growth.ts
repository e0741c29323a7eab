import { gets, interleaved, type Options, payoutRequests } from './http.ts'
import { compared, type Figure } from './report.ts'
import type { World } from './world.ts'

/** Whether the work of today costs more where there is a lot of yesterday. */
export async function growthBench(
  empty: World,
  full: World,
  options: Options,
  ceiling: Figure,
): Promise<Figure[]> {
  const { rounds, secondsPerRound: seconds } = options
  const connections = 64
  const { db, tokens } = full
  const deep = async (token: number, offset: number) => {
    const [row] = await db<{ id: string }[]>`
      select t.id from transactions t join accounts a on a.id = t.account_id and a.slot = t.slot
      where a.id = (
        select account_id from transactions
        where external_reference = ${token === 0 ? 'history-5' : 'history-1'} limit 1
      )
      order by t.id desc offset ${offset} limit 1`
    return `/transactions?limit=10&transactionId=${row!.id}`
  }
  const [{ count }] = (await db`
    select count(*)::int as count from transactions where external_reference like 'history-%'
  `) as [{ count: number }]
  const many = count / 5
  const list = (token: number, path: string) => async () =>
    (await full.load({ connections, seconds, requests: gets(path, [tokens[token]!]) })).perSecond
  const payouts = (world: World) => async () =>
    (await world.load({ connections, seconds, requests: payoutRequests(world) })).perSecond
  // Both have done this work for a while, else one would be measured while it learns: after a
  // checkpoint, and a history ends with one, each page is logged whole when it is first changed.
  const stored = (n: number) => n.toLocaleString('en')
  const first = '/transactions?limit=10'
  const [firstFew, firstMany, deepFew, deepMany, before, after] = await interleaved(
    [
      ['transactions list, first page of 1,000', list(1, first)],
      [`transactions list, first page of ${stored(many)}`, list(0, first)],
      ['transactions list, deep page of 1,000', list(1, await deep(1, 500))],
      [`transactions list, deep page of ${stored(many)}`, list(0, await deep(0, many / 2))],
      ['payouts accepted, empty database', payouts(empty)],
      [`payouts accepted, ${stored(count)} transactions stored`, payouts(full)],
    ],
    rounds,
  )
  return [
    { ...compared(firstFew!, ceiling, 0.5), number: '7' },
    { ...compared(deepFew!, ceiling, 0.5), number: '7' },
    { ...compared(firstMany!, firstFew!, 0.9), number: '7' },
    { ...compared(deepMany!, deepFew!, 0.9), number: '7' },
    { ...before!, number: '12' },
    { ...compared(after!, before!, 0.85), number: '12' },
  ]
}
