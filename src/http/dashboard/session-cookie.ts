import { fastifyCookie } from '@fastify/cookie'
import type { Config } from '../../config.ts'
import { sessionLimitMs } from '../../people/sessions.ts'

export const cookieName = 'malipo_session'

/** Out of reach for scripts, and not sent along from other sites. */
export function sessionCookie(config: Pick<Config, 'publicUrl'>, token: string): string {
  return serialised(config, token, sessionLimitMs / 1000)
}

export function endedCookie(config: Pick<Config, 'publicUrl'>): string {
  return serialised(config, '', 0)
}

function serialised({ publicUrl }: Pick<Config, 'publicUrl'>, value: string, maxAge: number) {
  const secure = publicUrl?.startsWith('https:') ?? false
  return fastifyCookie.serialize(cookieName, value, {
    ...{ httpOnly: true, sameSite: 'strict', path: '/', secure, maxAge },
  })
}
