import type { Db } from '../db/pool.ts'
import { validationError } from '../errors.ts'
import type { VirtualAccount } from '../rails/rail.ts'
import type { Charge } from './charge.ts'
import { type ChargeDraft, chargeCurrency, sendWithinMs } from './prepare.ts'

export type BankTransferRequest = {
  amount: number
  currency: string
  externalReference: string
  email: string
  walletCurrency?: string | undefined
}

export type OpenedAccount = VirtualAccount & { createdAt: Date; expiresAt: Date }

const lifetimeMs = 2 * 3_600_000
const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

export function readBankTransferRequest(request: BankTransferRequest): ChargeDraft {
  const currency = chargeCurrency(request.currency)
  const { amount, externalReference, email, walletCurrency } = request
  if (!emailShape.test(email)) throw validationError('email must be an e-mail address.')
  return {
    ...{ amount, externalReference, currency, walletCurrency, sendWithinMs },
    ...{ country: currency.defaultScope, method: 'bank', destination: 'Bank Account' },
    ...{ operator: null, accountName: '', accountNumber: '', beneficiaryId: null },
    details: { email },
    deadlineMs: lifetimeMs,
  }
}

/** Written before it is shown: an account somebody may pay into must be known to us. */
export async function storeVirtualAccount(
  db: Db,
  charge: Charge,
  { accountNumber, bankName, note }: VirtualAccount,
): Promise<OpenedAccount> {
  const { slot, id, rail, createdAt, deadlineAt: expiresAt } = charge
  await db`
    with opened as (
      insert into virtual_accounts (slot, transaction_id, rail, account_number, bank_name, note,
        created_at, expires_at)
      values (${slot}, ${id}, ${rail}, ${accountNumber}, ${bankName}, ${note}, ${createdAt},
        ${expiresAt})
      on conflict (slot, transaction_id) do nothing
    )
    update transactions set account_number = ${accountNumber}
    where slot = ${slot} and id = ${id}`
  return { accountNumber, bankName, note, createdAt, expiresAt }
}

export async function readVirtualAccount(
  db: Db,
  slot: number,
  transactionId: string,
): Promise<OpenedAccount | undefined> {
  const [found] = await db<OpenedAccount[]>`
    select account_number as "accountNumber", bank_name as "bankName", note,
      created_at as "createdAt", expires_at as "expiresAt"
    from virtual_accounts where slot = ${slot} and transaction_id = ${transactionId}`
  return found
}
