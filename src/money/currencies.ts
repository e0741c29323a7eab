import { MoneyError } from './money-error.ts'

/** A code of the table below, upper case. */
export type Currency = string

export type CurrencyInfo = {
  readonly code: Currency
  readonly name: string
  /** Decimals of ISO 4217: how many digits lie between the major and the minor unit. */
  readonly decimals: number
  /** The supported countries whose own currency this is. */
  readonly countries: readonly string[]
  /** Set when the currency lives in one country only: its wallets have that scope. */
  readonly homeCountry?: string
  /** Whether wallets of this currency can exist in several country scopes. */
  readonly hasSeveralScopes: boolean
  /** Every country scope a wallet of this currency may have. */
  readonly scopes: readonly string[]
  /** The scope used when neither the caller nor the payment names a country. */
  readonly defaultScope: string
  /** The scopes in which a new sandbox account gets money. */
  readonly fundedScopes: readonly string[]
}

/** The largest amount of one payment. It stays below 2^53, so a JSON number holds it exactly. */
export const maxMinor = 10n ** 15n

const local = (code: Currency, name: string, decimals: number, country: string): CurrencyInfo => ({
  code,
  name,
  decimals,
  countries: [country],
  homeCountry: country,
  hasSeveralScopes: false,
  scopes: [country],
  defaultScope: country,
  fundedScopes: [country],
})

// The members of a monetary union share a currency but not their rails, so money is kept apart.
const union = (code: Currency, name: string, countries: readonly string[]): CurrencyInfo => ({
  code,
  name,
  decimals: 0,
  countries,
  hasSeveralScopes: true,
  scopes: countries,
  defaultScope: countries[0]!,
  fundedScopes: countries,
})

const locals = [
  local('BWP', 'Botswana Pula', 2, 'BW'),
  local('CDF', 'Congolese Franc', 2, 'CD'),
  local('ETB', 'Ethiopian Birr', 2, 'ET'),
  local('GHS', 'Ghana Cedi', 2, 'GH'),
  local('GMD', 'Gambian Dalasi', 2, 'GM'),
  local('KES', 'Kenyan Shilling', 2, 'KE'),
  local('LSL', 'Lesotho Loti', 2, 'LS'),
  local('MWK', 'Malawi Kwacha', 2, 'MW'),
  local('MZN', 'Mozambican Metical', 2, 'MZ'),
  local('NGN', 'Nigerian Naira', 2, 'NG'),
  local('RWF', 'Rwandan Franc', 0, 'RW'),
  local('SLE', 'Sierra Leonean Leone', 2, 'SL'),
  local('TZS', 'Tanzanian Shilling', 2, 'TZ'),
  local('UGX', 'Ugandan Shilling', 0, 'UG'),
  local('ZAR', 'South African Rand', 2, 'ZA'),
  local('ZMW', 'Zambian Kwacha', 2, 'ZM'),
]

const unions = [
  union('XAF', 'Central African CFA Franc', ['CM', 'CG', 'GA']),
  union('XOF', 'West African CFA Franc', ['SN', 'BJ', 'BF', 'CI']),
]

const supportedCountries = [...locals, ...unions].flatMap((info) => info.countries).sort()

// Foreign to all our countries, and holdable in each of them. The default scope is the issuer:
// 'EU' is reserved in ISO 3166-1 for exactly this use. `funded` names where such wallets are
// customary enough that somebody trying the sandbox will look for them.
const foreign = (
  code: Currency,
  name: string,
  issuer: string,
  funded: readonly string[],
): CurrencyInfo => ({
  code,
  name,
  decimals: 2,
  countries: [],
  hasSeveralScopes: true,
  scopes: [issuer, ...supportedCountries],
  defaultScope: issuer,
  fundedScopes: [issuer, ...funded],
})

// The dollar is everyday money in CD, and the usual second account of a business in KE.
const foreigns = [foreign('EUR', 'Euro', 'EU', []), foreign('USD', 'US Dollar', 'US', ['CD', 'KE'])]

/** Every supported currency, sorted by code. */
export const currencies: readonly CurrencyInfo[] = [...locals, ...unions, ...foreigns].sort(
  (a, b) => (a.code < b.code ? -1 : 1),
)

const byCode: ReadonlyMap<string, CurrencyInfo> = new Map(
  currencies.map((info) => [info.code, info]),
)

export const currency = (code: string): CurrencyInfo | undefined => byCode.get(code)

export const knownCurrency = (code: string): CurrencyInfo => {
  const info = byCode.get(code)
  if (!info) throw new MoneyError('unknown-currency', `must be a supported currency, not ${code}`)
  return info
}

export const decimalsOf = (code: Currency): number => knownCurrency(code).decimals
