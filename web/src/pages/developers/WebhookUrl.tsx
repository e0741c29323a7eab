import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useEnvironment, usePaths, useSend } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { Moment } from '../../parts/Moment.tsx'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { webhooksStrings as strings } from '../../strings/developers.ts'
import { placeRefusal } from '../refusals.ts'
import type { WebhookSettings } from './webhooks.ts'

type Props = { settings: WebhookSettings; mayChange: boolean }

export function WebhookUrl({ settings, mayChange }: Props) {
  const environment = useEnvironment()
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const [refusal, setRefusal] = useState<Error | null>(null)
  const form = useForm({ initialValues: { url: settings.url ?? '' } })
  // The API names both in one request; this page is about one of them.
  const field = environment === 'live' ? 'webhookUrl' : 'sandboxWebhookUrl'
  const submit = ({ url }: { url: string }) => {
    setRefusal(null)
    // The form begins anew with the saved URL, and what a mutation tells a form that is gone is lost.
    send
      .mutateAsync({
        method: 'PUT',
        path: paths.public('/users/webhooks'),
        body: { [field]: url.trim() || null },
      })
      .then(() => tell(strings.urlSaved))
      .catch((error) => setRefusal(placeRefusal(error, { [field]: 'url' }, form.setFieldError)))
  }
  return (
    <Section title={strings.settings}>
      <Stack gap="md">
        <Health settings={settings} mayChange={mayChange} />
        {mayChange ? (
          <form onSubmit={form.onSubmit(submit)} noValidate>
            <Stack gap="md">
              <FormError error={refusal} />
              <TextInput
                label={strings.url}
                description={strings.urlHints[environment]}
                placeholder="https://"
                type="url"
                maxLength={2048}
                {...form.getInputProps('url')}
              />
              {settings.url === null && (
                <Text size="sm" c="dimmed">
                  {strings.noUrl}
                </Text>
              )}
              <Group>
                <Button type="submit" loading={send.isPending} disabled={!form.isDirty()}>
                  {strings.saveUrl}
                </Button>
              </Group>
            </Stack>
          </form>
        ) : (
          <Text style={{ overflowWrap: 'anywhere' }}>{settings.url ?? strings.noUrl}</Text>
        )}
      </Stack>
    </Section>
  )
}

/** Whether events arrive, and a way on where they do not. */
function Health({ settings: { pausedAt, failingSince }, mayChange }: Props) {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  if (pausedAt === null && failingSince === null) return null
  const isPaused = pausedAt !== null
  const resume = () =>
    send.mutate(
      { method: 'POST', path: paths.view('/webhook-settings/resume'), body: {} },
      { onSuccess: () => tell(strings.resumed) },
    )
  return (
    <Alert color="red" title={isPaused ? strings.pausedTitle : strings.failingTitle}>
      <Stack gap="sm" align="start">
        <Text size="sm">
          {isPaused ? strings.pausedText : strings.failingText}{' '}
          <Moment at={pausedAt ?? failingSince} />.
        </Text>
        <FormError error={send.error} />
        {isPaused && mayChange && (
          <Button size="sm" loading={send.isPending} onClick={resume}>
            {strings.resume}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
