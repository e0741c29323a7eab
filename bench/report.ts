export type Figure = {
  /** The number of the target it belongs to, where there is one. */
  number?: string
  name: string
  value: number
  /** "per second" where nothing is said. */
  unit?: string
  /** What it is compared with, how it compares, and what that must be. */
  against?: string
  ratio?: number
  atLeast?: number
  atMost?: number
}

export const perSecond = 'per second'

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

export function compared(figure: Figure, base: Figure, atLeast: number): Figure {
  return { ...figure, against: base.name, ratio: figure.value / base.value, atLeast }
}

/** What the target is held against: the ratio where there is one, else the figure itself. */
const measureOf = ({ ratio, value }: Figure) => ratio ?? value

export function isMissed(figure: Figure): boolean {
  const measure = measureOf(figure)
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = figure
  return !(measure >= atLeast && measure <= atMost)
}

function targetOf({ atLeast, atMost }: Figure): string {
  if (atLeast !== undefined) return `≥ ${atLeast}`
  return atMost === undefined ? '' : `≤ ${atMost}`
}

const shown = (value: number) =>
  value >= 100 ? Math.floor(value).toLocaleString('en') : value.toPrecision(3)

export function figureTable(figures: readonly Figure[]): string {
  const head = ['#', 'What', 'figure', 'unit', 'ratio', 'target', 'met', 'against']
  const rows = figures.map((figure) => [
    figure.number ?? '',
    figure.name,
    shown(figure.value),
    figure.unit ?? perSecond,
    figure.ratio === undefined ? '' : figure.ratio.toPrecision(3),
    targetOf(figure),
    targetOf(figure) === '' ? '' : isMissed(figure) ? 'no' : 'yes',
    figure.against ?? '',
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
