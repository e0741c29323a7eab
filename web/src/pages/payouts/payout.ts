import { ApiError, call, type Environment, publicPath } from '../../api/client.ts'
import {
  type DestinationValues,
  type ExternalAccount,
  emptyDestination,
  payoutMethodOf,
} from '../beneficiaries/destination.ts'
import type { Wallet } from '../money/wallets.ts'

export type PayoutValues = DestinationValues & {
  to: 'saved' | 'new'
  beneficiary: string
  /** Empty: the one that fits the beneficiary. */
  wallet: string
  amount: number | string
  externalReference: string
  save: boolean
}

/** Where the money goes, whoever said it. */
export type Target = DestinationValues & { beneficiaryId?: string }

export const emptyPayout = (beneficiary: string): PayoutValues => ({
  ...emptyDestination,
  to: beneficiary === '' ? 'new' : 'saved',
  beneficiary,
  wallet: '',
  amount: '',
  externalReference: newReference('payout'),
  save: false,
})

const randomLength = 8

/** A reference nobody has to think of: the day, and something that does not repeat. */
export function newReference(kind: string): string {
  const day = new Date().toISOString().slice(0, 10)
  return `${kind}-${day}-${crypto.randomUUID().slice(0, randomLength)}`
}

export function targetOf(values: PayoutValues, chosen: ExternalAccount | undefined): Target {
  if (values.to === 'new' || !chosen) return values
  const { externalAccountId, country, currency, destination, payoutMethod } = chosen
  const place = { country, currency, destination }
  return { ...emptyDestination, ...place, ...payoutMethod, beneficiaryId: externalAccountId }
}

/** The wallet that was chosen, else the one of the money that is sent. */
export function walletFor(
  wallets: readonly Wallet[],
  chosen: string,
  { currency, country }: Target,
): Wallet | undefined {
  const own = wallets.filter((each) => each.currency === currency)
  return (
    wallets.find((each) => each.id === chosen) ??
    own.find((each) => each.country === country) ??
    own[0]
  )
}

export type Draft = { values: PayoutValues; target: Target; wallet: Wallet }

/** Accepted, and known by this id. */
export async function sendPayout(environment: Environment, draft: Draft): Promise<string> {
  const { values, target, wallet } = draft
  const { country, currency, destination } = target
  const place = { country, currency, destination, payoutMethod: payoutMethodOf(target) }
  if (values.to === 'new' && values.save) await saveBeneficiary(environment, place)
  const to = target.beneficiaryId ? { externalAccountId: target.beneficiaryId } : place
  const { transactionId } = await call<{ transactionId: string }>(
    'POST',
    publicPath(environment, '/fiat/payout'),
    {
      ...to,
      amount: Number(values.amount),
      externalReference: values.externalReference.trim(),
      debitCurrency: wallet.currency,
      debitCountry: wallet.country,
    },
  )
  return transactionId
}

async function saveBeneficiary(environment: Environment, place: object): Promise<void> {
  try {
    const body = { ...place, type: 'payout' }
    await call('POST', publicPath(environment, '/external-accounts'), body)
  } catch (error) {
    // It is saved already, which is what was wanted.
    if (!(error instanceof ApiError && error.code === 'E-BEN.S-35')) throw error
  }
}

/** The id of a payout that was accepted though its answer did not arrive. */
export async function findSent(environment: Environment, reference: string): Promise<string> {
  const path = publicPath(environment, `/transactions/${encodeURIComponent(reference)}`)
  const { transactionId } = await call<{ transactionId: string }>('GET', path)
  return transactionId
}
