import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { Db, Sql } from '../db/pool.ts'
import { transaction } from '../db/transaction.ts'
import { type UnnestColumns, unnest } from '../db/unnest.ts'
import { validationError } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Owner } from '../ledger/wallets.ts'
import { audit, personActor } from '../merchants/audit.ts'
import { type FeeRule, feeFor } from '../merchants/fee-plan.ts'
import {
  type Actor,
  type BatchKey,
  type CheckedLine,
  type LineCaller,
  maxErrorsShown,
  type PlacedError,
  type Total,
} from './batch.ts'
import { type CheckParts, checkLines } from './check-lines.ts'
import { currencyOf } from './line-request.ts'
import { readFile } from './read-file.ts'

export type CreateParts = CheckParts & { db: Db; clock: Clock; ids: Ids }
export type NewBatch = { name: string; csv: string }
export type AccountOfBatch = Owner & { feePlan: readonly FeeRule[] }

const linesPerInsert = 2000

/** Reads and checks a file and keeps it as a draft. Nothing is paid by this. */
export async function createBatch(
  parts: CreateParts,
  account: AccountOfBatch,
  actor: Actor,
  { name, csv }: NewBatch,
): Promise<{ key: BatchKey; errors: PlacedError[] }> {
  const title = name.trim()
  if (title === '' || /\p{Cc}/u.test(title)) {
    throw validationError('name must not be empty and must not have control characters.')
  }
  const { slot, accountId } = account
  const key = { slot, accountId, id: parts.ids.next(slot) }
  const lines = await checkLines(parts, key, callerOf(account), await readFile(csv))
  await transaction(parts.db, async (tx) => {
    await insertBatch(tx, { ...key, environment: account.environment }, actor, {
      ...{ name: title, lines, at: new Date(parts.clock.now()) },
      fileHash: createHash('sha256').update(csv).digest(),
    })
    for (let from = 0; from < lines.length; from += linesPerInsert) {
      await insertLines(tx, key, lines.slice(from, from + linesPerInsert))
    }
    await audit(tx, parts.ids, {
      ...{ actor: personActor(actor.personId), action: 'batch.create', subject: key.id, accountId },
      detail: { name: title, lines: lines.length },
    })
  })
  const errors = lines.flatMap(({ line, errors }) => errors.map((each) => ({ line, ...each })))
  return { key, errors: errors.slice(0, maxErrorsShown) }
}

/** For whom lines are checked and paid: by the fee plan as it is at that time. */
export function callerOf({ accountId, slot, environment, feePlan }: AccountOfBatch): LineCaller {
  return {
    ...{ accountId, slot, environment, idempotency: null },
    feeOf: (method, currency, amountMinor) =>
      feeFor(feePlan, { kind: 'payout', method, currency }, amountMinor),
  }
}

type BatchContent = { name: string; lines: readonly CheckedLine[]; fileHash: Buffer; at: Date }

async function insertBatch(
  tx: Sql,
  { slot, accountId, id, environment }: BatchKey & Owner,
  actor: Actor,
  { name, lines, fileHash, at }: BatchContent,
): Promise<void> {
  const valid = lines.filter(({ state }) => state === 'ready')
  const totals = totalsOf(valid).map((total) => ({ ...total, amount: String(total.amount) }))
  await tx`
    insert into batches (slot, id, account_id, environment, name, state, file_hash, lines, valid,
      invalid, totals, created_by, created_by_name, created_at, updated_at)
    values (${slot}, ${id}, ${accountId}, ${environment}, ${name}, 'draft', ${fileHash},
      ${lines.length}, ${valid.length}, ${lines.length - valid.length}, ${tx.json(totals)},
      ${actor.personId}, ${actor.name}, ${at}, ${at})`
}

function totalsOf(lines: readonly CheckedLine[]): Total[] {
  const totals = new Map<string, Total>()
  for (const { cells, amount } of lines) {
    const currency = currencyOf(cells.currency)!
    const { count = 0, amount: sum = 0n } = totals.get(currency) ?? {}
    totals.set(currency, { currency, count: count + 1, amount: sum + amount! })
  }
  return [...totals.values()].sort((a, b) => b.count - a.count)
}

const lineColumns: UnnestColumns<CheckedLine> = {
  line: ['integer', ({ line }) => line],
  state: ['text', ({ state }) => state],
  reference: ['text', ({ reference }) => reference],
  amount: ['bigint', ({ amount }) => amount],
  cells: ['jsonb', ({ cells }) => JSON.stringify(cells)],
  errors: ['jsonb', ({ errors }) => JSON.stringify(errors)],
}

async function insertLines(
  tx: Sql,
  { slot, id }: BatchKey,
  lines: readonly CheckedLine[],
): Promise<void> {
  await tx`
    insert into batch_lines (slot, batch_id, line, state, reference, amount, cells, errors)
    select ${slot}, ${id}, given.line, given.state, given.reference, given.amount, given.cells,
      given.errors
    from (${unnest(tx, 'given', lines, lineColumns)}) given`
}
