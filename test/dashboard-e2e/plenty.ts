import type { Ending } from '../app-harness.ts'
import { waitFor } from '../harness.ts'
import { startReceiver } from '../receivers.ts'
import type { DashboardWorld } from './world.ts'

const names = [
  ...['Amina Otieno', 'Brian Kamau', 'Cynthia Wairimu', 'David Mwangi', 'Esther Achieng'],
  ...['Fatma Abdalla', 'George Njoroge', 'Halima Juma', 'Ibrahim Diallo', 'Joy Nakato'],
]
const endings = ['000', '000', '000', '000', '000', '000', '001', '002', '008', '003']
const places = [
  { currency: 'KES', country: 'KE', phone: '+254700000', operator: undefined, unit: 100 },
  { currency: 'KES', country: 'KE', phone: '+254711000', operator: undefined, unit: 250 },
  { currency: 'UGX', country: 'UG', phone: '+256772000', operator: 'mtn', unit: 10_000 },
  { currency: 'GHS', country: 'GH', phone: '+233241000', operator: 'mtn', unit: 15 },
]
const count = 360
const atOnce = 20
const historyDays = 45
const settleMs = 120_000

/** A busy business: hundreds of payments of all kinds, and weeks of them before today. */
export async function addPlenty(t: Ending, world: DashboardWorld): Promise<void> {
  const { api, db } = world
  const receiver = await startReceiver(t, (request, response) => {
    const isOdd =
      Number.parseInt(String(request.headers['webhook-id']).slice(-6, -4), 16) % 12 === 0
    response.statusCode = isOdd ? 503 : 200
    response.end(isOdd ? 'Service Unavailable' : 'ok')
  })
  await api('PUT', '/users/webhooks', { sandboxWebhookUrl: receiver.url })
  for (let start = 0; start < count; start += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => payment(world, start + at)))
  }
  await waitFor(
    async () => {
      const [open] = await db<{ count: number }[]>`
        select count(*)::int as count from transactions
        where status = 'pending' and account_number not like '%003' and method = 'momo'`
      return open!.count === 0
    },
    { timeoutMs: settleMs, everyMs: 200 },
  )
  await addPast(world)
}

/** The same every time: what differs depends on the number only. */
async function payment({ api }: DashboardWorld, number: number): Promise<void> {
  const name = names[number % names.length]!
  const place = places[number % places.length]!
  const ending = endings[(number * 7) % endings.length]!
  const amount = place.unit * (1 + ((number * 37) % 90))
  const { currency, country } = place
  const phone = place.phone + ending
  const email = `${name.split(' ')[0]!.toLowerCase()}@shop.example`
  const kind = number % 5
  if (kind < 2) {
    const code = place.operator ? { code: place.operator } : {}
    await api('POST', '/fiat/payout', {
      ...{ amount, currency, country, destination: 'MoMo', externalReference: `pay-${number}` },
      payoutMethod: { accountName: name, accountNumber: phone, ...code },
    })
  } else if (kind < 4) {
    const operator = place.operator ? { momoOperatorId: place.operator } : {}
    await api('POST', '/fiat/deposit/momo', {
      ...{ amount, currency, phoneNumber: phone, externalReference: `order-${number}` },
      ...operator,
    })
  } else {
    const [firstName, lastName] = name.split(' ')
    const card = number % 15 === 4 ? '4000000000000002' : '4242424242424242'
    await api('POST', '/fiat/deposit/card', {
      ...{ amount: amount + 900, currency: 'KES', email, firstName, lastName },
      externalReference: `cart-${number}`,
      cardDetails: { number: card, cvv: '123', expMonth: '12', expYear: '2030' },
    })
  }
}

/** What ended today, as if some of it had happened on each day before as well. */
async function addPast({ db }: DashboardWorld): Promise<void> {
  await db.unsafe(`
    insert into transactions
    select r.*
    from transactions t
    cross join generate_series(1, ${historyDays}) day
    cross join lateral (
      select (extract(epoch from t.created_at) * 1000)::bigint - day * 86400000::bigint
        + ('x' || substr(md5(t.id::text || day), 1, 6))::bit(24)::int * 3 as ms) moved
    cross join lateral jsonb_populate_record(t, jsonb_build_object(
      'id', lpad(to_hex(ms), 12, '0') || substr(replace(t.id::text, '-', ''), 13),
      'external_reference', t.external_reference || '-' || day, 'idempotency_key', null,
      'request_hash', null, 'created_at', to_timestamp(ms / 1000.0),
      'updated_at', to_timestamp(ms / 1000.0))) r
    where t.status <> 'pending' and t.kind <> 'reversal'
      and ('x' || substr(md5(day || t.id::text), 1, 4))::bit(16)::int % 100
        < 8 + 8 * abs(sin(day * 0.9))`)
}
