import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { partsStrings } from '../../strings/parts.ts'
import { settingsStrings, peopleStrings as strings } from '../../strings/settings.ts'
import { addressOf, roleChoices } from './people.ts'

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState('viewer')
  const paths = usePaths()
  const send = useSend<{ invitation: string }>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { email: email.trim(), name: name.trim(), role }
    send.mutate({ method: 'POST', path: paths.shared('/people'), body })
  }
  return (
    <Modal opened onClose={onClose} title={send.data ? strings.invitationReady : strings.invite}>
      {send.data ? (
        <InvitationLink path={send.data.invitation} onDone={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={settingsStrings.email}
              type="email"
              required
              data-autofocus
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <TextInput
              label={settingsStrings.name}
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label={settingsStrings.role}
              data={roleChoices}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value)}
            />
            <FormError error={send.error} />
            <Group justify="end">
              <Button variant="default" onClick={onClose}>
                {partsStrings.cancel}
              </Button>
              <Button type="submit" loading={send.isPending}>
                {strings.inviteSend}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

/** Shown once; the service keeps only a hash of it. */
export function InvitationLink({ path, onDone }: { path: string; onDone: () => void }) {
  return (
    <Stack>
      <Text>{strings.invitationHint}</Text>
      <CopyField label={strings.invitationLink} value={addressOf(path)} />
      <Group justify="end">
        <Button onClick={onDone}>{strings.done}</Button>
      </Group>
    </Stack>
  )
}
