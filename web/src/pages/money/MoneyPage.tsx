import { useParams } from '@tanstack/react-router'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { PageTabs } from '../../parts/PageTabs.tsx'
import { NotFound } from '../../parts/states.tsx'
import { moneyStrings as strings } from '../../strings/money.ts'
import { RatesTab } from './RatesTab.tsx'
import { SuspenseTab } from './SuspenseTab.tsx'
import { TrialBalanceTab } from './TrialBalanceTab.tsx'
import { WalletsTab } from './WalletsTab.tsx'

const tabs = {
  wallets: WalletsTab,
  rates: RatesTab,
  ledger: TrialBalanceTab,
  suspense: SuspenseTab,
}
type TabName = keyof typeof tabs
const names = Object.keys(tabs) as TabName[]

export function MoneyPage() {
  const { tab: current = 'wallets' } = useParams({ strict: false })
  if (!Object.hasOwn(tabs, current)) return <NotFound />
  const Tab = tabs[current as TabName]
  return (
    <>
      <PageHeader title={strings.title} hint={strings.about} />
      <PageTabs
        label={strings.title}
        tabs={names.map((value) => ({ value, label: strings.tabs[value] }))}
        current={current}
        to="/$environment/money/$tab"
      />
      <Tab />
    </>
  )
}
