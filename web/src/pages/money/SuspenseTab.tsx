import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useEnvironment, usePaths, useSend, useViewPage } from '../../api/queries.ts'
import { useMay } from '../../api/session.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { type Column, DataTable } from '../../parts/DataTable.tsx'
import { formatMoney } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { moneyStrings } from '../../strings/money.ts'
import { useLast } from '../use-last.ts'

const strings = moneyStrings.suspense

type Item = {
  id: string
  at: string
  rail: string
  currency: string
  amount: string
  story: string
  reference: string | null
  transactionId: string | null
  state: string
}
type Decision = { item: Item; kind: 'credit' | 'return' }

export function SuspenseTab() {
  const mayDecide = useMay('moveMoney')
  const { params } = useUrlParams()
  const query = useViewPage<Item>('/suspense', {
    params: { after: params.after },
    live: ['transaction'],
  })
  const [decision, setDecision] = useState<Decision>()
  const last = useLast(decision)
  return (
    <>
      <Text c="dimmed" mb="lg" maw="42rem">
        {strings.hint}
      </Text>
      <Section flush>
        <DataTable
          label={strings.label}
          columns={columnsOf(mayDecide, setDecision)}
          query={query}
          rowKey={({ id }) => id}
          empty={<Empty title={strings.noneTitle} hint={strings.noneText} />}
        />
      </Section>
      <Decide
        opened={decision !== undefined}
        decision={last}
        onClose={() => setDecision(undefined)}
      />
    </>
  )
}

function columnsOf(
  mayDecide: boolean,
  decide: (decision: Decision) => void,
): readonly Column<Item>[] {
  const { columns: names } = strings
  const actions: Column<Item> = {
    header: names.actions,
    quietHeader: true,
    phone: 'line',
    cell: (item) =>
      item.state === 'open' && (
        <Group gap={4} wrap="nowrap" justify="end">
          {(['credit', 'return'] as const).map((kind) => (
            <Button
              key={kind}
              variant="default"
              size="compact-sm"
              onClick={() => decide({ item, kind })}
              aria-label={`${strings[kind]} ${formatMoney(item.amount, item.currency)}`}
            >
              {strings[kind]}
            </Button>
          ))}
        </Group>
      ),
  }
  return [
    { header: names.time, cell: ({ at }) => <Moment at={at} />, phone: 'line' },
    { header: names.story, cell: ({ story }) => story, phone: 'title' },
    { header: names.reference, cell: (item) => <Belonging {...item} /> },
    { header: names.rail, cell: ({ rail }) => rail, wide: true, phone: 'none' },
    {
      header: names.amount,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} fw={550} />,
      align: 'right',
    },
    { header: names.state, cell: ({ state }) => <StatusBadge status={state} /> },
    ...(mayDecide ? [actions] : []),
  ]
}

function Belonging({ transactionId, reference }: Item) {
  const environment = useEnvironment()
  if (transactionId === null) return <>{reference ?? '–'}</>
  return (
    <PageLink
      to="/$environment/transactions/$transactionId"
      params={{ environment, transactionId }}
      inherit
    >
      {reference ?? transactionId}
    </PageLink>
  )
}

type DecideProps = { opened: boolean; decision: Decision | undefined; onClose: () => void }

function Decide({ opened, decision, onClose }: DecideProps) {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const { item, kind = 'credit' } = decision ?? {}
  const isCredit = kind === 'credit'
  const money = item ? formatMoney(item.amount, item.currency) : ''
  const confirm = () =>
    send.mutate(
      { method: 'POST', path: paths.view(`/suspense/${item?.id}/${kind}`) },
      {
        onSuccess: () => {
          tell(isCredit ? strings.credited : strings.returned)
          onClose()
        },
      },
    )
  return (
    <ConfirmDialog
      opened={opened}
      title={isCredit ? strings.creditTitle : strings.returnTitle}
      confirm={strings[kind]}
      isPending={send.isPending}
      error={send.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text mb="xs">{isCredit ? strings.creditText(money) : strings.returnText(money)}</Text>
      <Text c="dimmed" size="sm">
        {item?.story}
      </Text>
    </ConfirmDialog>
  )
}
