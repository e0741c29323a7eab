import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEnvironment } from '../../api/queries.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { overviewStrings as strings } from '../../strings/overview.ts'
import classes from './overview.module.css'
import type { Attention } from './overview.ts'

/** What somebody should look at, each with the way there. */
export function AttentionList({ attention }: { attention: Attention }) {
  const environment = useEnvironment()
  const link = (to: string, text: ReactNode, search: Record<string, string> = {}) => (
    <PageLink to={`/$environment/${to}` as '.'} params={{ environment }} search={search as never}>
      {text}
    </PageLink>
  )
  const { stuck, suspense, failingWebhooks, batchesToApprove } = attention
  const { webhooksPausedAt, webhooksFailingSince } = attention
  const items = [
    stuck > 0 && link('transactions', strings.stuck(stuck), { status: 'pending' }),
    suspense > 0 && link('money/suspense', strings.suspense(suspense)),
    webhooksPausedAt !== null && link('developers/webhooks', paused(webhooksPausedAt)),
    webhooksPausedAt === null &&
      webhooksFailingSince !== null &&
      link('developers/webhooks', failing(webhooksFailingSince)),
    failingWebhooks > 0 &&
      link('developers/webhooks', strings.failingWebhooks(failingWebhooks), { status: 'FAILED' }),
    batchesToApprove > 0 && link('batches', strings.batchesToApprove(batchesToApprove)),
  ].filter((item) => item !== false)
  if (items.length === 0) {
    return (
      <Text c="dimmed" className={classes.calm}>
        <Icon name="check" /> {strings.calm}
      </Text>
    )
  }
  return (
    <Section title={strings.attention}>
      <ul className={classes.attention}>
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list has one fixed order.
          <li key={index}>
            <Icon name="warning" />
            {item}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const paused = (at: string) => (
  <>
    {strings.webhooksPaused} <Moment at={at} />
  </>
)

const failing = (at: string) => (
  <>
    {strings.webhooksFailing} <Moment at={at} />
  </>
)
