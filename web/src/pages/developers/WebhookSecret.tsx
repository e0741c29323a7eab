import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { CopyField } from '../../parts/CopyField.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { webhooksStrings as strings } from '../../strings/developers.ts'
import { useLast } from '../use-last.ts'
import { SecretDialog } from './SecretDialog.tsx'
import type { WebhookSettings } from './webhooks.ts'

type Props = { settings: WebhookSettings; mayChange: boolean }
type Rotated = { secret: string; previousExpiresAt: string }

export function WebhookSecret({ settings, mayChange }: Props) {
  const paths = usePaths()
  const send = useSend<Rotated>()
  const [isAsked, setAsked] = useState(false)
  const [rotated, setRotated] = useState<Rotated>()
  const shown = useLast(rotated)
  const rotate = () =>
    send.mutate(
      { method: 'POST', path: paths.public('/users/webhooks/rotate-secret') },
      {
        onSuccess: (answer) => {
          setAsked(false)
          setRotated(answer)
        },
      },
    )
  return (
    <Section title={strings.secret} hint={strings.secretHint}>
      <Stack gap="md" align="start">
        {settings.secrets.map(({ createdAt, expiresAt }) => (
          <Text key={createdAt} size="sm">
            {strings.secretMade} <Moment at={createdAt} />
            {expiresAt && (
              <>
                , {strings.secretEnds} <Moment at={expiresAt} />
              </>
            )}
          </Text>
        ))}
        {mayChange && (
          <Button variant="default" onClick={() => setAsked(true)}>
            {strings.rotate}
          </Button>
        )}
      </Stack>
      <ConfirmDialog
        opened={isAsked}
        title={strings.rotateTitle}
        confirm={strings.rotate}
        isPending={send.isPending}
        error={send.error}
        onConfirm={rotate}
        onClose={() => setAsked(false)}
      >
        {strings.rotateText}
      </ConfirmDialog>
      <SecretDialog
        opened={rotated !== undefined}
        title={strings.shownTitle}
        text={strings.shownText}
        onClose={() => setRotated(undefined)}
      >
        {shown && (
          <>
            <CopyField label={strings.secret} value={shown.secret} />
            <Text size="sm" c="dimmed">
              {strings.shownUntil} <Moment at={shown.previousExpiresAt} />.
            </Text>
          </>
        )}
      </SecretDialog>
    </Section>
  )
}
