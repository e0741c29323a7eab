import { DataTable } from '../../parts/DataTable.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { methodWords } from '../../strings/parts.ts'
import { accountStrings as strings } from '../../strings/settings.ts'
import { transactionsStrings } from '../../strings/transactions.ts'

export type FeeRule = {
  kind: string
  method?: string
  currency?: string
  percentBasisPoints: number
  fixedMinor: number
  minMinor?: number
  maxMinor?: number
}

const basisPointsPerPercent = 100

function percentOf(basisPoints: number): string {
  const whole = Math.floor(basisPoints / basisPointsPerPercent)
  const rest = String(basisPoints % basisPointsPerPercent).padStart(2, '0')
  return rest === '00' ? String(whole) : `${whole}.${rest.replace(/0$/, '')}`
}

function subjectOf({ kind, method, currency }: FeeRule): string {
  const what = transactionsStrings.types[kind] ?? kind
  const how = method === undefined ? strings.feeAll : (methodWords[method] ?? method)
  return [what, how, currency].filter((part) => part !== undefined).join(', ')
}

const amountOf = ({ percentBasisPoints, fixedMinor, minMinor, maxMinor }: FeeRule): string =>
  [
    strings.fee(percentOf(percentBasisPoints), fixedMinor),
    minMinor === undefined ? [] : strings.feeMin(minMinor),
    maxMinor === undefined ? [] : strings.feeMax(maxMinor),
  ]
    .flat()
    .join(', ')

export function FeeSection({ rules }: { rules: FeeRule[] }) {
  return (
    <Section title={strings.feePlan} hint={strings.feePlanHint} flush>
      <DataTable
        label={strings.feePlan}
        query={{ data: rules, error: null, refetch: () => undefined }}
        rowKey={subjectOf}
        empty={<Empty title={strings.noFees} />}
        columns={[
          { header: strings.feeFor, cell: subjectOf },
          { header: strings.feeAmount, cell: amountOf },
        ]}
      />
    </Section>
  )
}
