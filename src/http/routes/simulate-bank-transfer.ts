import Type from 'typebox'
import { AppError } from '../../errors.ts'
import { requestedMinor } from '../../transactions/requested-amount.ts'
import { route } from '../route.ts'

export const simulateBankTransfer = route({
  method: 'POST',
  path: '/utilities/simulate-bank-transfer',
  auth: 'charges',
  about: {
    id: 'simulateBankTransfer',
    tag: 'Sandbox',
    summary: 'Pay into a virtual account of the sandbox',
    description: 'Any amount can be sent, and more than once, to see what becomes of it.',
  },
  input: {
    body: Type.Object({
      accountNumber: Type.String({ minLength: 1, maxLength: 64 }),
      amount: Type.Number(),
    }),
  },
  output: Type.Object({ success: Type.Literal(true), message: Type.String() }),
  example: {
    body: { accountNumber: '9912345678', amount: 20000 },
    output: { success: true, message: 'Transfer sent.' },
  },
  errors: ['E-CH-PY.S-37', 'SANDBOX_ONLY'],
  async handle({ access, body }, { db, sandbox }) {
    if (access.environment !== 'sandbox') throw new AppError('SANDBOX_ONLY')
    const [account] = await db<{ currency: string }[]>`
      select t.currency from virtual_accounts v
      join transactions t on t.slot = v.slot and t.id = v.transaction_id
      where v.slot = ${access.slot} and t.account_id = ${access.accountId}
        and v.account_number = ${body.accountNumber}`
    if (!account) throw new AppError('E-CH-PY.S-37')
    const { currency } = account
    await sandbox.transfer({ ...body, currency, amount: requestedMinor(body.amount, currency) })
    return { success: true as const, message: 'Transfer sent.' }
  },
})
