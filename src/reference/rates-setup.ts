import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/pool.ts'
import type { Log } from '../log.ts'
import { type Loop, startLoop } from '../work/loop.ts'
import { feedSource } from './rate-feed.ts'
import { fileSource, type RateSource } from './rate-sources.ts'
import { refreshRates } from './refresh-rates.ts'
import { seedRates, shippedRatesFile } from './seed-rates.ts'
import { type Spreads, spreadsFrom } from './spreads.ts'

/** Where rates come from and how they are taken, by the settings. */
export type RatesSetup = {
  source: RateSource
  /** Whether rates of a file are those we ship: made up, and for the sandbox only. */
  fileIsShipped: boolean
  spreads: Spreads
  maxAgeMs: number
}

const hourMs = 3_600_000

export function ratesSetup(
  config: Pick<Config, 'ratesUrl' | 'ratesFile' | 'rateSpreads' | 'rateMaxAgeHours'>,
): RatesSetup {
  const { ratesUrl: url, ratesFile, rateSpreads, rateMaxAgeHours } = config
  return {
    source: url ? feedSource({ url }) : fileSource(ratesFile ?? shippedRatesFile),
    fileIsShipped: ratesFile === undefined,
    spreads: spreadsFrom(rateSpreads),
    maxAgeMs: rateMaxAgeHours * hourMs,
  }
}

/** A feed tells the truth or nothing; only where there is none are past rates made up. */
export async function seedRatesFor(
  db: Db,
  clock: Clock,
  { source, spreads }: RatesSetup,
): Promise<void> {
  if (source.name === 'file') await seedRates(db, { clock, source, spreads })
}

/** Asks the source every hour, and after a failure every minute until it answers. */
export function startRatesRefresh(on: RatesSetup & { db: Db; clock: Clock; log: Log }): Loop {
  const loop = { name: 'exchange rates', everyMs: hourMs, log: on.log }
  return startLoop(loop, () => refreshRates(on))
}
