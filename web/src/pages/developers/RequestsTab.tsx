import { Anchor, Drawer, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useViewPage } from '../../api/queries.ts'
import { CopyId } from '../../parts/CopyField.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { type Filter, FilterBar } from '../../parts/FilterBar.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { requestsStrings as strings } from '../../strings/developers.ts'
import { partsStrings } from '../../strings/parts.ts'
import { Body } from './WebhookDrawer.tsx'

type Request = {
  id: string
  at: string
  method: string
  path: string
  status: number
  durationMs: number
  requestId: string
  credential: string | null
  ip: string
  request: unknown
  answer: unknown
}

const everyMs = 5000

const filters: readonly Filter[] = [
  { kind: 'search', name: 'path', label: strings.filters.path, placeholder: '/fiat/payout' },
  {
    kind: 'choice',
    name: 'status',
    label: strings.filters.status,
    options: [...strings.statuses],
  },
]

export function RequestsTab() {
  const { params } = useUrlParams()
  const { status, path, after } = params
  const query = useViewPage<Request>('/requests', { params: { status, path, after }, everyMs })
  const [shown, setShown] = useState<Request>()
  return (
    <>
      <Text c="dimmed" mb="lg" maw="42rem">
        {strings.hint}
      </Text>
      <FilterBar filters={filters} />
      <Section flush>
        <DataTable
          label={strings.label}
          columns={columnsOf(setShown)}
          query={query}
          rowKey={({ id }) => id}
          empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
        />
      </Section>
      <Drawer
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={strings.drawer.title}
        closeButtonProps={{ 'aria-label': partsStrings.close }}
        position="right"
        size="lg"
      >
        {shown && <Details request={shown} />}
      </Drawer>
    </>
  )
}

function columnsOf(show: (request: Request) => void): readonly Column<Request>[] {
  const { columns: names } = strings
  return [
    {
      header: names.request,
      cell: (request) => (
        <Anchor
          component="button"
          type="button"
          ta="left"
          ff="monospace"
          size="sm"
          onClick={() => show(request)}
        >
          {request.method} {request.path}
        </Anchor>
      ),
    },
    { header: names.status, cell: ({ status }) => <Answer status={status} />, phone: 'corner' },
    {
      header: names.duration,
      cell: ({ durationMs }) => strings.duration(durationMs),
      align: 'right',
      phone: 'line',
    },
    { header: names.credential, cell: ({ credential }) => credential ?? '–', wide: true },
    { header: names.time, cell: ({ at }) => <Moment at={at} /> },
  ]
}

const firstRefusal = 400

function Answer({ status }: { status: number }) {
  return (
    <StatusBadge
      status={String(status)}
      tone={status < firstRefusal ? 'good' : 'bad'}
      label={String(status)}
    />
  )
}

function Details({ request }: { request: Request }) {
  const { drawer } = strings
  const body = (title: string, value: unknown) => (
    <div>
      <Title order={3} mb="xs">
        {title}
      </Title>
      {value === null || value === '' ? (
        <Text c="dimmed">{drawer.empty}</Text>
      ) : (
        <Body value={value} />
      )}
    </div>
  )
  return (
    <Stack gap="lg">
      <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {request.method} {request.path}
      </Text>
      <Facts
        facts={[
          { label: strings.columns.status, value: <Answer status={request.status} /> },
          { label: strings.columns.duration, value: strings.duration(request.durationMs) },
          { label: strings.columns.time, value: <Moment at={request.at} exact /> },
          { label: drawer.key, value: request.credential },
          { label: drawer.ip, value: request.ip },
          { label: drawer.id, value: <CopyId id={request.requestId} /> },
        ]}
      />
      {body(drawer.request, request.request)}
      {body(drawer.answer, request.answer)}
    </Stack>
  )
}
