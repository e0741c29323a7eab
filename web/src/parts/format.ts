import { useSession } from '../api/session.ts'

/** An amount as the service wrote it, with separators; nothing is rounded or computed. */
export function formatAmount(amount: string): string {
  const decimals = amount.split('.')[1]?.length ?? 0
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  // A decimal in text keeps every digit, which a number would not.
  return new Intl.NumberFormat('en', digits).format(amount as Intl.StringNumericLiteral)
}

export const formatMoney = (amount: string, currency: string): string =>
  `${formatAmount(amount)} ${currency}`

export const formatCount = (count: number): string => new Intl.NumberFormat('en').format(count)

/** A share in whole percents. Down, so that 100 % means all of them. */
export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.floor((part / whole) * 100)} %`

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** The name of a country by its two letters. */
export const countryName = (code: string): string => countries.of(code) ?? code

/** Times in the zone of the person, not of the machine they sit at. */
export function useTimes() {
  const { timeZone } = useSession().person
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, ...options })
  const short = make({ dateStyle: 'medium', timeStyle: 'short' })
  const long = make({ dateStyle: 'medium', timeStyle: 'long' })
  const day = make({ dateStyle: 'medium' })
  const clock = make({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  return {
    timeZone,
    /** 31 Jan 2026, 14:05 */
    moment: (iso: string) => short.format(new Date(iso)),
    /** With seconds and the name of the zone. */
    exact: (iso: string) => long.format(new Date(iso)),
    day: (iso: string) => day.format(new Date(iso)),
    /** 14:05:09 */
    clock: (iso: string) => clock.format(new Date(iso)),
  }
}
