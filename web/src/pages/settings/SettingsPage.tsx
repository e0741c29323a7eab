import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useMay } from '../../api/session.ts'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { PageTabs } from '../../parts/PageTabs.tsx'
import { Loading, NotFound } from '../../parts/states.tsx'
import { settingsStrings as strings } from '../../strings/settings.ts'
import { AccountTab } from './AccountTab.tsx'
import { AuditTab } from './AuditTab.tsx'
import { PeopleTab } from './PeopleTab.tsx'

const ProfileTab = lazy(() =>
  import('./ProfileTab.tsx').then((file) => ({ default: file.ProfileTab })),
)

const contents = {
  profile: <ProfileTab />,
  people: <PeopleTab />,
  account: <AccountTab />,
  audit: <AuditTab />,
}
type Tab = keyof typeof contents

const isTab = (text: string): text is Tab => Object.hasOwn(contents, text)

export function SettingsPage() {
  const { tab = 'profile' } = useParams({ strict: false })
  const mayReadAudit = useMay('readAudit')
  if (!isTab(tab)) return <NotFound />
  const tabs = (Object.keys(contents) as Tab[]).filter((each) => each !== 'audit' || mayReadAudit)
  return (
    <>
      <PageHeader title={strings.title} />
      <PageTabs
        label={strings.title}
        tabs={tabs.map((value) => ({ value, label: strings.tabs[value] }))}
        current={tab}
        to="/$environment/settings/$tab"
      />
      <Suspense fallback={<Loading />}>{contents[tab]}</Suspense>
    </>
  )
}
