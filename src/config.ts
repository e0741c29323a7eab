import { isAbsolute, resolve } from 'node:path'
import {
  databaseUrl,
  flag,
  httpUrl,
  integer,
  list,
  masterKeys,
  oneOf,
  Problem,
  type Setting,
  seconds,
  setting,
  settingWith,
  shaped,
  text,
} from './setting-parsers.ts'

/**
 * Every setting of the service: where it is read from, what it may be, what it is when unset. The
 * environment is read here and nowhere else, and docs/config.md is generated from this table.
 */
export const settings = {
  port: settingWith(
    'PORT',
    integer(0, 65_535),
    4000,
    'The port the service listens on; 0 takes a free one.',
  ),
  host: settingWith(
    'HOST',
    text,
    'localhost',
    'The address it listens on; 0.0.0.0 or :: means every interface.',
  ),
  publicUrl: setting(
    'MALIPO_PUBLIC_URL',
    httpUrl,
    undefined,
    'The address callers use, where a proxy stands in front.',
    'http://localhost:PORT',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    databaseUrl,
    undefined,
    'A PostgreSQL of version 15 or newer.',
    'an own PostgreSQL 18 in the data folder',
  ),
  databaseConnections: settingWith(
    'MALIPO_DATABASE_CONNECTIONS',
    integer(2, 200),
    10,
    'Connections to the database that one process keeps.',
  ),
  dataDir: settingWith(
    'MALIPO_DATA_DIR',
    text,
    '.malipo',
    'The folder of the own database, its keys and logs.',
  ),
  walArchiveDir: setting(
    'MALIPO_WAL_ARCHIVE_DIR',
    text,
    undefined,
    'A folder for the log of the own database: with it a backup is restored to any moment.',
    'none',
  ),
  masterKeys: setting(
    'MALIPO_MASTER_KEY',
    masterKeys,
    undefined,
    'Encrypts the secrets in the database; the same on every node.',
    'kept in the data folder, file master-key',
  ),
  demo: setting(
    'MALIPO_DEMO',
    flag,
    undefined,
    'Whether a start makes a demo merchant with funded sandbox wallets.',
    'on with the own database, else off',
  ),
  loopbackWebhooks: setting(
    'MALIPO_LOOPBACK_WEBHOOKS',
    flag,
    undefined,
    'Whether sandbox events may be sent to this machine itself.',
    'on with the own database, else off',
  ),
  webhookRetrySeconds: settingWith(
    'MALIPO_WEBHOOK_RETRIES',
    seconds,
    [5, 15, 45, 300, 1800, 7200, 21_600, 86_400],
    'Pauses in seconds before a webhook is tried again, by commas; after the last it has failed.',
  ),
  webhookTimeoutMs: settingWith(
    'MALIPO_WEBHOOK_TIMEOUT_MS',
    integer(100, 60_000),
    15_000,
    'How long a receiver may take to answer a webhook.',
  ),
  webhookConcurrency: settingWith(
    'MALIPO_WEBHOOK_CONCURRENCY',
    integer(1, 1000),
    64,
    'Webhooks that are sent to one receiver at once, while it keeps up.',
  ),
  webhookPauseHours: settingWith(
    'MALIPO_WEBHOOK_PAUSE_HOURS',
    integer(1, 8760),
    72,
    'After how many hours in which nothing arrived a receiver is paused.',
  ),
  webhookRetentionDays: settingWith(
    'MALIPO_WEBHOOK_RETENTION_DAYS',
    integer(1, 36_500),
    90,
    'How long records of webhooks are kept.',
  ),
  requestLogDays: settingWith(
    'MALIPO_REQUEST_LOG_DAYS',
    integer(0, 365),
    7,
    'How long the requests that the dashboard shows are kept; 0 keeps none.',
  ),
  logLevel: settingWith(
    'LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'How much is logged.',
  ),
  logTo: setting(
    'MALIPO_LOG',
    text,
    undefined,
    'Where the log goes: stdout, or a file.',
    'malipo.log in the data folder with the own database, else stdout',
  ),
  rateLimitPerMinute: settingWith(
    'MALIPO_RATE_LIMIT',
    integer(0, 100_000_000),
    30_000,
    'Requests a credential may send in a minute; 0 lifts the limit.',
  ),
  tokenRateLimitPerMinute: settingWith(
    'MALIPO_TOKEN_RATE_LIMIT',
    integer(0, 100_000_000),
    600,
    'Token exchanges an IP address may send in a minute; 0 lifts the limit.',
  ),
  ratesUrl: setting(
    'MALIPO_RATES_URL',
    shaped(/^https?:\/\/\S+$/, 'must be a URL that begins with http:// or https://'),
    undefined,
    'A JSON feed of exchange rates, read every hour.',
    'none: the rates come from a file',
  ),
  ratesFile: setting(
    'MALIPO_RATES_FILE',
    text,
    undefined,
    'A file of exchange rates, read every hour where there is no feed.',
    'data/reference/rates.csv, whose rates are made up',
  ),
  rateSpreads: settingWith(
    'MALIPO_RATE_SPREADS',
    shaped(
      /^\d{1,4}( *, *[A-Z]{3}\/[A-Z]{3} *= *\d{1,4})*$/,
      'must be basis points, such as 100, or 100, USD/KES=150',
    ),
    '100',
    'Basis points between buy and sell around a middle rate, for all pairs and for some.',
  ),
  rateMaxAgeHours: settingWith(
    'MALIPO_RATE_MAX_AGE_HOURS',
    integer(1, 8760),
    48,
    'How old an exchange rate may be; nothing is converted at one that is older.',
  ),
  trustProxy: settingWith(
    'MALIPO_TRUST_PROXY',
    list,
    [],
    'Addresses or networks of proxies whose X-Forwarded-For is believed, by commas.',
  ),
  corsOrigins: settingWith(
    'MALIPO_CORS_ORIGINS',
    list,
    [],
    'Web origins that may call the API from a browser, by commas.',
  ),
  maxConnections: settingWith(
    'MALIPO_MAX_CONNECTIONS',
    integer(1, 1_000_000),
    10_000,
    'Connections of callers that are open at once.',
  ),
  requestTimeoutMs: settingWith(
    'MALIPO_REQUEST_TIMEOUT_MS',
    integer(100, 600_000),
    30_000,
    'How long a request may take to arrive.',
  ),
  shutdownTimeoutMs: settingWith(
    'MALIPO_SHUTDOWN_TIMEOUT_MS',
    integer(100, 600_000),
    15_000,
    'How long a stop waits for what was accepted.',
  ),
  groupCommitMaxBatch: settingWith(
    'MALIPO_GROUP_COMMIT_MAX_BATCH',
    integer(1, 5000),
    256,
    'Requests that may share one commit.',
  ),
  groupCommitMaxQueued: settingWith(
    'MALIPO_GROUP_COMMIT_MAX_QUEUED',
    integer(1, 1_000_000),
    10_000,
    'Requests that may wait for a commit; those beyond are answered 503.',
  ),
}

