import { validationError } from '../errors.ts'
import { cellsOf, FileProblem, linesOf } from '../reference/csv.ts'
import { type Cells, type Column, columns, maxFileBytes, maxLines, required } from './batch.ts'

/** A line of the file: its number, and its cells or what keeps them from being read. */
export type FileLine = { line: number; cells: Cells; problem?: string }

const columnByName = new Map<string, Column>(
  columns.map((column) => [column.toLowerCase(), column]),
)

/** The lines below the header. A file that cannot be understood as a whole is refused. */
export async function readFile(csv: string): Promise<FileLine[]> {
  const bytes = Buffer.from(csv)
  if (bytes.length > maxFileBytes) throw validationError('csv must have at most 5 MB.')
  if (bytes.includes(0)) throw validationError('csv must be text: it has bytes of zero.')
  try {
    return await readLines(bytes)
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw validationError(error.message)
  }
}

async function readLines(bytes: Uint8Array): Promise<FileLine[]> {
  const lines: FileLine[] = []
  let header: Column[] | undefined
  let number = 0
  for await (const text of linesOf(piecesOf(bytes))) {
    number++
    // A spreadsheet leaves lines of commas where rows were emptied.
    if (/^[\s,]*$/.test(text)) continue
    const cells = cellsOf(text)
    if (header === undefined) {
      header = readHeader(cells)
      continue
    }
    if (lines.length >= maxLines) {
      throw new FileProblem(`The file has more than ${maxLines} lines: split it.`)
    }
    lines.push({ line: number, ...readCells(header, cells) })
  }
  if (lines.length === 0) throw new FileProblem('The file has no line besides its header.')
  return lines
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function readHeader(cells: readonly string[] | undefined): Column[] {
  const names = cells ?? []
  const header = names.map((name) => {
    const column = columnByName.get(name.toLowerCase().replace(/[\s_-]/g, ''))
    if (column !== undefined) return column
    // What nobody reads may be a reference that was misspelt, and the payout would lose it.
    throw new FileProblem(
      `The first line names a column "${name}", which is none of ${columns.join(', ')}.`,
    )
  })
  const missing = required.filter((column) => !header.includes(column))
  if (missing.length > 0) {
    throw new FileProblem(
      `The first line must name the columns, separated by commas. Missing: ${missing.join(', ')}.`,
    )
  }
  const twice = header.find((column, at) => header.indexOf(column) !== at)
  if (twice) throw new FileProblem(`The first line names the column ${twice} twice.`)
  return header
}

function readCells(
  header: readonly Column[],
  cells: readonly string[] | undefined,
): Omit<FileLine, 'line'> {
  if (!cells) return { cells: {}, problem: 'A quote does not end, or there is text beside it.' }
  const named = header.flatMap((column, at) => (cells[at] ? [[column, cells[at]] as const] : []))
  const read = { cells: Object.fromEntries(named) as Cells }
  if (!cells.slice(header.length).some((cell) => cell !== '')) return read
  return { ...read, problem: `It has ${cells.length} cells, and the header ${header.length}.` }
}
