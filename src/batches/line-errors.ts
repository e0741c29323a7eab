import type { AppError, ErrorCode } from '../errors.ts'
import { type Column, columns, type LineError } from './batch.ts'

/** What a request calls otherwise than a file. */
const wordsOfFile: Readonly<Record<string, string>> = {
  'payoutMethod.': '',
  externalReference: 'reference',
  debitCurrency: 'walletCurrency',
  debitCountry: 'walletCountry',
}
const wordsOfRequest = /payoutMethod\.|externalReference|debitCurrency|debitCountry/g

const columnOfCode: Partial<Record<ErrorCode, Column>> = {
  UNSUPPORTED_CURRENCY: 'currency',
  UNSUPPORTED_DESTINATION: 'destination',
  PROVIDER_NOT_FOUND: 'destination',
  MOMO_OPERATOR_ID_REQUIRED: 'code',
  AMOUNT_OUT_OF_BOUNDS: 'amount',
  INSUFFICIENT_FUNDS: 'amount',
  DEBIT_CURRENCY_NOT_SUPPORTED: 'walletCurrency',
  FX_RATE_UNAVAILABLE: 'walletCurrency',
  DEBIT_COUNTRY_REQUIRED: 'walletCountry',
  'E-API-D.S-28': 'reference',
}

/** A refusal of the API in the words of the file: its fields are the columns. */
export function lineErrorOf({ code, message }: AppError): LineError {
  const words = message
    .replace(/^Validation error: /, '')
    .replace(wordsOfRequest, (word) => wordsOfFile[word]!)
  return { column: columnOfCode[code] ?? columnNamedIn(words), message: words }
}

/** A sentence about a field begins with its name. */
function columnNamedIn(words: string): Column | null {
  if (words.startsWith('Branch code ')) return 'branchCode'
  const first = words.match(/^\w+/)?.[0]
  return columns.find((column) => column === first) ?? null
}
