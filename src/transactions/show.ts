import { timeOf } from '../ids.ts'
import { numberFromMinor } from '../money/amounts.ts'
import type { TransactionRecord } from './record.ts'

export type ShowOptions = { timeZone: string; countryName(iso2: string): string }

/** A transaction as an item of the list. */
export function showTransaction(record: TransactionRecord, options: ShowOptions) {
  const { id, kind, status, country, currency, destination } = record
  const wallet = side(record.walletAmount, record.walletCurrency)
  const counterpart = side(record.amount, currency)
  const [sender, receiver] = kind === 'payout' ? [wallet, counterpart] : [counterpart, wallet]
  return {
    transactionId: id,
    type: kind === 'payout' ? 'withdrew' : 'deposit',
    status: status.toUpperCase(),
    chargeStatus: status,
    amount: counterpart.amount,
    senderAmount: sender.amount,
    receiverAmount: receiver.amount,
    currency,
    senderCurrency: sender.currency,
    receiverCurrency: receiver.currency,
    country,
    destination,
    ...timeFields(createdAtMs(record), options.timeZone),
    beneficiary: {
      country: options.countryName(country),
      bankCode: record.code ?? '',
      accountName: record.accountName,
      destination,
      currency,
      accountNumber: record.accountNumber,
    },
  }
}

/** The same with all there is to know, for the reading of one. */
export function showWholeTransaction(record: TransactionRecord, options: ShowOptions) {
  const { timeZone } = options
  return {
    ...showTransaction(record, options),
    externalReference: record.externalReference,
    method: record.method,
    fee: numberFromMinor(record.fee, record.walletCurrency),
    exchangeRate: record.exchangeRate === null ? null : Number(record.exchangeRate),
    failureReason: record.failureReason,
    stepRequired: record.stepRequired,
    redirectUrl: record.redirectUrl,
    providerReference: record.providerReference,
    createdAt: timestamp(createdAtMs(record), timeZone),
    updatedAt: timestamp(record.updatedAt.getTime(), timeZone),
  }
}

function side(amountMinor: bigint, currency: string): { amount: number; currency: string } {
  return { amount: numberFromMinor(amountMinor, currency), currency }
}

/** The time in the id: by it the list is ordered and filtered, so it is the one to show. */
function createdAtMs({ id }: TransactionRecord): number {
  return timeOf(id)
}

function timeFields(ms: number, timeZone: string) {
  const { year, month, weekday } = calendarOf(ms, timeZone)
  return {
    fullTimestamp: timestamp(ms, timeZone),
    year: String(year),
    month: months[month - 1]!,
    day: weekdays[weekday - 1]!,
  }
}

/** Most accounts are in UTC, and there a plain date says the same many times faster. */
function calendarOf(ms: number, timeZone: string) {
  if (timeZone === 'UTC') {
    const date = new Date(ms)
    const weekday = date.getUTCDay() === 0 ? 7 : date.getUTCDay()
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, weekday }
  }
  const { year, month, dayOfWeek: weekday } = localTime(ms, timeZone)
  return { year, month, weekday }
}

function timestamp(ms: number, timeZone: string): string {
  if (timeZone === 'UTC') return `${new Date(ms).toISOString().slice(0, -1)}+00:00`
  return localTime(ms, timeZone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
}

function localTime(ms: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone)
}

const weekdays = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')
const months =
  'January February March April May June July August September October November December'.split(' ')
