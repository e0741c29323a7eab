import { Tooltip } from '@mantine/core'
import type { LiveState } from '../api/live.ts'
import { partsStrings as strings } from '../strings/parts.ts'
import classes from './parts.module.css'

/** Whether what is on the screen follows what happens. */
export function LiveIndicator({ state }: { state: LiveState }) {
  return (
    <Tooltip label={strings.live[state]}>
      <span
        className={classes.live}
        data-state={state}
        role="img"
        aria-label={strings.live[state]}
      />
    </Tooltip>
  )
}
