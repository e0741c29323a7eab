import { Grid, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useEnvironment, useView } from '../../api/queries.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Money } from '../../parts/Money.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Ready } from '../../parts/states.tsx'
import { transactionStrings as strings } from '../../strings/transactions.ts'
import { Details } from './Details.tsx'
import { LedgerPicture } from './LedgerPicture.tsx'
import { Timeline } from './Timeline.tsx'
import { TransferTable } from './TransferTable.tsx'
import type { TransactionDetail } from './transactions.ts'
import { WebhookList } from './WebhookList.tsx'

export function TransactionPage() {
  const { transactionId = '' } = useParams({ strict: false })
  const detail = useView<TransactionDetail>(`/transactions/${transactionId}`, {
    live: ['transaction'],
  })
  return <Ready query={detail}>{(data) => <Transaction {...data} />}</Ready>
}

function Transaction({ transaction, timeline, transfers, webhooks }: TransactionDetail) {
  const environment = useEnvironment()
  const { kind, amount, currency, status } = transaction
  return (
    <>
      <PageHeader
        title={strings.title(kind)}
        beside={
          <>
            <Money amount={amount} currency={currency} fz="1.3rem" />
            <StatusBadge status={status} />
          </>
        }
        back={
          <PageLink to="/$environment/transactions" params={{ environment }} size="sm">
            {strings.back}
          </PageLink>
        }
      />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="xl">
            <Section title={strings.details}>
              <Details transaction={transaction} />
            </Section>
            <Section title={strings.ledger} hint={strings.ledgerHint}>
              <LedgerPicture transfers={transfers} />
              <TransferTable transfers={transfers} />
            </Section>
            <Section title={strings.webhooks} flush>
              <WebhookList webhooks={webhooks} />
            </Section>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={strings.timeline}>
            <Timeline entries={timeline} />
          </Section>
        </Grid.Col>
      </Grid>
    </>
  )
}
