import { AppError } from '../errors.ts'
import type { Scope } from '../merchants/account.ts'
import { allowsAddress } from '../merchants/networks.ts'
import type { Access, Tokens } from '../merchants/tokens.ts'

export type Asked = { authorization: string | undefined; ip: string; sandboxPath: boolean }

const scheme = /^Bearer +([^\s]+) *$/i

/** Who calls, and whether they may: token, path, address and scope, in this order. */
export async function authenticate(tokens: Tokens, asked: Asked, scope: Scope): Promise<Access> {
  const token = scheme.exec(asked.authorization ?? '')?.[1]
  if (token === undefined) throw new AppError('UNAUTHORIZED')
  const access = await tokens.verify(token)
  if (asked.sandboxPath && access.environment !== 'sandbox') throw new AppError('SANDBOX_ONLY')
  if (!allowsAddress(access.ipAllowList, asked.ip)) throw new AppError('IP_NOT_ALLOWED')
  if (!access.scopes.has(scope)) {
    throw new AppError('FORBIDDEN', {
      message: `This credential does not have the scope ${scope}.`,
    })
  }
  return access
}
