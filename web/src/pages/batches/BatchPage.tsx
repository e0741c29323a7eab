import { Alert, Group } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useEnvironment, usePaths, useView } from '../../api/queries.ts'
import { DownloadButton } from '../../parts/DownloadButton.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { formatCount } from '../../parts/format.ts'
import { PageLink } from '../../parts/LinkButton.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Money } from '../../parts/Money.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { StatusBadge } from '../../parts/StatusBadge.tsx'
import { Ready } from '../../parts/states.tsx'
import { batchStrings as strings } from '../../strings/batches.ts'
import { BatchLines } from './BatchLines.tsx'
import { BatchProgress } from './BatchProgress.tsx'
import type { Batch, Total } from './batch.ts'
import classes from './batches.module.css'
import { NextStep } from './NextStep.tsx'

export function BatchPage() {
  const { batchId = '' } = useParams({ strict: false })
  const query = useView<Batch>(`/batches/${batchId}`, { live: ['batch', 'transaction'] })
  return <Ready query={query}>{(batch) => <BatchView batch={batch} />}</Ready>
}

function BatchView({ batch }: { batch: Batch }) {
  const environment = useEnvironment()
  const paths = usePaths()
  const { id, name, state } = batch
  const hasBegun = state === 'running' || state === 'done'
  return (
    <>
      <PageHeader
        title={name}
        beside={<StatusBadge status={state} />}
        back={
          <PageLink to="/$environment/batches" params={{ environment }} size="sm">
            {strings.back}
          </PageLink>
        }
        actions={
          hasBegun && (
            <DownloadButton href={paths.view(`/batches/${id}/result.csv`)} label={strings.result} />
          )
        }
      />
      <div className={classes.stack}>
        {batch.sameFileAs && <SameFile earlier={batch.sameFileAs} />}
        <NextStep batch={batch} />
        {hasBegun && <BatchProgress batch={batch} />}
        <Section>
          <BatchFacts batch={batch} />
        </Section>
        {batch.totals.length > 0 && (
          <Section title={strings.totals}>
            <Totals totals={batch.totals} />
          </Section>
        )}
        <BatchLines key={id} batch={batch} />
      </div>
    </>
  )
}

function BatchFacts({ batch }: { batch: Batch }) {
  const { facts } = strings
  return (
    <Facts
      facts={[
        { label: facts.lines, value: formatCount(batch.lines) },
        { label: facts.valid, value: formatCount(batch.valid) },
        { label: facts.invalid, value: formatCount(batch.invalid) },
        { label: facts.by, value: batch.createdBy.name },
        { label: facts.created, value: <Moment at={batch.createdAt} /> },
        { label: facts.approved, value: batch.approvedBy?.name },
      ]}
    />
  )
}

function Totals({ totals }: { totals: readonly Total[] }) {
  return (
    <Facts
      facts={totals.map(({ currency, count, amount }) => ({
        label: strings.payouts(formatCount(count), currency),
        value: <Money amount={amount} currency={currency} fz="lg" fw={600} />,
      }))}
    />
  )
}

function SameFile({ earlier }: { earlier: { id: string; name: string } }) {
  const environment = useEnvironment()
  return (
    <Alert color="amber" variant="light">
      <Group gap={4}>
        {strings.sameFile}
        <PageLink
          to="/$environment/batches/$batchId"
          params={{ environment, batchId: earlier.id }}
          inherit
        >
          {earlier.name}
        </PageLink>
        . {strings.sameFileEnd}
      </Group>
    </Alert>
  )
}
