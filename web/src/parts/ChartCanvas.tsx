import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatAmount } from './format.ts'
import type { ChartProps } from './TimeChart.tsx'

const heightPx = 220
const axisFont = '12px system-ui, sans-serif'
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 })
const dayName = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})

const secondsOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1000

/** The drawing itself, apart from the rest so that only pages with a chart load it. */
export function ChartCanvas(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page.
  useEffect(() => {
    const root = place.current
    if (!root) return
    const chart = new uPlot(options(props, root), dataOf(props), root)
    const watch = new ResizeObserver(() =>
      chart.setSize({ width: root.clientWidth, height: heightPx }),
    )
    watch.observe(root)
    return () => {
      watch.disconnect()
      chart.destroy()
    }
  }, [props.days, props.series, props.kind, props.unit, scheme])
  return <div ref={place} />
}

const dataOf = ({ days, series }: ChartProps): uPlot.AlignedData => [
  days.map(secondsOf),
  // Only for drawing: the exact figures are shown as text.
  ...series.map(({ values }) => values.map((value) => (value === null ? null : Number(value)))),
]

function options({ series, kind, days, unit }: ChartProps, root: HTMLElement): uPlot.Options {
  const style = getComputedStyle(root)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const quiet = colour('--mantine-color-dimmed')
  const grid = { stroke: colour('--malipo-line'), width: 1 }
  return {
    width: root.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: kind === 'line' } },
    scales: {
      x: { time: true, range: (_chart, min, max) => sides(min, max, days.length, kind) },
      y: { range: (_chart, min, max) => heights(min, max, kind) },
    },
    axes: [
      {
        stroke: quiet,
        font: axisFont,
        grid: { show: false },
        ticks: { show: false },
        size: 30,
        splits: () => dayLabels(days, root.clientWidth),
        values: (_chart, ticks) => ticks.map((tick) => dayName.format(tick * 1000)),
      },
      {
        stroke: quiet,
        font: axisFont,
        grid,
        ticks: { show: false },
        size: 60,
        values: (_chart, ticks) => ticks.map((tick) => compact.format(tick)),
      },
    ],
    series: [{}, ...series.map((each, index) => drawn(each, index, kind, colour, series.length))],
    plugins: [reading(series, days, unit)],
  }
}

const dayS = 86_400

function sides(
  min: number,
  max: number,
  count: number,
  kind: ChartProps['kind'],
): [number, number] {
  const room = kind === 'bars' || count < 2 ? dayS * 0.6 : 0
  return [min - room, max + room]
}

function heights(
  min: number | null,
  max: number | null,
  kind: ChartProps['kind'],
): [number, number] {
  if (min === null || max === null || (min === 0 && max === 0)) return [0, 1]
  if (kind === 'bars') return [0, max * 1.1]
  const room = (max - min) * 0.15 || Math.abs(max) * 0.01 || 1
  return [min - room, max + room]
}

/** So many days that their names do not touch, the last one among them. */
function dayLabels(days: string[], width: number): number[] {
  const most = Math.max(2, Math.floor(width / 84))
  const step = Math.max(1, Math.ceil(days.length / most))
  return days.filter((_day, index) => (days.length - 1 - index) % step === 0).map(secondsOf)
}

function drawn(
  { label, tone }: ChartProps['series'][number],
  index: number,
  kind: ChartProps['kind'],
  colour: (name: string) => string,
  count: number,
): uPlot.Series {
  const stroke = colour(`--malipo-${tone}`)
  if (kind === 'line') return { label, stroke, width: 2, points: { show: false }, spanGaps: true }
  // Bars of one day stand side by side.
  const align: 1 | 0 | -1 = count === 1 ? 0 : index === 0 ? -1 : 1
  const bars = uPlot.paths.bars?.({ size: [count === 1 ? 0.6 : 0.36, 22], align, radius: 0.2 })
  return {
    label,
    fill: stroke,
    stroke,
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars } : {}),
  }
}

/** The figures of the day under the pointer. */
function reading(series: ChartProps['series'], days: string[], unit: string): uPlot.Plugin {
  const box = document.createElement('div')
  box.className = 'chart-reading'
  box.hidden = true
  return {
    hooks: {
      init: (chart) => void chart.over.append(box),
      setCursor: (chart) => {
        const { idx, left = -1 } = chart.cursor
        const day = typeof idx === 'number' && left >= 0 ? days[idx] : undefined
        box.hidden = day === undefined
        if (day === undefined || typeof idx !== 'number') return
        const lines = series.map(({ label, values }) => {
          const value = values[idx]
          return `${label}: ${value ? formatAmount(value) : '–'} ${unit}`
        })
        box.textContent = [dayName.format(Date.parse(day)), ...lines].join('\n')
        const isRight = left > chart.over.clientWidth / 2
        box.style.left = isRight ? '' : `${left + 12}px`
        box.style.right = isRight ? `${chart.over.clientWidth - left + 12}px` : ''
      },
    },
  }
}
