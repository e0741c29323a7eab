import { pino } from 'pino'

export type Log = pino.Logger

/** Names whose values never reach a log, wherever they stand. */
const secretNames = [
  'authorization',
  'api-key',
  'apiKey',
  'token',
  'password',
  'secret',
  'webhookSecret',
  'cardDetails',
  'number',
  'cvv',
  'pin',
  'otp',
  'otpCode',
  'voucherPin',
]
const paths = secretNames.flatMap((name) => {
  const key = name.includes('-') ? `["${name}"]` : `.${name}`
  return [`${key.replace(/^\./, '')}`, `*${key}`, `*.*${key}`]
})

/** Lines are gathered for a moment, so that logging costs a request no write of its own. */
export function createLog(options: { level: string; to: string }): Log {
  const destination = pino.destination({
    dest: options.to === 'stdout' ? 1 : options.to,
    sync: false,
    minLength: 4096,
    periodicFlush: 250,
    mkdir: true,
    mode: 0o600,
  })
  return createLogTo(destination, options.level)
}

export function createLogTo(destination: pino.DestinationStream, level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[redacted]' },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
}

export function flushLog(log: Log): Promise<void> {
  return new Promise((resolve) => {
    log.flush(() => resolve())
  })
}
