import { useEnvironment } from '../../api/queries.ts'
import { DataTable } from '../../parts/DataTable.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Empty } from '../../parts/states.tsx'
import { transactionStrings as strings, transactionsStrings } from '../../strings/transactions.ts'
import type { WebhookRow } from './transactions.ts'

export function WebhookList({ webhooks }: { webhooks: WebhookRow[] }) {
  const environment = useEnvironment()
  return (
    <DataTable
      label={strings.webhooks}
      query={{ data: webhooks, error: null, refetch: () => undefined }}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({
        to: '/$environment/developers/$tab',
        params: { environment, tab: 'webhooks' },
        search: { record: id } as never,
      })}
      empty={<Empty title={strings.webhooksEmpty} hint={strings.webhooksEmptyHint} />}
      columns={[
        {
          header: strings.event,
          cell: ({ event, sequence }) => `${sequence}. ${event}`,
        },
        {
          header: transactionsStrings.status,
          cell: ({ status }) => <StatusBadge status={status} />,
        },
        {
          header: strings.attempts,
          align: 'right',
          cell: ({ attempts }) => attempts,
          phone: 'none',
        },
        {
          header: strings.at,
          align: 'right',
          phone: 'line',
          cell: ({ createdAt }) => <Moment at={createdAt} form="clock" />,
        },
      ]}
    />
  )
}
