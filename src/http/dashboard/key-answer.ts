import Type from 'typebox'
import type { Sql } from '../../db/pool.ts'
import { AppError } from '../../errors.ts'
import type { Credential } from '../../merchants/account.ts'
import { credentialById } from '../../merchants/credentials.ts'
import type { Access } from '../../merchants/tokens.ts'
import { Text, TextOrNull, timeOrNull } from './view-answers.ts'

export const KeyView = Type.Object({
  id: Text,
  name: Text,
  publicKey: Text,
  scopes: Type.Array(Text),
  ipAllowList: Type.Array(Text),
  createdAt: Text,
  expiresAt: TextOrNull,
  revokedAt: TextOrNull,
})

/** The only answer that has an API key in it. */
export const NewKey = Type.Object({ ...KeyView.properties, apiKey: Text })

export function showKey(credential: Credential) {
  const { id, name, publicKey, scopes, ipAllowList, createdAt, expiresAt, revokedAt } = credential
  return {
    ...{ id, name, publicKey, scopes, ipAllowList, createdAt: createdAt.toISOString() },
    ...{ expiresAt: timeOrNull(expiresAt), revokedAt: timeOrNull(revokedAt) },
  }
}

/** Whose a credential is never changes, so it can be looked at before it is changed. */
export async function ownKey(sql: Sql, access: Access, id: string): Promise<Credential> {
  const credential = await credentialById(sql, id)
  if (credential.accountId === access.accountId) return credential
  throw new AppError('CREDENTIAL_NOT_FOUND')
}
