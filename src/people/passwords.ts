import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError, validationError } from '../errors.ts'

export const minPasswordLength = 12
export const maxPasswordLength = 200

export type Passwords = {
  hash(password: string): Promise<string>
  /** Takes as long where there is no hash, so that time does not tell who exists. */
  verify(password: string, hash: string | null | undefined): Promise<boolean>
}

/** As OWASP recommends for Argon2id: 19 MiB, two passes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const nonceBytes = 16
const tagBytes = 32
/** Each takes a thread of Node's pool and 19 MiB; files and names are to be read meanwhile. */
const maxAtOnce = 2
const maxWaiting = 64
const hashShape = /^argon2id\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/

export function createPasswords({ maxQueued = maxWaiting } = {}): Passwords {
  const inTurn = createTurns(maxQueued)
  const derive = (password: string, nonce: Buffer, given: typeof cost) =>
    inTurn(() => argon2id({ ...given, nonce, message: normal(password), tagLength: tagBytes }))
  return {
    async hash(password) {
      const nonce = randomBytes(nonceBytes)
      const tag = await derive(password, nonce, cost)
      const { memory, passes, parallelism } = cost
      const parameters = `m=${memory},t=${passes},p=${parallelism}`
      return ['argon2id', parameters, text(nonce), text(tag)].join('$')
    },
    async verify(password, hash) {
      const [, memory, passes, parallelism, nonce, tag] = hashShape.exec(hash ?? '') ?? []
      if (nonce === undefined || tag === undefined) {
        await derive(password, randomBytes(nonceBytes), cost)
        return false
      }
      const given = {
        memory: Number(memory),
        passes: Number(passes),
        parallelism: Number(parallelism),
      }
      const wanted = Buffer.from(tag, 'base64url')
      return timingSafeEqual(await derive(password, Buffer.from(nonce, 'base64url'), given), wanted)
    },
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64url')

/** One password has several spellings in Unicode, and keyboards differ in which they make. */
const normal = (password: string): string => password.normalize('NFKC')

export function assertPassword(password: string): void {
  const { length } = [...normal(password)]
  if (length >= minPasswordLength && length <= maxPasswordLength) return
  throw validationError(
    `a password has ${minPasswordLength} to ${maxPasswordLength} characters; a sentence is fine.`,
  )
}

function argon2id(parameters: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, tag) => {
      if (error) reject(error)
      else resolve(tag)
    })
  })
}

/** Lets so many run at once and so many wait; who comes beyond that is refused. */
function createTurns(maxQueued: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (running >= maxAtOnce) {
      if (waiting.length >= maxQueued) {
        throw new AppError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 1 })
      }
      // Whoever ends hands its turn over, so nobody who comes now can take it away.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
