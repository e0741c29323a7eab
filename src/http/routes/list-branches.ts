import Type from 'typebox'
import { AppError } from '../../errors.ts'
import type { Branch } from '../../reference/reference.ts'
import { KeptAnswer } from '../kept-answer.ts'
import { route } from '../route.ts'

const keptSeconds = 300
const maxBankId = 2_147_483_647
const Code = Type.Union([Type.String(), Type.Null()])

export const listBranches = route({
  method: 'GET',
  path: '/utilities/branches',
  auth: 'read',
  about: {
    id: 'listBranches',
    tag: 'Reference data',
    summary: 'List the branches of a bank',
    description: 'Payouts to bank accounts in UG and TZ need the `branch_code`.',
  },
  input: {
    query: Type.Object({
      bankId: Type.Integer({
        minimum: 1,
        maximum: maxBankId,
        description: 'The `id` of the bank in the list of banks.',
      }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    data: Type.Array(
      Type.Object({
        id: Type.Integer(),
        branch_code: Type.String(),
        branch_name: Type.String(),
        swift_code: Code,
        bic: Code,
        bank_id: Type.Integer(),
      }),
    ),
  }),
  example: {
    output: {
      success: true,
      data: [
        {
          id: 4003001,
          branch_code: '040047',
          branch_name: 'Head Office',
          swift_code: 'SBICUGKX',
          bic: 'SBICUGKX',
          bank_id: 4003,
        },
      ],
    },
  },
  errors: ['E-API-UT.S-39'],
  async handle({ query: { bankId } }, { reference }) {
    const branches = reference.branches(bankId)
    if (branches.length === 0) throw new AppError('E-API-UT.S-39')
    const make = () => ({ success: true, data: branches.map(showBranch) })
    return new KeptAnswer(reference.rendered(`branches ${bankId}`, make), keptSeconds)
  },
})

function showBranch({ id, code, name, swiftCode, bic, bankId }: Branch) {
  return {
    id,
    branch_code: code,
    branch_name: name,
    swift_code: swiftCode,
    bic,
    bank_id: bankId,
  }
}
