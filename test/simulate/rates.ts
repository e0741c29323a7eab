import { AppError } from '../../src/errors.ts'
import { costOf, proceedsOf, rateFromText, textFromRate } from '../../src/money/rates.ts'
import type { Rates } from '../../src/reference/rates.ts'
import type { Random } from './random.ts'

/** Rates that move with every question, and are missing now and then. */
export function movingRates(random: Random, isCalm: () => boolean): Rates {
  const rate = () => {
    if (!isCalm() && random.chance(0.1)) throw new AppError('FX_RATE_UNAVAILABLE')
    return rateFromText(`${random.between(2, 40)}.${random.between(1, 9)}`)
  }
  return {
    costOf({ amountMinor, currency, debitCurrency }) {
      if (currency === debitCurrency) return { debitMinor: amountMinor, rate: '1' }
      const sell = rate()
      const debitMinor = costOf(amountMinor, currency, debitCurrency, sell)
      return { debitMinor, rate: textFromRate(sell) }
    },
    proceedsOf({ amountMinor, currency, walletCurrency }) {
      if (currency === walletCurrency) return { walletMinor: amountMinor, rate: '1' }
      const buy = rate()
      const walletMinor = proceedsOf(amountMinor, currency, walletCurrency, buy)
      return { walletMinor, rate: textFromRate(buy) }
    },
    history: () => [],
    renderedHistory: () => {
      throw new Error('nobody asks for past rates here')
    },
    stop: async () => {},
  }
}
