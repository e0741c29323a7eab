import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { partsStrings } from '../strings/parts.ts'

type Props = {
  title: string
  /** Beside the title, such as a state. */
  beside?: ReactNode
  hint?: ReactNode
  /** Buttons, on the right where there is room. */
  actions?: ReactNode
  /** A link to where this belongs, above the title. */
  back?: ReactNode
}

/** The one heading of a page; it also names the tab of the browser. */
export function PageHeader({ title, beside, hint, actions, back }: Props) {
  useEffect(() => {
    document.title = `${title} · ${partsStrings.appName}`
  }, [title])
  return (
    <Group justify="space-between" align="end" gap="md" mb="xl">
      <Stack gap={4} style={{ minWidth: 0 }}>
        {back}
        <Group gap="sm">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {beside}
        </Group>
        {hint && (
          <Text c="dimmed" maw="42rem">
            {hint}
          </Text>
        )}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  )
}
