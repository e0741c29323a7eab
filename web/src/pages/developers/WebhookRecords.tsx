import { Anchor, Button, Checkbox, Group } from '@mantine/core'
import { useState } from 'react'
import { useEnvironment, usePaths, useSend, useViewPage } from '../../api/queries.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { type Filter, FilterBar } from '../../parts/FilterBar.tsx'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { webhooksStrings as strings } from '../../strings/developers.ts'
import classes from './developers.module.css'
import { WebhookDrawer } from './WebhookDrawer.tsx'
import type { WebhookRow } from './webhooks.ts'

/** Of deliveries no event tells: they are watched, not told of. */
const everyMs = 5000

const options = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

const filters: readonly Filter[] = [
  { kind: 'search', name: 'transaction', label: strings.filters.transaction },
  {
    kind: 'choice',
    name: 'status',
    label: strings.filters.status,
    options: options(strings.statuses),
  },
  { kind: 'choice', name: 'event', label: strings.filters.event, options: options(strings.events) },
  { kind: 'day', name: 'from', label: strings.filters.from },
  { kind: 'day', name: 'to', label: strings.filters.to },
]

export function WebhookRecords({ mayResend }: { mayResend: boolean }) {
  const { params, set } = useUrlParams()
  const { status, event, from, to, after, transaction, record } = params
  const query = useViewPage<WebhookRow>('/webhooks', {
    params: { status, event, from, to, after, transactionId: transaction },
    live: ['transaction'],
    everyMs,
  })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const shown = query.data?.data ?? []
  const chosen = shown.filter(({ id }) => selected.has(id)).map(({ id }) => id)
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    setSelected(next)
  }
  const open = (id: string) => void set({ record: id, after })
  const columns = columnsOf(open)
  return (
    <Section
      title={strings.records}
      actions={mayResend && <Resend chosen={chosen} onDone={() => setSelected(new Set())} />}
      flush
    >
      <div className={classes.recordsHead}>
        <FilterBar filters={filters} />
      </div>
      <DataTable
        label={strings.records}
        columns={mayResend ? [selectColumn(selected, toggle), ...columns] : columns}
        query={query}
        rowKey={({ id }) => id}
        empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
      />
      <WebhookDrawer
        id={record}
        mayResend={mayResend}
        onClose={() => void set({ record: undefined, after })}
      />
    </Section>
  )
}

function selectColumn(
  selected: ReadonlySet<string>,
  toggle: (id: string) => void,
): Column<WebhookRow> {
  return {
    header: strings.columns.select,
    quietHeader: true,
    phone: 'corner',
    cell: ({ id }) => (
      <Checkbox
        checked={selected.has(id)}
        onChange={() => toggle(id)}
        aria-label={strings.selectOne(id)}
      />
    ),
  }
}

function columnsOf(open: (id: string) => void): readonly Column<WebhookRow>[] {
  const { columns: names } = strings
  const words: Record<string, string> = strings.events
  return [
    {
      header: names.event,
      phone: 'title',
      cell: ({ id, event }) => (
        <Anchor component="button" type="button" onClick={() => open(id)} inherit fw={550}>
          {words[event] ?? event}
        </Anchor>
      ),
    },
    {
      header: names.transaction,
      cell: ({ transactionId, reference }) => (
        <TransactionLink id={transactionId} reference={reference} />
      ),
    },
    {
      header: names.status,
      cell: ({ status }) => (
        <StatusBadge
          status={status === 'CREATED' ? 'waiting' : status}
          label={strings.statuses[status]}
        />
      ),
    },
    {
      header: names.attempts,
      cell: ({ attempts }) => attempts,
      align: 'right',
      phone: 'none',
    },
    { header: names.created, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ]
}

function TransactionLink({ id, reference }: { id: string; reference: string }) {
  const environment = useEnvironment()
  return (
    <PageLink
      to="/$environment/transactions/$transactionId"
      params={{ environment, transactionId: id }}
      inherit
    >
      {reference}
    </PageLink>
  )
}

function Resend({ chosen, onDone }: { chosen: string[]; onDone: () => void }) {
  const { params } = useUrlParams()
  const paths = usePaths()
  const send = useSend<{ count: number }>()
  const tell = useTell()
  const [isAsked, setAsked] = useState(false)
  const resend = (body: object) =>
    send.mutate(
      { method: 'POST', path: paths.view('/webhooks/resend'), body },
      {
        onSuccess: ({ count }) => {
          setAsked(false)
          onDone()
          tell(strings.resent(count))
        },
        onError: (error) => isAsked || tell(error.message, 'bad'),
      },
    )
  const { from, to } = params
  return (
    <Group gap="xs">
      {chosen.length > 0 && (
        <Button size="sm" loading={send.isPending} onClick={() => resend({ ids: chosen })}>
          {strings.resendSelected(chosen.length)}
        </Button>
      )}
      <Button size="sm" variant="default" onClick={() => setAsked(true)}>
        {strings.resendFailed}
      </Button>
      <ConfirmDialog
        opened={isAsked}
        title={strings.resendFailedTitle}
        confirm={strings.resendFailed}
        isPending={send.isPending}
        error={send.error}
        onConfirm={() =>
          resend({ status: 'FAILED', ...(from ? { from } : {}), ...(to ? { to } : {}) })
        }
        onClose={() => setAsked(false)}
      >
        {strings.resendFailedText}
      </ConfirmDialog>
    </Group>
  )
}
