import { Progress } from '@mantine/core'
import { formatCount } from '../../parts/format.ts'
import { Section } from '../../parts/Section.tsx'
import { batchStrings as strings } from '../../strings/batches.ts'
import type { Batch } from './batch.ts'
import classes from './batches.module.css'

const whole = 100

/** How far a batch is, in a bar and in figures. */
export function BatchProgress({ batch }: { batch: Batch }) {
  const { valid, progress } = batch
  const { successful, failed, refused, pending } = progress
  const finished = successful + failed + refused
  const waiting = Math.max(0, valid - finished - pending)
  const share = (count: number) => (valid === 0 ? 0 : (count / valid) * whole)
  const label = strings.progressLabel(formatCount(finished), formatCount(valid))
  const parts = { successful, failed, refused, pending, waiting }
  return (
    <Section title={strings.progressTitle} hint={<span aria-live="polite">{label}</span>}>
      <Progress.Root size="lg" aria-label={strings.progressTitle}>
        <Progress.Section value={share(successful)} color="var(--malipo-good)" aria-label={label} />
        <Progress.Section
          value={share(failed + refused)}
          color="var(--malipo-bad)"
          aria-label={strings.counts.failed}
        />
        <Progress.Section
          value={share(pending)}
          color="var(--malipo-waiting)"
          aria-label={strings.counts.pending}
        />
      </Progress.Root>
      <dl className={classes.counts}>
        {(Object.keys(parts) as (keyof typeof parts)[]).map((part) => (
          <div key={part} data-part={part}>
            <dt>{strings.counts[part]}</dt>
            <dd>{formatCount(parts[part])}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
