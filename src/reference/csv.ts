/** Something is wrong with a file as a whole. The message is a sentence for a person. */
export class FileProblem extends Error {
  override name = 'FileProblem'
}

const maxLineLength = 10_000

/** The lines of a text that arrives in pieces. No more than one line and one piece are held. */
export async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decode(decoder, piece)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineLength) {
      throw new FileProblem(`The file has a line of more than ${maxLineLength} characters.`)
    }
    for (const line of lines) yield line.replace(/\r$/, '')
  }
  rest += decode(decoder)
  if (rest !== '') yield rest.replace(/\r$/, '')
}

function decode(decoder: TextDecoder, piece?: Uint8Array): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })
  } catch (error) {
    throw new FileProblem('The file is not text in UTF-8.', { cause: error })
  }
}

/** The cells of a line, or nothing where its quotes are wrong. A cell never spans two lines. */
export function cellsOf(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim())
  const cells: string[] = []
  const cell = /\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)/y
  for (;;) {
    const match = cell.exec(line)
    if (!match) return undefined
    const [, quoted, plain = '', end] = match
    cells.push((quoted === undefined ? plain : quoted.replaceAll('""', '"')).trim())
    if (end === '') return cells
  }
}

export function csvLine(cells: readonly string[]): string {
  return cells
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
}
