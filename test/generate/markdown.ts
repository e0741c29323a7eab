/** A page whose first line warns whoever opens it to edit. */
export function page(source: string, ...blocks: readonly string[]): string {
  const mark = `<!-- ${generatedMark(source)} -->`
  return `${[mark, ...blocks].join('\n\n')}\n`
}

export const generatedMark = (source: string): string =>
  `Generated from ${source} by "npm run generate". Do not edit.`

export function table(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cellOf).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A bar would end the cell, and what looks like a tag would vanish from the page. */
const cellOf = (cell: string | number): string => {
  const text = String(cell).replaceAll('|', '\\|')
  return isCode(text) ? text : text.replaceAll('<', '&lt;')
}

const isCode = (text: string): boolean => /^`[^`]*`$/.test(text)

export const code = (text: string | number): string => `\`${text}\``
