import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
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

const maxBufferedBytes = 16 * 1024 * 1024

/** Lines are gathered for a moment, so that logging costs a request no write of its own. */
export function createLog(options: { level: string; to: string }): Log {
  if (options.to !== 'stdout') assertWritable(options.to)
  const destination = pino.destination({
    dest: options.to === 'stdout' ? 1 : options.to,
    sync: false,
    minLength: 4096,
    periodicFlush: 250,
    maxLength: maxBufferedBytes,
    mode: 0o600,
  })
  // A disk that is full costs lines of the log, and must cost nothing else.
  destination.on('error', () => {})
  return createLogTo(destination, options.level)
}

/** The stream would find out later, when nobody is there to be told. */
function assertWritable(file: string): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, '', { mode: 0o600 })
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
