import { fileOf } from '../batches.ts'
import { waitFor } from '../harness.ts'
import type { CallerName, Callers } from './requests.ts'
import type { KnownIds } from './valid-values.ts'

type Json = Record<string, unknown>
type Call = (caller: CallerName, method: string, path: string, body?: Json) => Promise<Json>

const each = 8
const waitMs = 20_000

/** Makes some of everything, so that requests find what they name. */
export async function fillStock(port: number, callers: Callers, round: number): Promise<KnownIds> {
  const call = callOn(port, callers)
  const beneficiaries = await many((at) =>
    call('all', 'POST', '/api/b2b/external-accounts', {
      ...{ country: 'KE', currency: 'KES', destination: 'MoMo' },
      payoutMethod: { accountName: `Amina ${at}`, accountNumber: `+2547000001${10 + at}` },
    }),
  )
  const charges = await many((at) =>
    call('all', 'POST', '/api/b2b/fiat/deposit/momo', {
      ...{ amount: 100 + at, currency: 'KES', phoneNumber: '+254700000000' },
      externalReference: `setup-${at}`,
    }),
  )
  const waiting = await many((at) =>
    call('all', 'POST', '/api/b2b/fiat/deposit/momo', {
      ...{ amount: 100 + at, currency: 'KES', phoneNumber: '+254700000004' },
      externalReference: `setup-code-${at}`,
    }),
  )
  const payouts = await many((at) =>
    call('all', 'POST', '/api/b2b/fiat/payout', {
      ...{ amount: 10 + at, externalReference: `setup-payout-${at}`, currency: 'KES' },
      ...{ country: 'KE', destination: 'MoMo' },
      payoutMethod: { accountName: 'Amina Otieno', accountNumber: '+254700000000' },
    }),
  )
  const virtual = await many(async (at) => ({ number: await bringTooMuch(call, at) }))
  const transactions = idsOf([...charges, ...waiting, ...payouts])
  const references = Array.from({ length: each }, (_, at) => `setup-${at}`)
  const webhooks = await listOf(call, 'all', '/api/b2b/webhooks', '_id')
  return {
    'external-accounts': beneficiaries.map(({ data }) => String((data as Json).id)),
    deposit: [...transactions, ...references],
    transactions: [...transactions, ...references],
    ...{ webhook: webhooks, webhooks, references },
    virtual: virtual.map(({ number }) => String(number)),
    banks: await listOf(call, 'all', '/api/b2b/utilities/banks?country=UG', 'id'),
    ...(await ofDashboard(call, round)),
  }
}

const idsOf = (answers: Json[]) => answers.map(({ transactionId }) => String(transactionId))

async function ofDashboard(call: Call, round: number): Promise<KnownIds> {
  const side = '/dashboard/sandbox'
  const keys = await many((at) => call('owner', 'POST', `${side}/keys`, { name: `key ${at}` }))
  const batches = await many((at) => {
    const csv = fileOf([[`batch-${at}-1`, '10', '000']])
    return call('owner', 'POST', `${side}/batches`, { name: `batch ${at}`, csv })
  })
  const people = await many((at) =>
    call('owner', 'POST', '/dashboard/people', {
      ...{ email: `joins-${round}-${at}@shop.example`, name: `Joins ${at}`, role: 'viewer' },
    }),
  )
  const madeIds = (answers: Json[]) => answers.map(({ data }) => String((data as Json).id))
  const links = people.map(
    ({ data }) =>
      String((data as Json).invitation)
        .split('/')
        .at(-1)!,
  )
  return {
    ...{
      keys: madeIds(keys),
      batches: madeIds(batches),
      people: madeIds(people),
      invitation: links,
    },
    wallets: await listOf(call, 'owner', `${side}/wallets`, 'id'),
    suspense: await listOf(call, 'owner', `${side}/suspense`, 'id'),
  }
}

/** More than a charge asks for is money without a home. */
async function bringTooMuch(call: Call, at: number): Promise<unknown> {
  const { data } = await call('all', 'POST', '/api/b2b/fiat/deposit/bank-transfer', {
    ...{ amount: 2000, currency: 'NGN', email: 'ada@shop.example' },
    externalReference: `too-much-${at}`,
  })
  const { accountNumber } = (data as { virtualAccount: Json }).virtualAccount
  const paid = { accountNumber, amount: 2500 }
  await call('all', 'POST', '/api/b2b/utilities/simulate-bank-transfer', paid)
  return accountNumber
}

async function many(make: (at: number) => Promise<Json>): Promise<Json[]> {
  const made: Json[] = []
  for (let at = 0; at < each; at++) made.push(await make(at))
  return made
}

/** What a list has, as soon as it has something: some of it comes by the work in the background. */
async function listOf(
  call: Call,
  caller: CallerName,
  path: string,
  name: string,
): Promise<string[]> {
  const found = await waitFor(
    async () => {
      const { data } = (await call(caller, 'GET', path)) as { data: Json[] }
      return data.length > 0 ? data : undefined
    },
    { timeoutMs: waitMs, everyMs: 100 },
  )
  return found.map((item) => String(item[name] ?? item.id))
}

function callOn(port: number, callers: Callers): Call {
  return async (caller, method, path, body) => {
    const lines = callers(caller).map((line) => line.split(': ') as [string, string])
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: [...lines, ...(body ? [['content-type', 'application/json'] as const] : [])].map(
        ([name, value]): [string, string] => [name, value],
      ),
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${method} ${path} was refused: ${text}`)
    return JSON.parse(text)
  }
}
