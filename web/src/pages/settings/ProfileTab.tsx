import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { Facts } from '../../parts/Facts.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { roleStrings, settingsStrings as strings } from '../../strings/settings.ts'
import { TimeZoneSelect } from './TimeZoneSelect.tsx'
import { TotpSection } from './TotpSection.tsx'

export function ProfileTab() {
  return (
    <Stack gap="xl" maw="44rem">
      <ProfileSection />
      <PasswordSection />
      <TotpSection />
      <SessionsSection />
    </Stack>
  )
}

function ProfileSection() {
  const { person } = useSession()
  const [name, setName] = useState(person.name)
  const [timeZone, setTimeZone] = useState(person.timeZone)
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { name: name.trim(), timeZone }
    send.mutate(
      { method: 'PUT', path: paths.shared('/profile'), body },
      { onSuccess: () => tell(strings.saved) },
    )
  }
  return (
    <Section title={strings.profile}>
      <form onSubmit={submit}>
        <Stack>
          <Facts
            facts={[
              { label: strings.email, value: person.email },
              { label: strings.role, value: roleStrings.names[person.role] },
            ]}
          />
          <TextInput
            label={strings.name}
            autoComplete="name"
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TimeZoneSelect
            label={strings.timeZone}
            hint={strings.timeZoneHint}
            value={timeZone}
            onChange={setTimeZone}
          />
          <FormError error={send.error} />
          <Group>
            <Button type="submit" loading={send.isPending}>
              {strings.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function PasswordSection() {
  const { person } = useSession()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate(
      { method: 'PUT', path: paths.shared('/password'), body: { current, next } },
      {
        onSuccess: () => {
          setCurrent('')
          setNext('')
          tell(strings.passwordChanged)
        },
      },
    )
  }
  return (
    <Section title={strings.password} hint={strings.passwordHint}>
      <form onSubmit={submit}>
        <Stack>
          {/* Tells the browser's password store whose password this is. */}
          <input type="hidden" autoComplete="username" value={person.email} />
          <PasswordInput
            label={strings.currentPassword}
            autoComplete="current-password"
            required
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label={strings.newPassword}
            description={strings.newPasswordHint}
            autoComplete="new-password"
            required
            value={next}
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <FormError error={send.error} />
          <Group>
            <Button type="submit" variant="default" loading={send.isPending}>
              {strings.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

function SessionsSection() {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const end = () =>
    send.mutate(
      { method: 'DELETE', path: paths.shared('/sessions') },
      { onSuccess: () => tell(strings.sessionsEnded) },
    )
  return (
    <Section title={strings.sessions} hint={strings.sessionsHint}>
      <FormError error={send.error} />
      <Button variant="default" onClick={end} loading={send.isPending}>
        {strings.endSessions}
      </Button>
    </Section>
  )
}
