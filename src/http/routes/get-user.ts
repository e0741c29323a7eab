import Type from 'typebox'
import type { Wallet } from '../../ledger/wallets.ts'
import { readProfile } from '../../merchants/profile.ts'
import { numberFromMinor } from '../../money/amounts.ts'
import { route } from '../route.ts'

const Balance = Type.Object({ balance: Type.Number() })

export const getUser = route({
  method: 'GET',
  path: '/users',
  auth: 'read',
  about: {
    id: 'getUser',
    tag: 'User',
    summary: 'Read the profile and the wallet balances',
    description:
      'Balances are those of the environment of the token. A currency held in several countries ' +
      'shows its total in `<CUR>Wallet` and each country in `wallets`.',
  },
  input: {},
  output: Type.Object(
    {
      success: Type.Literal(true),
      firstName: Type.String(),
      lastName: Type.String(),
      email: Type.String(),
      publicKey: Type.String(),
      webhookUrl: Type.String({ description: 'Where live events go; empty when not set.' }),
      sandboxWebhookUrl: Type.String({ description: 'Where sandbox events go.' }),
      webhooksPausedAt: Type.Optional(
        Type.String({
          description:
            'Since when no events are sent, because none had arrived for days; absent otherwise.',
        }),
      ),
      wallets: Type.Array(
        Type.Object({
          currency: Type.String(),
          country: Type.String(),
          balance: Type.Number({ description: 'What can be spent.' }),
          reserved: Type.Number({ description: 'Set aside for payouts in flight.' }),
        }),
      ),
    },
    { patternProperties: { '^[A-Z]{3}Wallet$': Balance } },
  ),
  example: {
    output: {
      success: true,
      firstName: 'Demo',
      lastName: 'Merchant',
      email: 'demo@malipo.example',
      publicKey: 'pk_sandbox_5yTt0oQvN9mK2rXcWbLd8eHa',
      webhookUrl: 'https://shop.example/malipo',
      sandboxWebhookUrl: '',
      KESWallet: { balance: 25000.5 },
      wallets: [{ currency: 'KES', country: 'KE', balance: 25000.5, reserved: 1200 }],
    } as never,
  },
  errors: ['E-B2B-S-118'],
  async handle({ access }, { db }) {
    const { wallets, webhookUrl, sandboxWebhookUrl, webhooksPausedAt, ...person } =
      await readProfile(db, access)
    return {
      success: true as const,
      ...person,
      webhookUrl: webhookUrl ?? '',
      sandboxWebhookUrl: sandboxWebhookUrl ?? '',
      ...(webhooksPausedAt ? { webhooksPausedAt: webhooksPausedAt.toISOString() } : {}),
      ...totalsOf(wallets),
      wallets: wallets.map(({ currency, country, available, held }) => ({
        currency,
        country,
        balance: numberFromMinor(available, currency),
        reserved: numberFromMinor(held, currency),
      })),
    }
  },
})

function totalsOf(wallets: readonly Wallet[]): Record<string, { balance: number }> {
  const totals = new Map<string, bigint>()
  for (const { currency, available } of wallets) {
    totals.set(currency, (totals.get(currency) ?? 0n) + available)
  }
  return Object.fromEntries(
    [...totals].map(([currency, total]) => [
      `${currency}Wallet`,
      { balance: numberFromMinor(total, currency) },
    ]),
  )
}
