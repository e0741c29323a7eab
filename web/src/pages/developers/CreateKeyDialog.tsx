import { Button, Checkbox, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { keysStrings as strings } from '../../strings/developers.ts'
import { partsStrings } from '../../strings/parts.ts'
import { placeRefusal } from '../refusals.ts'
import { type CreatedKey, scopes } from './keys.ts'

type Props = { opened: boolean; onCreated: (key: CreatedKey) => void; onClose: () => void }

export function CreateKeyDialog({ opened, onCreated, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={strings.createTitle}>
      <CreateKeyForm onCreated={onCreated} onClose={onClose} />
    </Modal>
  )
}

type Values = { name: string; scopes: string[]; addresses: string }

function CreateKeyForm({ onCreated, onClose }: Omit<Props, 'opened'>) {
  const paths = usePaths()
  const send = useSend<CreatedKey>()
  const [refusal, setRefusal] = useState<Error | null>(null)
  const form = useForm<Values>({
    initialValues: { name: '', scopes: [...scopes], addresses: '' },
    validate: {
      name: (name) => (name.trim() === '' ? strings.nameNeeded : null),
      scopes: (chosen) => (chosen.length === 0 ? strings.scopesNeeded : null),
    },
  })
  const submit = (values: Values) => {
    const ipAllowList = values.addresses.split(/[\s,]+/).filter((each) => each !== '')
    const body = { name: values.name.trim(), scopes: values.scopes, ipAllowList }
    send.mutate(
      { method: 'POST', path: paths.view('/keys'), body },
      {
        onSuccess: onCreated,
        onError: (error) => setRefusal(placeRefusal(error, fieldNames, form.setFieldError)),
      },
    )
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <FormError error={refusal} />
        <TextInput
          label={strings.name}
          description={strings.nameHint}
          maxLength={100}
          data-autofocus
          required
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={strings.scopes} {...form.getInputProps('scopes')}>
          <Stack gap="xs" mt={6}>
            {scopes.map((scope) => (
              <Checkbox key={scope} value={scope} label={strings.scopeNames[scope]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Textarea
          label={strings.addresses}
          description={strings.addressesHint}
          autosize
          minRows={2}
          {...form.getInputProps('addresses')}
        />
        <Group justify="end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {partsStrings.cancel}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {strings.create}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** How the API names the fields of this form. */
const fieldNames: Partial<Record<string, keyof Values>> = {
  name: 'name',
  scopes: 'scopes',
  ipAllowList: 'addresses',
}
