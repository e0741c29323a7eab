import { currency } from '../money/currencies.ts'

export const listNames = ['countries', 'operators', 'banks', 'branches'] as const
export type ListName = (typeof listNames)[number]
/** Those an operator may replace: which countries there are follows from the currencies. */
export const importableLists = ['operators', 'banks', 'branches'] as const

/** A line of a file by the names of its columns; an empty cell is null. */
export type Line = Record<string, string | null>

/** What lines are checked against: the digits that numbers of a country begin with. */
export type Known = { dialingDigits: ReadonlyMap<string, string> }

type Column = {
  /** Without it the column may be absent and its cells empty. */
  required?: true
  /** Codes that are written in one case only. */
  fold?: 'upper' | 'lower'
  shape: RegExp
  /** The rest of the sentence that begins with the name of the column. */
  words: string
}

export type List = {
  columns: Readonly<Record<string, Column>>
  /** What is wrong with a line whose cells are right each by itself. */
  check?: (line: Line, known: Known) => string | undefined
}

const upTo = (length: number): Column => ({
  required: true,
  shape: new RegExp(`^[^\\p{Cc}]{1,${length}}$`, 'u'),
  words: `must have 1 to ${length} characters`,
})
const letters = (count: number): Column => ({
  required: true,
  fold: 'upper',
  shape: new RegExp(`^[A-Z]{${count}}$`),
  words: `must have ${count} letters`,
})
const code: Column = {
  required: true,
  shape: /^[\w./-]{1,64}$/,
  words: 'must have 1 to 64 letters, digits, dots, slashes or hyphens',
}
const bic: Column = {
  fold: 'upper',
  shape: /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/,
  words: 'must be a BIC of 8 or 11 characters, or empty',
}
const id: Column = {
  shape: /^[1-9]\d{0,8}$/,
  words: 'must be a whole number from 1 to 999999999, or empty',
}

export const lists: Readonly<Record<ListName, List>> = {
  countries: {
    columns: {
      iso2: letters(2),
      iso3: letters(3),
      name: upTo(100),
      dialing_code: { required: true, shape: /^\+\d{1,4}$/, words: 'must be a plus and digits' },
      currency: letters(3),
      symbol: upTo(8),
    },
    check: currencyProblem,
  },
  operators: {
    columns: {
      country: letters(2),
      id: {
        required: true,
        fold: 'lower',
        shape: /^[a-z0-9_-]{1,64}$/,
        words: 'must have 1 to 64 letters, digits or hyphens',
      },
      name: upTo(100),
      wallet: upTo(100),
      currency: letters(3),
      prefixes: { shape: /^\d{1,15}( +\d{1,15})*$/, words: 'must be digits, apart by spaces' },
    },
    check: (line, known) =>
      countryProblem(line, known) ?? currencyProblem(line) ?? prefixProblem(line, known),
  },
  banks: {
    columns: { id, country: letters(2), code, name: upTo(200), swift_code: bic },
    check: countryProblem,
  },
  branches: {
    columns: {
      id,
      country: letters(2),
      bank_code: code,
      branch_code: code,
      branch_name: upTo(200),
      swift_code: bic,
      bic,
    },
    check: countryProblem,
  },
}

function countryProblem({ country }: Line, { dialingDigits }: Known): string | undefined {
  return dialingDigits.has(country ?? '') ? undefined : `country ${country} is not supported`
}

function currencyProblem({ currency: code }: Line): string | undefined {
  return currency(code ?? '') ? undefined : `currency ${code} is not supported`
}

function prefixProblem(line: Line, { dialingDigits }: Known): string | undefined {
  const start = dialingDigits.get(line.country ?? '') ?? ''
  const wrong = prefixesOf(line.prefixes).find((prefix) => !prefix.startsWith(start))
  return wrong === undefined ? undefined : `prefix ${wrong} must begin with ${start}`
}

export function prefixesOf(cell: string | null | undefined): string[] {
  return cell ? cell.split(/ +/) : []
}

/** The columns of a file by its first line, or what is wrong with that line. */
export function readHeader(
  name: ListName,
  cells: readonly string[],
): string[] | { problem: string } {
  const { columns } = lists[name]
  const given = cells.map((cell) => cell.toLowerCase())
  const unknown = given.find((cell) => !Object.hasOwn(columns, cell))
  if (unknown !== undefined) {
    return { problem: `column "${unknown}" is not one of ${Object.keys(columns).join(', ')}` }
  }
  const twice = given.find((cell, at) => given.indexOf(cell) !== at)
  if (twice !== undefined) return { problem: `column ${twice} is there twice` }
  const missing = Object.keys(columns).find(
    (column) => columns[column]?.required && !given.includes(column),
  )
  return missing === undefined ? given : { problem: `column ${missing} is missing` }
}

/** A line of the list, or what is wrong with it. */
export function readLine(
  name: ListName,
  header: readonly string[],
  cells: readonly string[],
  known: Known,
): { line: Line } | { problem: string } {
  const { columns, check } = lists[name]
  if (cells.length !== header.length) {
    return { problem: `must have ${header.length} cells and has ${cells.length}` }
  }
  const line: Line = {}
  for (const [at, column] of header.entries()) {
    const { required, fold, shape, words } = columns[column]!
    const text = folded(cells[at]!, fold)
    if (text === '' && !required) line[column] = null
    else if (text === '') return { problem: `${column} is empty` }
    else if (shape.test(text)) line[column] = text
    else return { problem: `${column} ${words}` }
  }
  const problem = check?.(line, known)
  return problem === undefined ? { line } : { problem }
}

function folded(text: string, fold: Column['fold']): string {
  if (fold === 'upper') return text.toUpperCase()
  return fold === 'lower' ? text.toLowerCase() : text
}
