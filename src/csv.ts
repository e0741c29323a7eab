/** A table as text, for spreadsheets. */

/** What a spreadsheet takes for the beginning of a formula. */
const formulaStart = /^[=+\-@\t\r]/
const plainNumber = /^[+-]?\d+(\.\d+)?$/

/**
 * One line with its end. A text that a spreadsheet would calculate gets an apostrophe before it:
 * what a stranger wrote into a reference must not run on the machine of whoever opens the file.
 */
export function csvRow(cells: readonly (string | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | null): string {
  if (value === null) return ''
  const harmless = formulaStart.test(value) && !plainNumber.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
