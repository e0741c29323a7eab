import { waitFor } from '../harness.ts'
import { patienceMs } from './visit.ts'
import { type DashboardWorld, requestAs } from './world.ts'

/** Something to see on every page. */
export type Examples = {
  payoutId: string
  declinedId: string
  /** A bank transfer that still waits for its money. */
  chargeId: string
  walletId: string
  /** A draft with mistakes in it. */
  batchId: string
  doneBatchId: string
  webhookId: string
  joinPath: string
}

type World = Pick<DashboardWorld, 'api' | 'db' | 'person' | 'url'>
type Begun = { transactionId?: string; data?: { transactionId: string } }

const idOf = ({ transactionId, data }: Begun): string => transactionId ?? data!.transactionId

export const payByPhone = async ({ api }: Pick<World, 'api'>, reference: string, ending: string) =>
  idOf(
    await api<Begun>('POST', '/fiat/payout', {
      ...{ amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo' },
      externalReference: reference,
      payoutMethod: { accountName: 'Amina Otieno', accountNumber: `+254700000${ending}` },
    }),
  )

const chargeByTransfer = async ({ api }: World, reference: string) =>
  idOf(
    await api<Begun>('POST', '/fiat/deposit/bank-transfer', {
      ...{ amount: 20_000, currency: 'KES', email: 'wanjiru@shop.example' },
      externalReference: reference,
    }),
  )

export async function addExamples(world: World): Promise<Examples> {
  const { api, db } = world
  const owner = await world.person('owner')
  const dashboard = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const response = await requestAs(world, owner, method, path, body)
    const answer = (await response.json()) as { data: Data }
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  // Nobody listens there, so events fail.
  await api('PUT', '/users/webhooks', { sandboxWebhookUrl: 'http://127.0.0.1:9/hook' })
  const payoutId = await payByPhone(world, 'example-paid', '000')
  const declinedId = await payByPhone(world, 'example-declined', '001')
  await payByPhone(world, 'example-pending', '003')
  await addBeneficiaries(world)
  const chargeId = await chargeByTransfer(world, 'example-transfer')
  await payTooLittle(world, chargeId)
  const batch = await dashboard<{ id: string }>('POST', '/sandbox/batches', {
    ...{ name: 'Suppliers of November', csv: suppliers },
  })
  const done = await dashboard<{ id: string }>('POST', '/sandbox/batches', {
    ...{ name: 'Salaries of October', csv: salaries },
  })
  await dashboard('POST', `/sandbox/batches/${done.id}/submit`, { skipInvalid: false })
  const { invitation } = await dashboard<{ invitation: string }>('POST', '/people', {
    ...{ email: 'zuri@shop.example', name: 'Zuri Njeri', role: 'finance' },
  })
  await waitFor(
    async () => {
      const open = await db`
        select from transactions where status = 'pending' and id in (${payoutId}, ${declinedId})
        union all select from batches where id = ${done.id} and state <> 'done'`
      return open.length === 0
    },
    { timeoutMs: patienceMs },
  )
  const [found] = await db<{ walletId: string; webhookId: string }[]>`
    select t.wallet_id as "walletId", w.id as "webhookId"
    from transactions t join webhooks w on w.slot = t.slot and w.transaction_id = t.id
    where t.id = ${payoutId} order by w.id limit 1`
  return {
    ...{ payoutId, declinedId, chargeId, ...found!, joinPath: invitation },
    ...{ batchId: batch.id, doneBatchId: done.id },
  }
}

const columns = 'reference,amount,currency,country,destination,accountName,accountNumber'

const suppliers = `${columns}
supplier-1,150000,KES,KE,MoMo,Kioko Hardware,+254700000000
supplier-2,twelve,KES,KE,MoMo,Mama Mboga,+254700000000
supplier-3,8000,KES,KE,Pigeon,Boda Express,+254700000000
supplier-4,9500.50,KES,KE,MoMo,Duka la Maji,12
`
const salaries = `${columns}
salary-1,45000,KES,KE,MoMo,Amina Otieno,+254700000000
salary-2,38000,KES,KE,MoMo,Brian Kamau,+254700000001
salary-3,61000,KES,KE,MoMo,Cynthia Wairimu,+254700000000
`

const beneficiaries = [
  ['KE', 'KES', 'MoMo', { accountName: 'Amina Otieno', accountNumber: '+254700000000' }],
  ['KE', 'KES', 'Till', { accountName: 'Duka la Maji', accountNumber: '512340' }],
  [
    ...(['KE', 'KES', 'Paybill'] as const),
    { accountName: 'Kenya Power', accountNumber: '998877', businessNumber: '888880' },
  ],
] as const

async function addBeneficiaries({ api }: World): Promise<void> {
  for (const [country, currency, destination, payoutMethod] of beneficiaries) {
    const account = { type: 'payout', country, currency, destination, payoutMethod }
    await api('POST', '/external-accounts', account)
  }
}

/** Money that settles nothing, for the page of suspense. */
async function payTooLittle({ api, db }: World, chargeId: string): Promise<void> {
  const account = await waitFor(
    async () =>
      (
        await db<{ number: string }[]>`
          select account_number as number from virtual_accounts where transaction_id = ${chargeId}`
      )[0],
    { timeoutMs: patienceMs },
  )
  await api('POST', '/utilities/simulate-bank-transfer', {
    ...{ accountNumber: account.number, amount: 123 },
  })
}
