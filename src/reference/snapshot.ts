import type { Db, Tx } from '../db/pool.ts'
import { decimalsOf } from '../money/currencies.ts'
import type { Bank, Branch, Country, Operator } from './reference.ts'

/** All lists at one moment, with what makes them quick to search. It is never changed. */
export type Snapshot = {
  readonly revision: string
  readonly countries: readonly Country[]
  readonly country: ReadonlyMap<string, Country>
  readonly banks: ReadonlyMap<string, readonly Bank[]>
  readonly bank: ReadonlyMap<string, Bank>
  readonly branches: ReadonlyMap<number, readonly Branch[]>
  readonly branch: ReadonlyMap<string, Branch>
  readonly operators: ReadonlyMap<string, readonly Operator[]>
  readonly operator: ReadonlyMap<string, Operator>
}

/** How a code is looked up: without case. */
export function keyOf(owner: string | number, code: string): string {
  return `${owner} ${code.toLowerCase()}`
}

/** Tells whether anything has changed, without reading the lists. */
export async function readRevision(db: Db | Tx): Promise<string> {
  const [row] = await db<{ revision: string }[]>`
    select coalesce(max(revision), 0)::text as revision from reference_lists`
  return row?.revision ?? '0'
}

export async function readSnapshot(db: Db): Promise<Snapshot> {
  return await db.begin('isolation level repeatable read read only', async (tx) => {
    const revision = await readRevision(tx)
    const countries = await tx<Omit<Country, 'decimals'>[]>`
      select name, iso2, iso3, dialing_code as "dialingCode", currency, symbol
      from countries order by name`
    const operators = await tx<Operator[]>`
      select country, id, name, wallet, currency, prefixes from operators order by country, name`
    const banks = await tx<Bank[]>`
      select id, country, code, name, swift_code as "swiftCode" from banks order by country, name`
    const branches = await tx<Branch[]>`
      select id, bank_id as "bankId", code, name, swift_code as "swiftCode", bic
      from branches order by bank_id, name, code`
    const known = countries.map((each) => ({ ...each, decimals: decimalsOf(each.currency) }))
    return {
      revision,
      countries: known,
      country: new Map(known.map((each) => [each.iso2, each])),
      banks: Map.groupBy(banks, ({ country }) => country),
      bank: new Map(banks.map((each) => [keyOf(each.country, each.code), each])),
      branches: Map.groupBy(branches, ({ bankId }) => bankId),
      branch: new Map(branches.map((each) => [keyOf(each.bankId, each.code), each])),
      operators: Map.groupBy(operators, ({ country }) => country),
      operator: new Map(operators.map((each) => [keyOf(each.country, each.id), each])),
    }
  })
}

/**
 * The operator whose prefix fits the longest part of the number, if it is one alone. Where the
 * country has a wallet without numbers of its own, any number may belong to it: then none.
 */
export function operatorOf(operators: readonly Operator[], digits: string): Operator | undefined {
  if (operators.some(({ prefixes }) => prefixes.length === 0)) return undefined
  let length = 0
  let found: Operator[] = []
  for (const operator of operators) {
    for (const prefix of operator.prefixes) {
      if (prefix.length < length || !digits.startsWith(prefix)) continue
      if (prefix.length > length) found = []
      length = prefix.length
      if (!found.includes(operator)) found.push(operator)
    }
  }
  return found.length === 1 ? found[0] : undefined
}
