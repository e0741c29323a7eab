import { Link, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useEnvironment } from '../api/queries.ts'
import classes from './parts.module.css'

type Props = {
  label: string
  tabs: readonly { value: string; label: string }[]
  current: string
  /** The address of a tab, with $tab in it. */
  to: LinkProps['to']
}

/** Parts of a page, each with an address of its own. */
export function PageTabs({ label, tabs, current, to }: Props) {
  const environment = useEnvironment()
  const shown = useRef<HTMLElement>(null)
  // On a phone the tab one is on may be beyond the edge.
  useEffect(() => {
    const tab = shown.current?.querySelector(`[data-tab="${current}"]`)
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [current])
  return (
    <nav aria-label={label} className={classes.tabs} ref={shown}>
      {tabs.map((tab) => (
        <Link
          key={tab.value}
          data-tab={tab.value}
          to={to}
          params={{ environment, tab: tab.value } as never}
          aria-current={tab.value === current ? 'page' : undefined}
          data-current={tab.value === current || undefined}
        >
          {tab.label}
        </Link>
      ))}
    </nav>
  )
}
