import { Button, Code, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useEnvironment, usePaths, useSend, useView } from '../../api/queries.ts'
import { Facts } from '../../parts/Facts.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Ready } from '../../parts/states.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { webhooksStrings } from '../../strings/developers.ts'
import { partsStrings } from '../../strings/parts.ts'
import classes from './developers.module.css'
import type { WebhookRecord } from './webhooks.ts'

const strings = webhooksStrings.drawer

type Props = { id: string | undefined; mayResend: boolean; onClose: () => void }

/** One event: what was sent, to whom, and what came back each time. */
export function WebhookDrawer({ id, mayResend, onClose }: Props) {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      title={strings.title}
      closeButtonProps={{ 'aria-label': partsStrings.close }}
      position="right"
      size="lg"
    >
      {id !== undefined && <Loaded id={id} mayResend={mayResend} />}
    </Drawer>
  )
}

function Loaded({ id, mayResend }: { id: string; mayResend: boolean }) {
  const query = useView<WebhookRecord>(`/webhooks/${id}`, { live: ['transaction'], everyMs: 5000 })
  return (
    <Ready query={query}>{(record) => <Details record={record} mayResend={mayResend} />}</Ready>
  )
}

function Details({ record, mayResend }: { record: WebhookRecord; mayResend: boolean }) {
  const environment = useEnvironment()
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const { id, event, status, transactionId, url, createdAt, nextAttemptAt, body, attempts } = record
  const resend = () =>
    send.mutate(
      { method: 'POST', path: paths.public(`/webhooks/${id}/resend`) },
      { onSuccess: () => tell(webhooksStrings.resent(1)) },
    )
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <StatusBadge
          status={status === 'CREATED' ? 'waiting' : status}
          label={webhooksStrings.statuses[status]}
        />
        {mayResend && (
          <Button size="sm" loading={send.isPending} onClick={resend}>
            {webhooksStrings.resend}
          </Button>
        )}
      </Group>
      <FormError error={send.error} />
      <Facts
        facts={[
          { label: webhooksStrings.columns.event, value: event },
          { label: webhooksStrings.columns.created, value: <Moment at={createdAt} exact /> },
          { label: strings.url, value: url },
          { label: strings.next, value: nextAttemptAt && <Moment at={nextAttemptAt} exact /> },
          {
            label: strings.transaction,
            value: (
              <PageLink
                to="/$environment/transactions/$transactionId"
                params={{ environment, transactionId }}
              >
                {transactionId}
              </PageLink>
            ),
          },
        ]}
      />
      <div>
        <Title order={3} mb="xs">
          {strings.attempts}
        </Title>
        <Attempts attempts={attempts} />
      </div>
      <div>
        <Title order={3} mb="xs">
          {strings.body}
        </Title>
        <Body value={body} />
      </div>
    </Stack>
  )
}

function Attempts({ attempts }: Pick<WebhookRecord, 'attempts'>) {
  if (attempts.length === 0) return <Text c="dimmed">{strings.noAttempts}</Text>
  return (
    <ol className={classes.attempts}>
      {attempts.map(({ at, durationMs, status, answer }) => (
        <li key={at} data-tone={/^2\d\d$/.test(status) ? 'good' : 'bad'}>
          <Text>
            <Moment at={at} exact /> · {strings.attempt(status, durationMs)}
          </Text>
          {answer && (
            <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {answer}
            </Text>
          )}
        </li>
      ))}
    </ol>
  )
}

/** JSON as people read it; anything else as it is. */
export function Body({ value }: { value: unknown }) {
  return (
    <Code block className={classes.body} tabIndex={0}>
      {pretty(value)}
    </Code>
  )
}

function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2)
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}
