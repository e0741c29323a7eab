import { Button } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { Icon } from '../../parts/Icon.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { PageTabs } from '../../parts/PageTabs.tsx'
import { NotFound } from '../../parts/states.tsx'
import { developersStrings as strings } from '../../strings/developers.ts'
import { KeysTab } from './KeysTab.tsx'
import { RequestsTab } from './RequestsTab.tsx'
import { SandboxTab } from './SandboxTab.tsx'
import { WebhooksTab } from './WebhooksTab.tsx'

const tabs = { keys: KeysTab, webhooks: WebhooksTab, requests: RequestsTab, sandbox: SandboxTab }
type TabName = keyof typeof tabs
const names = Object.keys(tabs) as TabName[]

export function DevelopersPage() {
  const { tab: current = 'keys' } = useParams({ strict: false })
  if (!Object.hasOwn(tabs, current)) return <NotFound />
  const Tab = tabs[current as TabName]
  return (
    <>
      <PageHeader
        title={strings.title}
        hint={strings.about}
        actions={
          <Button
            component="a"
            href="/docs"
            target="_blank"
            rel="noopener"
            variant="default"
            leftSection={<Icon name="book" size={16} />}
          >
            {strings.reference}
          </Button>
        }
      />
      <PageTabs
        label={strings.title}
        tabs={names.map((value) => ({ value, label: strings.tabs[value] }))}
        current={current}
        to="/$environment/developers/$tab"
      />
      <Tab />
    </>
  )
}
