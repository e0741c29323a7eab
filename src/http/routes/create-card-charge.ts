import Type from 'typebox'
import { IdempotencyHeaders, moneyCaller } from '../charge-caller.ts'
import { route } from '../route.ts'

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ maxLength, description }))

const CardDetails = Type.Object({
  number: Type.String({ minLength: 12, maxLength: 30 }),
  cvv: Type.String({ minLength: 3, maxLength: 4 }),
  expMonth: Type.String({ minLength: 2, maxLength: 2, description: 'MM' }),
  expYear: Type.String({ minLength: 2, maxLength: 4, description: 'YY or YYYY' }),
})

const Address = Type.Object({
  zip: text(20, 'Postal code.'),
  country: text(60, 'Country.'),
  street1: text(200, 'Street and number.'),
  city: text(100, 'City.'),
  state: text(100, 'State or region.'),
})

const Device = Type.Object({
  colorDepth: Type.Optional(Type.Integer()),
  screenHeight: Type.Optional(Type.Integer()),
  screenWidth: Type.Optional(Type.Integer()),
  userAgent: text(500, 'The browser of the customer.'),
  timeZone: Type.Optional(Type.Integer()),
  deviceId: text(200, 'Your id of the device.'),
})

export const createCardCharge = route({
  method: 'POST',
  path: '/fiat/deposit/card',
  auth: 'charges',
  about: {
    id: 'createCardCharge',
    tag: 'Charges',
    summary: 'Collect by card',
    description:
      'Where a step follows, `data.stepRequired` says which: otp, pin and address are answered ' +
      'with the authorise operation, redirect by sending the customer to `data.redirectUrl`. The ' +
      'number and the cvv are never stored or logged.',
  },
  input: {
    headers: IdempotencyHeaders,
    body: Type.Object({
      amount: Type.Number({ description: 'In major units of currency.' }),
      currency: Type.String({ minLength: 3, maxLength: 3 }),
      email: Type.String({ minLength: 3, maxLength: 254 }),
      firstName: Type.String({ minLength: 1, maxLength: 100 }),
      lastName: Type.String({ minLength: 1, maxLength: 100 }),
      externalReference: Type.String({ minLength: 1, maxLength: 100 }),
      cardDetails: CardDetails,
      ipAddress: text(64, 'The IP address of the customer.'),
      address: Type.Optional(Address),
      device3DSInfo: Type.Optional(Device),
      redirectUrl: text(2048, 'Where the customer returns after a redirect.'),
      walletCurrency: text(3, 'The wallet to credit; the charge currency when absent.'),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    message: Type.String(),
    data: Type.Object({
      transactionId: Type.String(),
      stepRequired: Type.Optional(Type.String()),
      redirectUrl: Type.Optional(Type.String()),
    }),
  }),
  example: {
    body: {
      amount: 25,
      currency: 'KES',
      email: 'wanjiru@shop.example',
      firstName: 'Wanjiru',
      lastName: 'Mwangi',
      externalReference: 'order-1025',
      cardDetails: { number: '4242424242424242', cvv: '123', expMonth: '12', expYear: '2030' },
    },
    output: {
      success: true,
      message: 'Charge initiated.',
      data: { transactionId: '0199c2f4-8f6e-7abc-9def-0123456700a7' },
    },
  },
  errors: [
    ...(['E-API-D.S-28', 'UNSUPPORTED_CURRENCY', 'WALLET_CURRENCY_NOT_SUPPORTED'] as const),
    ...(['AMOUNT_OUT_OF_BOUNDS', 'PROVIDER_NOT_FOUND', 'FX_RATE_UNAVAILABLE'] as const),
    'IDEMPOTENCY_KEY_REUSED',
  ],
  async handle({ access, headers, body, setHeader }, { charges }) {
    const caller = moneyCaller(access, 'charge', headers, body)
    const { id, replayed, charge } = await charges.acceptCard(caller, body)
    if (replayed) setHeader('idempotent-replayed', 'true')
    const { stepRequired, redirectUrl } = charge
    return {
      success: true as const,
      message: stepRequired ? `Authorisation required: ${stepRequired}.` : 'Charge initiated.',
      data: {
        transactionId: id,
        ...(stepRequired ? { stepRequired } : {}),
        ...(redirectUrl ? { redirectUrl } : {}),
      },
    }
  },
})
