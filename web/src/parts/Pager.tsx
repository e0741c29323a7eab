import { Button, Group } from '@mantine/core'
import { useRef } from 'react'
import { partsStrings as strings } from '../strings/parts.ts'
import { useUrlParams } from './url.ts'

/**
 * Pages by cursor, in the address. There is no number of pages: counting a million rows would
 * cost more than reading the one page somebody looks at.
 */
export function Pager({ next }: { next: string | null | undefined }) {
  const { params, set } = useUrlParams()
  // The cursors that led here. A reload forgets them, and the first page is always one step away.
  const trail = useRef<string[]>([])
  const { after } = params
  if (after === undefined) trail.current = []
  if (after === undefined && !next) return null
  const goOn = () => {
    trail.current.push(after ?? '')
    void set({ after: next ?? undefined })
  }
  const goBack = () => void set({ after: trail.current.pop() || undefined })
  return (
    <Group component="nav" aria-label={strings.pages} justify="end" gap="sm" p="md">
      {after !== undefined && (
        <Button variant="default" size="sm" onClick={goBack}>
          {trail.current.length > 0 ? strings.previousPage : strings.firstPage}
        </Button>
      )}
      <Button variant="default" size="sm" onClick={goOn} disabled={!next}>
        {strings.nextPage}
      </Button>
    </Group>
  )
}
