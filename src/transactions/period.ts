import { validationError } from '../errors.ts'
import { firstId, type IdRange, lastId, lowestIdAt, startOfDayMs } from './days.ts'

/** From and to: a day of the account, or a moment with its offset. */
export type Period = { from?: string | undefined; to?: string | undefined }

const dayShape = /^\d{4}-\d{2}-\d{2}$/

/** The ids of a period. A day that ends it is included whole, a moment is not. */
export function idPeriod({ from, to }: Period, timeZone: string): IdRange {
  const fromMs = from === undefined ? undefined : momentOf('from', from, timeZone, 0)
  const toMs = to === undefined ? undefined : momentOf('to', to, timeZone, 1)
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw validationError('from must not be after to.')
  }
  return {
    from: fromMs === undefined ? firstId : lowestIdAt(fromMs),
    to: toMs === undefined ? lastId : lowestIdAt(toMs),
  }
}

function momentOf(field: string, text: string, timeZone: string, daysLater: number): number {
  try {
    return dayShape.test(text)
      ? startOfDayMs(Temporal.PlainDate.from(text).add({ days: daysLater }), timeZone)
      : Temporal.Instant.from(text).epochMilliseconds
  } catch {
    throw validationError(
      `${field} must be a day such as 2026-01-31 or a moment such as 2026-01-31T12:00:00Z.`,
    )
  }
}
