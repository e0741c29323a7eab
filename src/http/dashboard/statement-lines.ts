import type { Sql } from '../../db/pool.ts'
import { AppError } from '../../errors.ts'
import { slotOf } from '../../ids.ts'
import { type WalletLine, walletLines } from '../../ledger/wallet-lines.ts'
import { type Wallet, walletById } from '../../ledger/wallets.ts'
import type { Access } from '../../merchants/tokens.ts'
import { decimalFromMinor } from '../../money/amounts.ts'
import { referencesOf } from '../../transactions/row.ts'

/** A wallet of the account, or a refusal that says nothing of anybody else's. */
export async function ownWallet(sql: Sql, access: Access, id: string): Promise<Wallet> {
  const wallet = slotOf(id) === access.slot ? await walletById(sql, access.slot, id) : undefined
  if (wallet?.accountId === access.accountId) return wallet
  throw new AppError('WALLET_NOT_FOUND')
}

export type StatementPage = { after?: bigint | undefined; limit: number; newestFirst: boolean }

/** Lines of a statement with the references of the transactions they belong to. */
export async function statementLines(
  sql: Sql,
  access: Access,
  wallet: Wallet,
  page: StatementPage,
) {
  const lines = await walletLines(sql, wallet, page)
  const ids = lines.map(({ transactionId }) => transactionId)
  const references = await referencesOf(sql, access, ids)
  return lines.map((line) => showLine(line, references.get(line.transactionId) ?? null))
}

function showLine(line: WalletLine, reference: string | null) {
  const { transactionId, step, debit, credit, currency } = line
  const decimal = (minor: bigint) => decimalFromMinor(minor, currency)
  return {
    ...{ seq: String(line.seq), at: line.postedAt.toISOString(), transactionId, reference },
    ...{ step, debit, credit, currency },
    amount: decimal(line.availableChange),
    heldChange: decimal(line.heldChange),
    availableAfter: decimal(line.availableAfter),
    heldAfter: decimal(line.heldAfter),
  }
}

export type StatementLine = ReturnType<typeof showLine>
