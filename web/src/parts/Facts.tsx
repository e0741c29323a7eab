import type { ReactNode } from 'react'
import classes from './parts.module.css'

export type Fact = { label: string; value: ReactNode }

/** Names and values, such as the details of a transaction. Those without a value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(
          ({ value }) => value !== undefined && value !== null && value !== false && value !== '',
        )
        .map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
