import type { Changes } from '../db/changes.ts'
import type { Db } from '../db/pool.ts'
import type { Log } from '../log.ts'
import type { Currency } from '../money/currencies.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { referenceSubject } from './import-list.ts'
import { createRendered, type Rendered } from './rendered.ts'
import { keyOf, operatorOf, readRevision, readSnapshot } from './snapshot.ts'

export type Country = {
  readonly name: string
  readonly iso2: string
  readonly iso3: string
  /** With the plus: "+254". */
  readonly dialingCode: string
  readonly currency: Currency
  readonly symbol: string
  readonly decimals: number
}

export type Bank = {
  readonly id: number
  readonly country: string
  readonly code: string
  readonly name: string
  readonly swiftCode: string | null
}

export type Branch = {
  readonly id: number
  readonly bankId: number
  readonly code: string
  readonly name: string
  readonly swiftCode: string | null
  readonly bic: string | null
}

export type Operator = {
  readonly country: string
  /** What callers name it by, lower case: "mpesa". It is unique in its country. */
  readonly id: string
  readonly name: string
  readonly wallet: string
  readonly currency: Currency
  /** How its numbers begin, country code included. */
  readonly prefixes: readonly string[]
}

/**
 * What is the same for all merchants, from memory: nothing here waits. Countries are named by two
 * letters in upper case; codes compare without case.
 */
export type Reference = {
  countries(): readonly Country[]
  country(iso2: string): Country | undefined
  /** Sorted by name; empty where none is known. */
  banks(country: string): readonly Bank[]
  bank(country: string, code: string): Bank | undefined
  branches(bankId: number): readonly Branch[]
  /** Also finds "UG040147" for the code "040147", and the other way round. */
  branch(bank: Bank, code: string): Branch | undefined
  operators(country: string): readonly Operator[]
  operator(country: string, id: string): Operator | undefined
  /** By digits with the country code and without plus; only where the number is certain. */
  operatorOfNumber(country: string, digits: string): Operator | undefined
  /** An answer made of these lists, as bytes; made anew after the lists have changed. */
  rendered(name: string, make: () => unknown): Rendered
  stop(): Promise<void>
}

/** Changes are told at once; this is for those that were not heard. */
const checkEveryMs = 60_000

/** Reads the lists, and reads them anew whenever a node has changed them. */
export async function createReference({
  db,
  changes,
  log,
}: {
  db: Db
  changes: Changes
  log: Log
}): Promise<Reference> {
  let now = await readSnapshot(db)
  const answers = createRendered()
  const loop: Loop = startLoop(
    { name: 'reference lists', everyMs: checkEveryMs, log },
    async () => {
      if ((await readRevision(db)) === now.revision) return
      now = await readSnapshot(db)
      answers.clear()
    },
  )
  changes.onChange((subject) => {
    if (subject === referenceSubject || subject === 'all') loop.wake()
  })
  return {
    countries: () => now.countries,
    country: (iso2) => now.country.get(iso2),
    banks: (country) => now.banks.get(country) ?? [],
    bank: (country, code) => now.bank.get(keyOf(country, code)),
    branches: (bankId) => now.branches.get(bankId) ?? [],
    branch: ({ id, country }, code) =>
      now.branch.get(keyOf(id, code)) ??
      now.branch.get(keyOf(id, country + code)) ??
      now.branch.get(keyOf(id, withoutCountry(country, code))),
    operators: (country) => now.operators.get(country) ?? [],
    operator: (country, id) => now.operator.get(keyOf(country, id)),
    operatorOfNumber: (country, digits) => operatorOf(now.operators.get(country) ?? [], digits),
    rendered: (name, make) => answers.get(name, make),
    stop: () => loop.stop(),
  }
}

/** Some rails write the country before the code of a branch, others do not. */
function withoutCountry(country: string, code: string): string {
  return code.toUpperCase().startsWith(country) ? code.slice(country.length) : code
}
