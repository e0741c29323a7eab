export type Step = {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below /api. `{name}` stands for what an earlier answer was asked to keep. */
  path: string
  body?: Record<string, unknown>
  headers?: Record<string, string>
  /** Names for parts of the answer, by their path in it. */
  keep?: Record<string, string>
  /** How long work behind the API is given before this is asked. */
  afterMs?: number
}

const customer = { email: 'wanjiru@shop.example', firstName: 'Wanjiru', lastName: 'Mwangi' }
const card = { number: '4242424242424242', cvv: '123', expMonth: '12', expYear: '2030' }
const kenya = { currency: 'KES', country: 'KE', destination: 'MoMo' }

function payout(number: number, phone: string, more: Record<string, unknown> = {}) {
  return {
    ...{ amount: 10, ...kenya, externalReference: `{run}-payout-${number}` },
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: phone },
    ...more,
  }
}

const payoutSteps: Step[] = [
  {
    ...{ name: 'a payout', method: 'POST', path: '/b2b/fiat/payout' },
    ...{ body: payout(1, '+254700000000'), keep: { payout: 'transactionId' } },
  },
  {
    ...{ name: 'the same again', method: 'POST', path: '/b2b/fiat/payout' },
    body: payout(1, '+254700000000'),
  },
  {
    ...{ name: 'one that will fail', method: 'POST', path: '/b2b/fiat/payout' },
    body: payout(2, '+254700000001'),
  },
  {
    ...{ name: 'one without a clear answer', method: 'POST', path: '/b2b/fiat/payout' },
    body: payout(3, '+254700000005'),
  },
  {
    ...{ name: 'one from another currency', method: 'POST', path: '/b2b/fiat/payout' },
    body: payout(4, '+254700000000', { debitCurrency: 'UGX' }),
  },
  {
    ...{ name: 'one to a beneficiary', method: 'POST', path: '/b2b/fiat/payout' },
    body: {
      ...{ amount: 10, ...kenya, externalReference: '{run}-payout-5' },
      externalAccountId: '{beneficiary}',
    },
  },
  {
    ...{ name: 'more than there is', method: 'POST', path: '/b2b/fiat/payout' },
    body: payout(6, '+254700000000', { amount: 900_000_000 }),
  },
  ...['one with a key', 'the same key again'].map<Step>((name) => ({
    ...{ name, method: 'POST', path: '/b2b/fiat/payout', body: payout(7, '+254700000000') },
    headers: { 'idempotency-key': '{run}-key-1' },
  })),
]

const chargeSteps: Step[] = [
  {
    ...{ name: 'a charge by phone', method: 'POST', path: '/b2b/fiat/deposit/momo' },
    body: {
      ...{ amount: 15, currency: 'KES', phoneNumber: '+254700000000' },
      externalReference: '{run}-charge-1',
    },
    keep: { charge: 'transactionId' },
  },
  {
    ...{ name: 'one that asks for a code', method: 'POST', path: '/b2b/fiat/deposit/momo' },
    body: {
      ...{ amount: 15, currency: 'KES', phoneNumber: '+254700000004' },
      externalReference: '{run}-charge-2',
    },
    keep: { asking: 'transactionId' },
  },
  {
    ...{ name: 'its code', method: 'POST', path: '/b2b/fiat/deposit/{asking}/authorise' },
    ...{ body: { type: 'otp', value: '123456' }, afterMs: 1000 },
  },
  {
    ...{ name: 'a charge by card', method: 'POST', path: '/b2b/fiat/deposit/card' },
    body: {
      ...{ amount: 25, currency: 'KES', ...customer, cardDetails: card },
      externalReference: '{run}-charge-3',
    },
  },
  {
    ...{ name: 'a bank transfer', method: 'POST', path: '/b2b/fiat/deposit/bank-transfer' },
    body: {
      ...{ amount: 20_000, currency: 'NGN', email: customer.email },
      externalReference: '{run}-charge-4',
    },
    keep: { virtualAccount: 'data.virtualAccount.accountNumber' },
  },
  ...['the transfer arrives', 'and once more'].map<Step>((name) => ({
    ...{ name, method: 'POST', path: '/b2b/utilities/simulate-bank-transfer' },
    body: { accountNumber: '{virtualAccount}', amount: 20_000 },
  })),
  {
    ...{ name: 'an event is simulated', method: 'POST', afterMs: 1500 },
    path: '/sandbox/b2b/utilities/simulate-webhook',
    body: { externalReference: '{run}-payout-3', webhookStatus: 'successful' },
  },
]

