import { Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { partsStrings } from '../strings/parts.ts'
import classes from './layout.module.css'

type Props = { title: string; hint?: ReactNode; children: ReactNode }

/** The page before the dashboard: one card in the middle. */
export function Door({ title, hint, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${partsStrings.appName}`
  }, [title])
  return (
    <main className={classes.door}>
      <Paper className={classes.doorCard}>
        <Stack gap="lg">
          <img src="/mark.svg" alt={partsStrings.appName} width="44" height="44" />
          <div>
            <Title order={1}>{title}</Title>
            {hint && (
              <Text c="dimmed" mt={4}>
                {hint}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Paper>
    </main>
  )
}
