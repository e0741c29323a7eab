import { VisuallyHidden } from '@mantine/core'
import { useTimes } from '../../parts/format.ts'
import { Empty } from '../../parts/states.tsx'
import { transactionStrings as strings } from '../../strings/transactions.ts'
import classes from './transaction.module.css'
import type { TimelineEntry } from './transactions.ts'

/** Everything that happened to a transaction, in order, each in one sentence. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const times = useTimes()
  if (entries.length === 0) return <Empty title={strings.timelineEmpty} />
  return (
    <ol className={classes.timeline}>
      {entries.map((entry, index) => {
        const before = entries[index - 1]
        const isNewDay = !before || times.day(before.at) !== times.day(entry.at)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end.
          <li key={index} data-tone={entry.tone}>
            {isNewDay && <p className={classes.day}>{times.day(entry.at)}</p>}
            <div className={classes.entry}>
              <time dateTime={entry.at} title={times.exact(entry.at)}>
                {times.clock(entry.at)}
              </time>
              <div>
                <p className={classes.entryTitle}>
                  {entry.title}
                  {strings.tones[entry.tone] && (
                    <VisuallyHidden>{` (${strings.tones[entry.tone]})`}</VisuallyHidden>
                  )}
                </p>
                {entry.detail && <p className={classes.entryDetail}>{entry.detail}</p>}
                <p className={classes.entryKind}>{strings.kinds[entry.kind] ?? entry.kind}</p>
              </div>
            </div>
          </li>
        )
      })}
    </ol>
  )
}
