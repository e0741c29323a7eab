export type Figure = {
  name: string
  perSecond: number
  /** How many times the figure it is compared with, and the least it must be. */
  against?: string
  ratio?: number
  target?: number
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

export function ratioTable(figures: readonly Figure[]): string {
  const head = ['What', 'per second', 'ratio', 'target', 'against']
  const rows = figures.map(({ name, perSecond, ratio, target, against }) => [
    name,
    Math.floor(perSecond).toLocaleString('en'),
    ratio === undefined ? '' : ratio.toPrecision(3),
    target === undefined ? '' : `≥ ${target}`,
    against ?? '',
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
