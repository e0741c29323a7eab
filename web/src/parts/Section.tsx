import { Group, Paper, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './parts.module.css'

type Props = {
  title?: string
  hint?: ReactNode
  actions?: ReactNode
  /** Without inner space, for tables that reach the border. */
  flush?: boolean
  children: ReactNode
}

/** A card with a heading: the one kind of box pages are made of. */
export function Section({ title, hint, actions, flush, children }: Props) {
  const id = useId()
  return (
    <Paper
      component="section"
      className={classes.section}
      data-flush={flush || undefined}
      {...(title ? { 'aria-labelledby': id } : {})}
    >
      {(title || actions) && (
        <Group justify="space-between" gap="sm" className={classes.sectionHead}>
          <div>
            {title && (
              <Title order={2} id={id}>
                {title}
              </Title>
            )}
            {hint && (
              <Text size="sm" c="dimmed" mt={2}>
                {hint}
              </Text>
            )}
          </div>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      {children}
    </Paper>
  )
}
