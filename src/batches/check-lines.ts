import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Sql } from '../db/pool.ts'
import { AppError, validationError } from '../errors.ts'
import { minorFromText } from '../money/amounts.ts'
import { MoneyError } from '../money/money-error.ts'
import type {
  BatchKey,
  BatchPayouts,
  Cells,
  CheckedLine,
  LineCaller,
  LineError,
  LineRequest,
} from './batch.ts'
import { lineErrorOf } from './line-errors.ts'
import { currencyOf, ownReference, requestOf } from './line-request.ts'
import type { FileLine } from './read-file.ts'

export type CheckParts = {
  db: Sql
  payouts: Pick<BatchPayouts, 'check'>
  /** What the API would say about the form of a request, before any rule. */
  shapeFault(request: LineRequest): AppError | undefined
}

/** Lines checked in one turn of the event loop, so that others are answered in between. */
const linesPerTurn = 50

/** Every line with its errors; nothing is written. A line is refused as the API would refuse it. */
export async function checkLines(
  parts: CheckParts,
  key: BatchKey,
  caller: LineCaller,
  lines: readonly FileLine[],
): Promise<CheckedLine[]> {
  const references = lines.map(({ line, cells }) => cells.reference ?? ownReference(key.id, line))
  const takenBy = await findTaken(parts.db, key, references)
  const firstLine = new Map<string, number>()
  const checked: CheckedLine[] = []
  for (let at = 0; at < lines.length; at += linesPerTurn) {
    const turn = lines.slice(at, at + linesPerTurn).map(async (each, place) => {
      const reference = references[at + place]!
      const before = firstLine.get(reference)
      if (before === undefined) firstLine.set(reference, each.line)
      const errors = referenceErrors(takenBy.has(reference), before)
      return await checkLine(parts, caller, each, { reference, errors })
    })
    checked.push(...(await Promise.all(turn)))
    await nextTurn()
  }
  return checked
}

async function findTaken(
  sql: Sql,
  { slot, accountId }: BatchKey,
  references: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ reference: string }[]>`
    select external_reference as reference from transactions
    where slot = ${slot} and account_id = ${accountId}
      and external_reference = any(${references}::text[])`
  return new Set(rows.map(({ reference }) => reference))
}

function referenceErrors(isTaken: boolean, before: number | undefined): LineError[] {
  const column = 'reference'
  if (before !== undefined) {
    return [{ column, message: `Line ${before} has the same reference.` }]
  }
  return isTaken ? [lineErrorOf(new AppError('E-API-D.S-28'))] : []
}

type Found = { reference: string; errors: LineError[] }

async function checkLine(
  parts: CheckParts,
  caller: LineCaller,
  { line, cells, problem }: FileLine,
  { reference, errors }: Found,
): Promise<CheckedLine> {
  const invalid = (more: LineError[], amount?: bigint): CheckedLine => ({
    ...{ line, state: 'invalid', reference, amount: amount ?? null, cells },
    errors: [...errors, ...more],
  })
  if (problem !== undefined) return invalid([{ column: null, message: problem }])
  const { minor, fault: badAmount } = readAmount(cells)
  const wrongAmount = badAmount ? [lineErrorOf(badAmount)] : []
  const fault = await findFault(parts, caller, requestOf(cells, reference, minor))
  const others = fault ? [lineErrorOf(fault)].filter(isNotAmong(wrongAmount)) : []
  if (minor === undefined || errors.length + others.length > 0) {
    return invalid([...wrongAmount, ...others], minor)
  }
  return { line, state: 'ready', reference, amount: minor, cells, errors: [] }
}

/** A wrong amount is told once, though the rules may stumble over it again. */
const isNotAmong =
  (errors: readonly LineError[]) =>
  ({ column }: LineError): boolean =>
    !errors.some((error) => error.column === column)

async function findFault(
  { payouts, shapeFault }: CheckParts,
  caller: LineCaller,
  request: LineRequest,
): Promise<AppError | undefined> {
  const fault = shapeFault(request)
  if (fault) return fault
  try {
    await payouts.check(caller, request)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

type ReadAmount = { minor?: bigint; fault?: AppError }

/** How many decimals an amount may have is known with its currency only. */
function readAmount({ amount, currency }: Cells): ReadAmount {
  if (amount === undefined) return { fault: validationError('amount is required.') }
  const info = currencyOf(currency)
  try {
    if (info) return { minor: minorFromText(amount, info) }
    return isDecimal(amount) ? {} : { fault: validationError('amount must be a number.') }
  } catch (error) {
    if (!(error instanceof MoneyError)) throw error
    return { fault: validationError(`amount ${error.message}.`) }
  }
}

const isDecimal = (text: string): boolean => /^\d+(\.\d+)?$/.test(text)
