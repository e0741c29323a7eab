import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { People } from '../../people/people.ts'
import type { SignedIn } from '../../people/person.ts'
import { csrfOf } from '../../people/secrets.ts'
import type { May } from './dashboard-route.ts'

export type Knock = {
  method: string
  headers: IncomingHttpHeaders
  sessionToken: string | undefined
}

type Parts = { people: Pick<People, 'sessions'>; config: Pick<Config, 'publicUrl'> }

/** Who calls, and whether they may: page, session, token of the page and role, in this order. */
export async function authenticatePerson(
  { people, config }: Parts,
  { method, headers, sessionToken }: Knock,
  may: May,
): Promise<SignedIn | undefined> {
  const changes = method !== 'GET'
  if (changes) assertOwnPage(headers, config.publicUrl)
  const person = await people.sessions.find(sessionToken)
  if (may === 'anyone') return person
  if (!person) throw new AppError('UNAUTHORIZED', { message: 'Sign in first.' })
  if (changes) assertToken(headers['x-csrf-token'], sessionToken!)
  if (may !== 'signed-in' && !may.includes(person.role)) {
    throw new AppError('FORBIDDEN', { message: `The role ${person.role} may not do that.` })
  }
  return person
}

/**
 * A browser says which page makes a request, and a page cannot lie about it. Programs that are no
 * browsers say nothing; they have no cookie that somebody could misuse.
 */
function assertOwnPage(headers: IncomingHttpHeaders, publicUrl: string | undefined): void {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const isOwnOrigin = origin === undefined || isOwn(origin, host, publicUrl)
  if (isOtherSite || !isOwnOrigin) throw new AppError('CSRF_REFUSED')
}

function isOwn(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  return given.host === host || given.origin === (publicUrl && new URL(publicUrl).origin)
}

function assertToken(given: string | string[] | undefined, sessionToken: string): void {
  const wanted = Buffer.from(csrfOf(sessionToken))
  const bytes = Buffer.from(typeof given === 'string' ? given : '')
  if (bytes.length === wanted.length && timingSafeEqual(bytes, wanted)) return
  throw new AppError('CSRF_REFUSED')
}
