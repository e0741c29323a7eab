import { validationError } from '../errors.ts'

/** Ids from the first, up to but without the second. */
export type IdRange = { from: string; to: string }
export type Days = { startDate?: string | undefined; endDate?: string | undefined }

export const firstId = '00000000-0000-0000-0000-000000000000'
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const dateShape = /^\d{4}-\d{2}-\d{2}$/

/**
 * An id begins with its time, so days are a range of ids: a filter by date needs no index of its
 * own. Both days are included, as they pass in the time zone.
 */
export function idRange({ startDate, endDate }: Days, timeZone: string): IdRange {
  const start = startDate === undefined ? undefined : readDate('startDate', startDate)
  const end = endDate === undefined ? undefined : readDate('endDate', endDate)
  if (start && end && Temporal.PlainDate.compare(start, end) > 0) {
    throw validationError('startDate must not be after endDate.')
  }
  return {
    from: start ? lowestIdAt(startOfDayMs(start, timeZone)) : firstId,
    to: end ? lowestIdAt(startOfDayMs(end.add({ days: 1 }), timeZone)) : lastId,
  }
}

function readDate(field: string, text: string): Temporal.PlainDate {
  try {
    if (dateShape.test(text)) return Temporal.PlainDate.from(text)
  } catch {
    // A day that is not in the calendar, such as 2026-02-30.
  }
  throw validationError(`${field} must be a date such as 2026-01-31.`)
}

/** Where clocks are set forward at midnight, the day starts at one o'clock. */
export function startOfDayMs(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds
}

export function lowestIdAt(ms: number): string {
  const time = Math.max(ms, 0).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`
}
