import { SegmentedControl, Stack } from '@mantine/core'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Ready } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { overviewStrings as strings } from '../../strings/overview.ts'
import { AttentionList } from './AttentionList.tsx'
import { Balances } from './Balances.tsx'
import { FlowChart } from './FlowChart.tsx'
import { Outcomes } from './Outcomes.tsx'
import { periods, readPeriod, useOverview } from './overview.ts'

export function OverviewPage() {
  const { params, set } = useUrlParams()
  const days = readPeriod(params.days)
  const overview = useOverview(days, params.currency)
  return (
    <>
      <PageHeader
        title={strings.title}
        actions={
          <SegmentedControl
            aria-label={strings.period}
            data={periods.map((each) => ({ value: String(each), label: strings.days(each) }))}
            value={String(days)}
            onChange={(value) => void set({ days: value }, { replace: true })}
          />
        }
      />
      <Ready query={overview}>
        {({ attention, wallets, flow, success }) => (
          <Stack gap="xl">
            <AttentionList attention={attention} />
            <Balances wallets={wallets} />
            <FlowChart flow={flow} days={days} />
            <Outcomes outcomes={success} />
          </Stack>
        )}
      </Ready>
    </>
  )
}
