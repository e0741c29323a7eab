import assert from 'node:assert/strict'
import {
  type Answer,
  keysOf,
  makeKeys,
  makeMerchant,
  type Request,
  type TestNode,
  tokenFor,
} from './app-harness.ts'

export type Caller = (method: Request['method'], path?: string, body?: unknown) => Promise<Answer>

/** Calls for a merchant of its own, so that no test meets the accounts of another. */
export async function newCaller(node: TestNode, scopes?: string[]): Promise<Caller> {
  const { sandbox } = await makeMerchant(node.db)
  const keys = scopes ? await makeKeys(node.db, sandbox, { scopes }) : keysOf(sandbox)
  const authorization = `Bearer ${await tokenFor(node, keys)}`
  return (method, path = '', body) =>
    node.send({
      method,
      url: `/api/b2b/external-accounts${path}`,
      headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { payload: JSON.stringify(body) } : {}),
    })
}

export const person = {
  country: 'KE',
  currency: 'KES',
  type: 'payout',
  payload: {
    firstName: 'Achieng',
    lastName: 'Otieno',
    phoneNumber: '+254700000001',
    destination: 'MoMo',
  },
}
export const bank = {
  country: 'KE',
  currency: 'KES',
  destination: 'Bank Account',
  payoutMethod: { accountName: 'Duka Ltd', accountNumber: '1234567890', code: '01' },
}
export const branchMissing = {
  success: false,
  message: 'Validation error: Branch code is required for UG and TZ.',
  errorCode: 'VALIDATION_ERROR',
}
export const missing = {
  success: false,
  message: 'Missing external account!',
  errorCode: 'E-BEN.S-90',
}
export const inUse = {
  success: false,
  message: 'Account number already in use.',
  errorCode: 'E-BEN.S-35',
}

export async function created(call: Caller, body: unknown): Promise<string> {
  const { status, text, body: answer } = await call('POST', '', body)
  assert.equal(status, 200, text)
  assert.deepEqual(Object.keys(answer), ['success', 'message', 'data'])
  const { id } = answer.data as { id: string }
  return id
}

export async function shown(call: Caller, id: string): Promise<Record<string, unknown>> {
  const { status, body } = await call('GET', `/${id}`)
  assert.equal(status, 200)
  return body.data as Record<string, unknown>
}

export async function stored(call: Caller, body: unknown): Promise<Record<string, unknown>> {
  const {
    externalAccountId: _id,
    createdAt: _at,
    ...rest
  } = await shown(call, await created(call, body))
  return rest
}
