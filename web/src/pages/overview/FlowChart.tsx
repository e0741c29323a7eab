import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { TimeChart } from '../../parts/TimeChart.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { overviewStrings as strings } from '../../strings/overview.ts'
import type { Flow } from './overview.ts'

export function FlowChart({ flow, days }: { flow: Flow; days: number }) {
  const { set } = useUrlParams()
  const series = useMemo(
    () => [
      { label: strings.moneyIn, tone: 'in' as const, values: flow.days.map((each) => each.in) },
      { label: strings.moneyOut, tone: 'out' as const, values: flow.days.map((each) => each.out) },
    ],
    [flow.days],
  )
  const names = useMemo(() => flow.days.map(({ day }) => day), [flow.days])
  const { currency } = flow
  const isEmpty = series.every(({ values }) => values.every((value) => !/[1-9]/.test(value)))
  return (
    <Section
      title={strings.flow}
      actions={
        flow.currencies.length > 1 && (
          <NativeSelect
            size="sm"
            aria-label={strings.currency}
            data={flow.currencies}
            value={currency ?? ''}
            onChange={(event) =>
              void set({ currency: event.currentTarget.value }, { replace: true })
            }
          />
        )
      }
    >
      {isEmpty || currency === null ? (
        <Empty title={strings.noFlow} hint={strings.noFlowHint} />
      ) : (
        <TimeChart
          label={strings.flowOf(currency, days)}
          days={names}
          series={series}
          kind="bars"
          unit={currency}
        />
      )}
    </Section>
  )
}
