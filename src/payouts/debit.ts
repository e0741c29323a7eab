import { AppError, validationError } from '../errors.ts'
import type { WalletScope } from '../ledger/wallet-ids.ts'
import { currency as currencyInfo } from '../money/currencies.ts'

export type DebitInput = {
  currency: string
  country: string
  debitCurrency: string | undefined
  debitCountry: string | undefined
}

/**
 * The wallet of the payout's own currency, unless another is named. A currency that exists in
 * several countries needs the country said when it is not the one being paid.
 */
export function debitScope(input: DebitInput): WalletScope {
  const currency = (input.debitCurrency || input.currency).trim().toUpperCase()
  const info = currencyInfo(currency)
  if (!info) throw new AppError('DEBIT_CURRENCY_NOT_SUPPORTED')
  const wanted = input.debitCountry?.trim().toUpperCase()
  if (wanted) {
    if (info.scopes.includes(wanted)) return { currency, country: wanted }
    throw validationError(`debitCountry must be a country in which ${currency} wallets exist.`)
  }
  if (!info.hasSeveralScopes) return { currency, country: info.defaultScope }
  if (currency !== input.currency) throw new AppError('DEBIT_COUNTRY_REQUIRED')
  return { currency, country: input.country }
}
