import Type from 'typebox'
import type { Beneficiary } from '../../beneficiaries/beneficiary.ts'
import { findBeneficiary } from '../../beneficiaries/find.ts'
import { unixSeconds } from '../../clock.ts'
import { route } from '../route.ts'

export const ExternalAccount = Type.Object({
  externalAccountId: Type.String(),
  country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  currency: Type.String(),
  destination: Type.String({ description: 'MoMo, Bank Account, Paybill or Till.' }),
  createdAt: Type.Integer({ description: 'Unix time in seconds.' }),
  payoutMethod: Type.Object({
    branchCode: Type.String({ description: 'Empty when there is none, like the code.' }),
    code: Type.String({ description: 'The operator of MoMo, the bank of a Bank Account.' }),
    accountName: Type.String(),
    accountNumber: Type.String({ description: 'A phone number has its country code, no plus.' }),
    businessNumber: Type.Optional(Type.String({ description: 'Of a Paybill.' })),
  }),
})

export const ExternalAccountId = Type.Object({
  externalAccountId: Type.String({ description: 'As answered when it was created.' }),
})

export const exampleExternalAccount = {
  externalAccountId: '01990a3c-5a00-7001-8a5b-3c2d1e0f0042',
  country: 'KE',
  currency: 'KES',
  destination: 'MoMo',
  createdAt: 1_790_000_000,
  payoutMethod: {
    branchCode: '',
    code: 'mpesa',
    accountName: 'Achieng Otieno',
    accountNumber: '254700000000',
  },
}

export const readExternalAccount = route({
  method: 'GET',
  path: '/external-accounts/:externalAccountId',
  auth: 'read',
  about: {
    id: 'readExternalAccount',
    tag: 'External accounts',
    summary: 'Read an external account',
  },
  input: { params: ExternalAccountId },
  output: Type.Object({ success: Type.Literal(true), data: ExternalAccount }),
  example: { output: { success: true, data: exampleExternalAccount } },
  errors: ['E-BEN.S-90'],
  async handle({ access, params }, { db }) {
    const found = await findBeneficiary(db, access, params.externalAccountId)
    return { success: true as const, data: showExternalAccount(found) }
  },
})

export function showExternalAccount(beneficiary: Beneficiary) {
  const { id, country, currency, destination, createdAt, businessNumber } = beneficiary
  return {
    externalAccountId: id,
    country,
    currency,
    destination,
    createdAt: unixSeconds(createdAt.getTime()),
    payoutMethod: {
      branchCode: beneficiary.branchCode ?? '',
      code: beneficiary.code ?? '',
      accountName: beneficiary.accountName,
      accountNumber: beneficiary.accountNumber,
      ...(businessNumber === null ? {} : { businessNumber }),
    },
  }
}
