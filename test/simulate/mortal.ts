import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/clock.ts'
import type { Db, Sql, Tx } from '../../src/db/pool.ts'
import { Query } from '../../src/db/query.ts'
import type { Rail } from '../../src/rails/rail.ts'

/** What a process meets at a point between two steps. */
export type Fate = 'goes on' | 'dies' | 'loses its connection' | 'stands still'
export type Place = 'database' | 'transaction' | 'rail' | 'receiver'

export type Fates = {
  at(place: Place, process: Mortal): Fate
  /** The others go on while this one stands still. */
  standStill(process: Mortal, place: Place): Promise<void>
}

export const dead = Symbol('dead')
export type Outlived<Result> = Result | typeof dead

/**
 * A process that can end between any two of its steps. Whatever it does outside of itself goes
 * through here, one thing after another, so that the same seed meets the same points.
 */
export type Mortal = {
  name: string
  db: Db
  isAlive(): boolean
  /** One doing of the process: what it gave, or that the process died over it. */
  live<Result>(work: () => Promise<Result>): Promise<Outlived<Result>>
  /** When nothing of it is under way any more, not even what nobody waits for. */
  quiet(): Promise<void>
  /** A call to somebody else, who may be reached although the answer is not. */
  call<Result>(place: Place, ask: () => Promise<Result>): Promise<Result>
}

class Ended extends Error {}

/** What a dead process waits for. */
const never = <Result>(): Promise<Result> => new Promise<Result>(() => {})

export function createMortal(name: string, base: Db, fates: Fates): Mortal {
  let alive = true
  let calls = 0
  let open = 0
  let line: Promise<void> = Promise.resolve()
  const end = Promise.withResolvers<typeof dead>()

  async function point(place: Place): Promise<void> {
    if (!alive) throw new Ended()
    const fate = fates.at(place, mortal)
    if (fate === 'dies') {
      alive = false
      throw new Ended()
    }
    if (fate === 'loses its connection') {
      throw Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
    }
    if (fate === 'stands still') await fates.standStill(mortal, place)
  }

  /** Waits for its turn, so that there is no race inside a process that chance could decide. */
  async function call<Result>(place: Place, ask: () => Promise<Result>): Promise<Result> {
    const before = line
    const { promise, resolve: free } = Promise.withResolvers<void>()
    line = promise
    calls++
    open++
    await before
    try {
      await point(place)
      const result = await ask()
      await point(place)
      return result
    } catch (error) {
      if (alive) throw error
      end.resolve(dead)
      return await never<Result>()
    } finally {
      open--
      free()
    }
  }

  async function quiet(): Promise<void> {
    for (let seen = -1; open > 0 || seen !== calls; ) {
      seen = calls
      await line
      await turn()
      await turn()
    }
  }

  const mortal: Mortal = {
    name,
    db: databaseOf(base, call, point),
    isAlive: () => alive,
    call,
    quiet,
    async live(work) {
      try {
        return await Promise.race([work(), end.promise])
      } finally {
        await Promise.race([quiet(), end.promise])
      }
    },
  }
  return mortal
}

function databaseOf(base: Db, call: Mortal['call'], point: (place: Place) => Promise<void>): Db {
  const db = sqlOver(base, (run) => call('database', run))
  return Object.assign(db, {
    begin: (...given: [never] | [string, never]) =>
      call('database', () => {
        const [mode, run] = given.length === 1 ? ['', given[0]] : given
        return base.begin(mode, async (tx) => {
          const inside = sqlOver(tx, async (query) => {
            await point('transaction')
            return await query()
          })
          const own = Object.assign(inside, { transaction: true as const })
          const result = await (run as (tx: Tx) => Promise<unknown>)(own)
          await point('transaction')
          return result
        })
      }),
    reserve: base.reserve,
    listen: base.listen,
    end: async () => {},
  }) as Db
}

type Around = (run: () => Promise<object[]>) => Promise<object[]>

function sqlOver(base: Sql, around: Around): Sql {
  function tag(first: TemplateStringsArray, ...values: unknown[]) {
    if (!Object.hasOwn(first, 'raw')) return base(first)
    const run = () => around(async () => await base<object[]>(first, ...values))
    return new Query(run, first, values)
  }
  return Object.assign(tag, {
    json: base.json,
    unsafe: (text: string) =>
      new Query(() => around(async () => await base.unsafe(text)), [text], []),
  }) as Sql
}

/** A request that has not left for this long is called off, and does not leave any more. */
const callOffMs = 20_000

/** The rail as one process reaches it. `onSend` sees what leaves, at the moment it does. */
export function reachedBy(
  mortal: Mortal,
  clock: Clock,
  rail: Rail,
  onSend: (key: string) => Promise<void>,
): Rail {
  const { payouts, charges } = rail
  function via<Given extends unknown[], Result>(ask: (...given: Given) => Promise<Result>) {
    return (...given: Given) => {
      const startMs = clock.now()
      return mortal.call('rail', () => {
        if (clock.now() - startMs > callOffMs) throw new Error('called off before it was sent')
        return ask(...given)
      })
    }
  }
  function send<Given extends [order: { key: string }, signal: AbortSignal], Result>(
    ask: (...given: Given) => Promise<Result>,
  ) {
    return via(async (...given: Given) => {
      await onSend(given[0].key)
      return await ask(...given)
    })
  }
  return {
    ...rail,
    ...(payouts ? { payouts: { create: send(payouts.create), lookup: via(payouts.lookup) } } : {}),
    ...(charges
      ? {
          charges: {
            create: send(charges.create),
            authorise: via(charges.authorise!),
            lookup: via(charges.lookup),
          },
        }
      : {}),
  }
}