type Settings = typeof settings
type Parsed = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}
export type Config = Readonly<
  Omit<Parsed, 'demo' | 'logTo' | 'loopbackWebhooks'> & {
    demo: boolean
    logTo: string
    loopbackWebhooks: boolean
  }
>

/** All problems at once: nobody should have to start five times to learn of five mistakes. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = []
  const entries = Object.entries(settings).map(([name, { variable, parse, fallback }]) => {
    const given = environment[variable]
    if (given === undefined || given === '') return [name, fallback]
    const value = parse(given)
    if (value instanceof Problem) problems.push(`${variable} ${value.expected}.`)
    return [name, value]
  })
  const known = new Set(Object.values(settings).map(({ variable }) => variable))
  for (const name of Object.keys(environment)) {
    if (name.startsWith('MALIPO_') && !name.startsWith('MALIPO_TEST_') && !known.has(name)) {
      problems.push(`${name} is not a setting of Malipo; docs/config.md lists them all.`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return withDerived(Object.fromEntries(entries) as Parsed)
}

function withDerived(parsed: Parsed): Config {
  const embedded = parsed.databaseUrl === undefined
  const dataDir = resolve(parsed.dataDir)
  const logTo = parsed.logTo ?? (embedded ? 'malipo.log' : 'stdout')
  return Object.freeze({
    ...parsed,
    dataDir,
    demo: parsed.demo ?? embedded,
    loopbackWebhooks: parsed.loopbackWebhooks ?? embedded,
    logTo: logTo === 'stdout' || isAbsolute(logTo) ? logTo : resolve(dataDir, logTo),
  })
}

export function readProcessConfig(): Config {
  return readConfig(process.env)
}
