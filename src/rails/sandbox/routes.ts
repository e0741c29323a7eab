import { type CurrencyInfo, currencies, maxMinor } from '../../money/currencies.ts'
import { powerOfTen } from '../../money/decimal.ts'
import type { Direction, Method, RailRoute } from '../rail.ts'

/** Countries in which the sandbox opens virtual accounts, with their currency. */
const virtualAccounts: Readonly<Record<string, string>> = { NGN: 'NG', KES: 'KE' }

/** Everything the service can ask for: at least one major unit, no upper limit of its own. */
export function sandboxRoutes(): RailRoute[] {
  return currencies.flatMap((info) => [
    ...info.scopes.flatMap((country) => [
      route(info, 'payout', 'momo', country),
      route(info, 'payout', 'bank', country),
      route(info, 'charge', 'momo', country),
      route(info, 'charge', 'card', country),
    ]),
    ...(virtualAccounts[info.code]
      ? [route(info, 'charge', 'bank', virtualAccounts[info.code]!)]
      : []),
  ])
}

function route(
  { code: currency, decimals }: CurrencyInfo,
  direction: Direction,
  method: Method,
  country: string,
): RailRoute {
  return { direction, method, country, currency, minMinor: powerOfTen(decimals), maxMinor }
}
