import { useTimes } from './format.ts'
import classes from './parts.module.css'

type Props = { at: string | null | undefined; exact?: boolean; form?: 'clock' }

/** A time in the person's zone; the exact one is in its title. */
export function Moment({ at, exact, form }: Props) {
  const times = useTimes()
  if (!at) return <>–</>
  return (
    <time className={classes.moment} dateTime={at} title={times.exact(at)}>
      {times[form ?? (exact ? 'exact' : 'moment')](at)}
    </time>
  )
}
