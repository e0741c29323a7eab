import { Button, Group, Modal, NativeSelect, Stack, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { partsStrings } from '../../strings/parts.ts'
import { settingsStrings, peopleStrings as strings } from '../../strings/settings.ts'
import { InvitationLink } from './InviteDialog.tsx'
import { type Colleague, roleChoices } from './people.ts'

type Props = { person: Colleague; onClose: () => void }

export function ChangePersonDialog({ person, onClose }: Props) {
  const [role, setRole] = useState<string>(person.role)
  const [isAllowed, setAllowed] = useState(!person.disabled)
  const paths = usePaths()
  const change = useSend()
  const invite = useSend<{ invitation: string }>()
  const tell = useTell()
  const path = paths.shared(`/people/${person.id}`)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(
      { method: 'PUT', path, body: { role, disabled: !isAllowed } },
      {
        onSuccess: () => {
          tell(settingsStrings.saved)
          onClose()
        },
      },
    )
  }
  return (
    <Modal opened onClose={onClose} title={strings.changeTitle(person.name)}>
      {invite.data ? (
        <InvitationLink path={invite.data.invitation} onDone={onClose} />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <NativeSelect
              label={settingsStrings.role}
              data={roleChoices}
              value={role}
              onChange={(event) => setRole(event.currentTarget.value)}
            />
            <Switch
              label={strings.access}
              checked={isAllowed}
              onChange={(event) => setAllowed(event.currentTarget.checked)}
            />
            <FormError error={change.error ?? invite.error} />
            <Group justify="end">
              {person.invited && (
                <Button
                  variant="subtle"
                  loading={invite.isPending}
                  onClick={() => invite.mutate({ method: 'POST', path: `${path}/invite` })}
                >
                  {strings.newLink}
                </Button>
              )}
              <Button variant="default" onClick={onClose}>
                {partsStrings.cancel}
              </Button>
              <Button type="submit" loading={change.isPending}>
                {settingsStrings.save}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}
