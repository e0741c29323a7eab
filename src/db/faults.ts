/** What went wrong in the database, as far as it decides what to do next. */

type MaybeDatabaseFault = { code?: unknown; name?: unknown }

function codeOf(error: unknown): string {
  const code = (error as MaybeDatabaseFault | null)?.code
  return typeof code === 'string' ? code : ''
}

const lostConnection = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  '57P01', // terminated by an administrator
  '57P02', // crashed
  '57P03', // starting up
  '53300', // too many connections
])

/** The database was not reached, or went away before it answered: the outcome may be unknown. */
export function isConnectionFault(error: unknown): boolean {
  const code = codeOf(error)
  return lostConnection.has(code) || code.startsWith('08')
}

/** Two transactions were in each other's way; PostgreSQL undid this one, and it may run again. */
export function isConflictFault(error: unknown): boolean {
  const code = codeOf(error)
  return code === '40001' || code === '40P01'
}

/** A lock did not become free within the time that was given for it. */
export function isLockFault(error: unknown): boolean {
  return codeOf(error) === '55P03'
}

/** The database works but has no room or no right to write: a full disk, a standby. */
export function isUnavailableFault(error: unknown): boolean {
  const code = codeOf(error)
  return (
    isConnectionFault(error) || code.startsWith('53') || code.startsWith('58') || code === '25006'
  )
}

/** A text has a character that no text of the database can have: the zero. */
export function isUnstorableText(error: unknown): boolean {
  const code = codeOf(error)
  return code === '22021' || code === '22P05'
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const fault = error as { code?: unknown; constraint?: unknown } | null
  return fault?.code === '23505' && (constraint === undefined || fault.constraint === constraint)
}

export function isCheckViolation(error: unknown): boolean {
  return codeOf(error) === '23514'
}
