import { type Figure, perSecond } from './report.ts'

const width = 760
const left = 330
const rowHeight = 24
const right = 90

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Bars of everything that is counted by the second, longest at the full width. */
export function chartOf(figures: readonly Figure[]): string {
  const bars = figures.filter(({ unit = perSecond }) => unit === perSecond)
  const most = Math.max(...bars.map(({ value }) => value))
  const height = bars.length * rowHeight + 16
  const rows = bars.map(({ name, value, against }, index) => {
    const y = 8 + index * rowHeight
    const length = Math.max(1, ((width - left - right) * value) / most)
    const fill = against === undefined ? '#9aa5b1' : '#0f766e'
    return [
      `<text x="${left - 8}" y="${y + 15}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${left}" y="${y + 3}" width="${length.toFixed(1)}" height="16" fill="${fill}"/>`,
      `<text x="${(left + length + 6).toFixed(1)}" y="${y + 15}">` +
        `${Math.floor(value).toLocaleString('en')}</text>`,
    ].join('\n')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`,
    ` viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12"`,
    ' fill="#52606d" role="img" aria-label="Work done in a second">\n',
    `${rows.join('\n')}\n</svg>\n`,
  ].join('')
}
