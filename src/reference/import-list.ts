import { announceChange } from '../db/changes.ts'
import type { Db, Tx } from '../db/pool.ts'
import { cellsOf, FileProblem, linesOf } from './csv.ts'
import { listSql, unknownBanks } from './list-sql.ts'
import { type Known, type Line, type ListName, lists, readHeader, readLine } from './lists.ts'

export type BadLine = { line: number; problem: string }

export type ImportReport = {
  list: ListName
  /** Lines besides the header. */
  lines: number
  added: number
  changed: number
  removed: number
  /** Sorted by line. Beyond the first 10,000 they are only counted. */
  badLines: BadLine[]
  badCount: number
  /** Whether the list is replaced now: no bad line, and no dry run. */
  isDone: boolean
}

export type ImportOptions = {
  dryRun?: boolean
  /** Set for the files that come with the program. */
  shippedVersion?: number
  /** Runs in the same transaction, to put it on record. */
  record?: (tx: Tx, report: ImportReport) => Promise<void>
}

/** What nodes are told when a list has changed. */
export const referenceSubject = 'reference'

const batchLines = 2000
const maxLines = 1_000_000
const maxBadLines = 10_000

/** Undoes the transaction without being a fault. */
class Undone extends Error {}

/**
 * Replaces a list by the lines of a file: all of it, or nothing. The file is read piece by piece
 * and gathered in a table of the transaction, so that its size does not matter to the process.
 */
export async function importList(
  db: Db,
  list: ListName,
  pieces: AsyncIterable<Uint8Array>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  const report: ImportReport = {
    list,
    lines: 0,
    added: 0,
    changed: 0,
    removed: 0,
    badLines: [],
    badCount: 0,
    isDone: false,
  }
  try {
    await db.begin(async (tx) => {
      await lockLists(tx)
      if (await isUpToDate(tx, list, options.shippedVersion)) throw new Undone()
      await gather(tx, list, pieces, report)
      await replace(tx, list, report, options)
      await options.record?.(tx, report)
      if (options.dryRun) throw new Undone()
    })
    report.isDone = true
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  report.badLines.sort((a, b) => a.line - b.line)
  return report
}

/** One import at a time; who reads is not disturbed. */
async function lockLists(tx: Tx): Promise<void> {
  await tx.unsafe(
    'lock table reference_lists, countries, operators, banks, branches ' +
      'in share row exclusive mode',
  )
}

async function isUpToDate(tx: Tx, list: ListName, shippedVersion: number | undefined) {
  if (shippedVersion === undefined) return false
  const [row] = await tx`
    select from reference_lists
    where name = ${list} and (origin = 'imported' or version >= ${shippedVersion})`
  return row !== undefined
}

async function gather(
  tx: Tx,
  list: ListName,
  pieces: AsyncIterable<Uint8Array>,
  report: ImportReport,
): Promise<void> {
  const columns = Object.keys(lists[list].columns)
  const typed = ['line int', ...columns.map((column) => `${column} text`)].join(', ')
  await tx.unsafe(`create temp table incoming (${typed}) on commit drop`)
  const rowType = tx.unsafe(typed)
  const put = async (batch: Line[]) => {
    await tx`
      insert into incoming select * from jsonb_to_recordset(${tx.json(batch)}::jsonb)
      as given(${rowType})`
  }
  let batch: Line[] = []
  for await (const line of goodLines(list, await readKnown(tx), pieces, report)) {
    batch.push(line)
    if (batch.length < batchLines) continue
    await put(batch)
    batch = []
  }
  if (batch.length > 0) await put(batch)
  await tx.unsafe('analyze incoming')
}

async function readKnown(tx: Tx): Promise<Known> {
  const rows = await tx<{ iso2: string; digits: string }[]>`
    select iso2, substr(dialing_code, 2) as digits from countries`
  return { dialingDigits: new Map(rows.map(({ iso2, digits }) => [iso2, digits])) }
}

/** Notes the bad ones in the report. Empty lines count for nothing but their number. */
async function* goodLines(
  list: ListName,
  known: Known,
  pieces: AsyncIterable<Uint8Array>,
  report: ImportReport,
): AsyncGenerator<Line> {
  let number = 0
  let header: string[] | undefined
  for await (const text of linesOf(pieces)) {
    number++
    if (text.trim() === '') continue
    const cells = cellsOf(text)
    if (header === undefined) {
      const read = readHeader(list, cells ?? [])
      if ('problem' in read) throw new FileProblem(`Line ${number}: ${read.problem}.`)
      header = read
      continue
    }
    report.lines++
    if (report.lines > maxLines) throw new FileProblem(`The file has more than ${maxLines} lines.`)
    const read = cells
      ? readLine(list, header, cells, known)
      : { problem: 'has a quote that does not end, or text beside one' }
    if ('problem' in read) note(report, { line: number, problem: read.problem })
    else yield { ...read.line, line: String(number) }
  }
  // It would take every row away, which nobody means who gives a file.
  if (report.lines === 0) throw new FileProblem('The file has no line besides its header.')
}

function note(report: ImportReport, bad: BadLine): void {
  report.badCount++
  if (report.badLines.length < maxBadLines) report.badLines.push(bad)
}

async function replace(
  tx: Tx,
  list: ListName,
  report: ImportReport,
  { shippedVersion }: ImportOptions,
): Promise<void> {
  const isShipped = shippedVersion !== undefined
  const { conflicts, remove, put } = listSql(list, { isShipped })
  // Where an operator has other banks, branches of the others have no place.
  if (isShipped && list === 'branches') await tx.unsafe(unknownBanks)
  const wrong = await tx<(BadLine & { total: number })[]>`
    select line, problem, (count(*) over ())::int as total
    from (${tx.unsafe(conflicts)}) as found order by line limit ${maxBadLines}`
  for (const { line, problem } of wrong) note(report, { line, problem })
  report.badCount += (wrong[0]?.total ?? 0) - wrong.length
  if (report.badCount > 0) throw new Undone()
  const [gone] = await tx.unsafe(remove)
  const [done] = await tx.unsafe(put)
  Object.assign(report, gone, done)
  await tx`
    insert into reference_lists (name, version, origin, revision)
    values (${list}, ${shippedVersion ?? 0}, ${isShipped ? 'shipped' : 'imported'},
      nextval('reference_revisions'))
    on conflict (name) do update set version = excluded.version, origin = excluded.origin,
      revision = excluded.revision, updated_at = now()`
  await announceChange(tx, referenceSubject)
}
