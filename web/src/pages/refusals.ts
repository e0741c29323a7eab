import { ApiError } from '../api/client.ts'

/** Refusals without a field in their words, by the name the API has for what they are about. */
const subjects: Record<string, string> = {
  'E-API-D.S-28': 'externalReference',
  'E-BEN.S-35': 'accountNumber',
  INSUFFICIENT_FUNDS: 'amount',
  AMOUNT_OUT_OF_BOUNDS: 'amount',
  MOMO_OPERATOR_ID_REQUIRED: 'code',
  MOMO_CODE_REQUIRED: 'otpCode',
  UNSUPPORTED_CURRENCY: 'currency',
  UNSUPPORTED_DESTINATION: 'destination',
  DEBIT_CURRENCY_NOT_SUPPORTED: 'debitCurrency',
  DEBIT_COUNTRY_REQUIRED: 'debitCurrency',
  WALLET_CURRENCY_NOT_SUPPORTED: 'walletCurrency',
  AUTHORISATION_FAILED: 'value',
}

export type Refusal = { field: string | undefined; sentence: string }

/** What a refusal is about and what it says: "payoutMethod.code is required." is about `code`. */
export function readRefusal(error: Error): Refusal {
  if (!(error instanceof ApiError)) return { field: undefined, sentence: error.message }
  if (error.code !== 'VALIDATION_ERROR') {
    return { field: subjects[error.code], sentence: error.message }
  }
  const sentence = error.message.replace(/^Validation error: /, '')
  if (sentence.startsWith('Branch code ')) return { field: 'branchCode', sentence }
  const named = /^([\w.]+) ((?:is|must|has|may) .*)$/.exec(sentence)
  if (!named) return { field: undefined, sentence: capital(sentence) }
  return { field: named[1]!.split('.').at(-1), sentence: capital(named[2]!) }
}

/**
 * Shows a refusal beside its field where the form has one, under the name the form knows it by.
 * What is left is for the top of the form.
 */
export function placeRefusal<Field extends string>(
  error: Error,
  fields: Partial<Record<string, Field>>,
  setFieldError: (field: Field, message: string) => void,
): Error | null {
  const { field, sentence } = readRefusal(error)
  const own = field === undefined ? undefined : fields[field]
  if (own === undefined) return error
  setFieldError(own, sentence)
  return null
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
