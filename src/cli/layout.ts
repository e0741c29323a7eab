export type Column = { title: string; align?: 'right' }

const gap = '  '

/** Columns as wide as their widest cell, without spaces at the end of a line. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(printable))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)))
  return joinLines(lines.map((line) => rowText(columns, widths, line)))
}

/** One row of a table whose widths are fixed beforehand, because its rows are not yet known. */
export function rowText(
  columns: readonly Column[],
  widths: readonly number[],
  cells: readonly string[],
): string {
  const padded = columns.map(({ align }, at) =>
    align === 'right' ? cells[at]!.padStart(widths[at]!) : cells[at]!.padEnd(widths[at]!),
  )
  return padded.join(gap).trimEnd()
}

/** Names and values below each other, indented under what they belong to. */
export function fields(entries: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length))
  return joinLines(
    Object.entries(entries).map(
      ([name, value]) => gap + name.padEnd(width) + gap + printable(value),
    ),
  )
}

/** What others have written must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?')
}

export function joinLines(lines: readonly string[]): string {
  return lines.join('\n')
}

export function joinBlocks(blocks: readonly string[]): string {
  return blocks.join('\n\n')
}

/** "1 transfer", "2 transfers". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

export function csvRow(cells: readonly string[]): string {
  return cells
    .map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
}
