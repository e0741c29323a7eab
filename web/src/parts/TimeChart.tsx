import { Table, VisuallyHidden } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'
import classes from './parts.module.css'
import { Loading } from './states.tsx'

export type ChartTone = 'in' | 'out' | 'accent'

/** Values are decimals in text as the service sent them; null is a day without one. */
export type Series = { label: string; tone: ChartTone; values: (string | null)[] }

export type ChartProps = {
  /** What the chart shows, in a sentence. */
  label: string
  /** Days as YYYY-MM-DD, one for each value. */
  days: string[]
  series: Series[]
  kind: 'bars' | 'line'
  /** Beside the values, such as a currency. */
  unit: string
}

const Canvas = lazy(() =>
  import('./ChartCanvas.tsx').then(({ ChartCanvas }) => ({ default: ChartCanvas })),
)

/** A chart over days. Screen readers get the same figures as a table. */
export function TimeChart(props: ChartProps) {
  const { label, days, series, unit } = props
  return (
    <figure style={{ margin: 0 }}>
      <div className={classes.legend} aria-hidden="true">
        {series.map((each) => (
          <span key={each.label}>
            <i style={{ background: `var(--malipo-${each.tone})` }} />
            {each.label}
          </span>
        ))}
      </div>
      <div className={classes.chart} aria-hidden="true">
        <Suspense fallback={<Loading />}>
          <Canvas {...props} />
        </Suspense>
      </div>
      <VisuallyHidden>
        <Table>
          <caption>{`${label}. ${strings.asTable}.`}</caption>
          <thead>
            <tr>
              <th scope="col">{strings.day}</th>
              {series.map((each) => (
                <th key={each.label} scope="col">
                  {`${each.label} (${unit})`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map((each) => (
                  <td key={each.label}>{each.values[index] ?? strings.nothing}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </figure>
  )
}