const beneficiaryBody = {
  ...{ ...kenya, type: 'payout' },
  payload: {
    ...{ firstName: 'Achieng', lastName: 'Otieno', phoneNumber: '+254700000000' },
    destination: 'MoMo',
  },
}

const readSteps: Step[] = [
  { name: 'the list', method: 'GET', path: '/b2b/transactions' },
  {
    ...{ name: 'the list, filtered', method: 'GET' },
    path: '/b2b/transactions?status=successful&currency=KES&limit=5&type=withdrew',
  },
  { name: 'a payout, read', method: 'GET', path: '/b2b/transactions/{payout}' },
  { name: 'a charge, read', method: 'GET', path: '/b2b/transactions/{charge}' },
  { name: 'one by its reference', method: 'GET', path: '/b2b/transactions/{run}-charge-1' },
  {
    ...{ name: 'the events', method: 'GET', path: '/b2b/webhooks?limit=20' },
    keep: { event: 'data.0.id' },
  },
  { name: 'an event, read', method: 'GET', path: '/b2b/webhook/{event}' },
  { name: 'an event, sent again', method: 'POST', path: '/b2b/webhooks/{event}/resend' },
  { name: 'events of one', method: 'GET', path: '/b2b/webhooks?reference={run}-payout-1' },
]

const referenceSteps: Step[] = [
  {
    ...{ name: 'whose number', method: 'POST', path: '/b2b/utilities/account/resolve' },
    body: {
      ...{ accountNumber: '+254700000000', currency: 'KES' },
      ...{ method: 'momo', momoOperator: 'mpesa' },
    },
  },
  ...[
    'countries',
    'banks?country=KE',
    'mobile-money-operators?country=KE',
    'rates/historical?from=USD&to=KES',
    'rates?from=USD&to=KES&amount=10',
  ].map<Step>((name) => ({ name, method: 'GET', path: `/b2b/utilities/${name}` })),
]

/** What programs of merchants ask, in an order in which each finds what it needs. */
export const steps: readonly Step[] = [
  {
    ...{ name: 'a token', method: 'POST', path: '/b2b/auth/generate-bearer-token' },
    ...{ body: { publicKey: '{publicKey}' }, headers: { 'api-key': '{apiKey}' } },
    keep: { token: 'token' },
  },
  { name: 'the profile', method: 'GET', path: '/b2b/users' },
  {
    ...{ name: 'where events go', method: 'PUT', path: '/b2b/users/webhooks' },
    body: { sandboxWebhookUrl: 'http://localhost:9/events' },
  },
  {
    ...{ name: 'a beneficiary', method: 'POST', path: '/b2b/external-accounts' },
    ...{ body: beneficiaryBody, keep: { beneficiary: 'data.id' } },
  },
  { name: 'beneficiaries', method: 'GET', path: '/b2b/external-accounts' },
  { name: 'the beneficiary', method: 'GET', path: '/b2b/external-accounts/{beneficiary}' },
  {
    ...{ name: 'another number', method: 'PUT', path: '/b2b/external-accounts/{beneficiary}' },
    body: {
      ...kenya,
      payoutMethod: {
        ...{ accountName: 'Achieng Otieno', accountNumber: '+254700000010' },
        ...{ code: 'mpesa', branchCode: '' },
      },
    },
  },
  ...payoutSteps,
  ...chargeSteps,
  ...readSteps,
  ...referenceSteps,
  {
    ...{ name: 'no beneficiary any more', method: 'DELETE' },
    path: '/b2b/external-accounts/{beneficiary}',
  },
  {
    ...{ name: 'another secret', method: 'POST', path: '/b2b/users/webhooks/rotate-secret' },
    body: {},
  },
  {
    ...{ name: 'no token', method: 'GET', path: '/b2b/users' },
    headers: { authorization: 'Bearer nonsense' },
  },
]
