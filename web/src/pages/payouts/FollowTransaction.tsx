import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEnvironment } from '../../api/queries.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Money } from '../../parts/Money.tsx'
import { Section } from '../../parts/Section.tsx'
import { toneOf } from '../../parts/StatusBadge.tsx'
import { Ready } from '../../parts/states.tsx'
import { followStrings as strings } from '../../strings/payouts.ts'
import { Timeline } from '../transactions/Timeline.tsx'
import classes from './payouts.module.css'
import { type Followed, useFollowed } from './transaction.ts'

type Props = {
  id: string
  /** What the customer or the person has to do next, if anything. */
  step?: (transaction: Followed) => ReactNode
  actions?: ReactNode
}

/** One transaction from its acceptance to its end, as it happens. */
export function FollowTransaction({ id, step, actions }: Props) {
  const query = useFollowed(id)
  return (
    <Ready query={query}>
      {({ transaction, timeline }) => (
        <Stack gap="lg">
          <Outcome transaction={transaction} actions={actions} />
          {step?.(transaction)}
          <Section title={strings.title}>
            <Timeline entries={timeline} />
          </Section>
        </Stack>
      )}
    </Ready>
  )
}

function Outcome({ transaction, actions }: { transaction: Followed; actions: ReactNode }) {
  const environment = useEnvironment()
  const { id, kind, status, amount, currency, accountName, accountNumber } = transaction
  // The number of a bank transfer is of our own account, not of who pays.
  const isOurs = kind === 'charge' && transaction.method === 'bank'
  const who = accountName || (isOurs ? '' : accountNumber)
  return (
    <Section>
      <div
        className={classes.outcome}
        data-tone={toneOf(status)}
        role="status"
        aria-live="polite"
        aria-atomic="true"
      >
        <strong>{headline(kind, status)}</strong>
        <Text size="lg">
          <Money amount={amount} currency={currency} />{' '}
          {who && (kind === 'payout' ? strings.to(who) : strings.from(who))}
        </Text>
        {transaction.failureReason && <Text>{transaction.failureReason}</Text>}
        {status === 'pending' && (
          <Text size="sm" c="dimmed">
            {strings.watching}
          </Text>
        )}
      </div>
      <Text size="sm" c="dimmed" mt="sm" style={{ overflowWrap: 'anywhere' }}>
        {strings.reference}: {transaction.reference}
      </Text>
      <Group gap="md" mt="md">
        {actions}
        <PageLink
          to="/$environment/transactions/$transactionId"
          params={{ environment, transactionId: id }}
        >
          {strings.details}
        </PageLink>
      </Group>
    </Section>
  )
}

function headline(kind: Followed['kind'], status: string): string {
  const isPayout = kind === 'payout'
  if (status === 'successful') return isPayout ? strings.successfulPayout : strings.successfulCharge
  if (status === 'failed') return isPayout ? strings.failedPayout : strings.failedCharge
  return isPayout ? strings.pendingPayout : strings.pendingCharge
}
