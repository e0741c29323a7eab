import Type, { type Static } from 'typebox'
import { idPeriod } from '../../transactions/period.ts'
import { transactionStatuses } from '../../transactions/record.ts'
import {
  type SearchFilter,
  transactionKinds,
  transactionMethods,
} from '../../transactions/search.ts'
import { Moment } from './view-answers.ts'

/** What the list and the file of transactions can be narrowed by. */
export const transactionFilter = {
  search: Type.Optional(Type.String({ maxLength: 100 })),
  type: Type.Optional(Type.String({ enum: [...transactionKinds] })),
  status: Type.Optional(Type.String({ enum: [...transactionStatuses] })),
  method: Type.Optional(Type.String({ enum: [...transactionMethods] })),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  from: Moment,
  to: Moment,
}

const Filter = Type.Object(transactionFilter)

export function readFilter(
  query: Static<typeof Filter>,
  timeZone: string,
): Omit<SearchFilter, 'after' | 'limit'> {
  const search = query.search?.trim()
  const one = <Name extends string>(names: readonly Name[], given: string | undefined) =>
    names.find((name) => name === given)
  return {
    search: search === '' ? undefined : search,
    kind: one(transactionKinds, query.type),
    status: one(transactionStatuses, query.status),
    method: one(transactionMethods, query.method),
    currency: query.currency,
    range: idPeriod(query, timeZone),
  }
}
