import { Button, Group, Modal, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { usePaths, useSend } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { destinationStrings, beneficiariesStrings as strings } from '../../strings/beneficiaries.ts'
import { partsStrings } from '../../strings/parts.ts'
import { placeRefusal } from '../refusals.ts'
import { DestinationFields } from './DestinationFields.tsx'
import {
  type DestinationValues,
  type ExternalAccount,
  emptyDestination,
  missingIn,
  payoutMethodOf,
  valuesOf,
} from './destination.ts'

type Props = { opened: boolean; account?: ExternalAccount | undefined; onClose: () => void }

/** Makes a beneficiary, or changes the one that is given. */
export function BeneficiaryDialog({ opened, account, onClose }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={account ? strings.editTitle : strings.addTitle}
      size="lg"
    >
      <BeneficiaryForm account={account} onClose={onClose} />
    </Modal>
  )
}

/** How the API names the fields of a destination. */
export const destinationFieldNames = Object.fromEntries(
  Object.keys(emptyDestination).map((name) => [name, name]),
) as Record<string, keyof DestinationValues>

export function missingErrors(values: DestinationValues): Record<string, string> {
  return Object.fromEntries(missingIn(values).map((name) => [name, destinationStrings.required]))
}

function BeneficiaryForm({ account, onClose }: Omit<Props, 'opened'>) {
  const form = useForm<DestinationValues>({
    initialValues: account ? valuesOf(account) : emptyDestination,
    validate: missingErrors,
  })
  const [refusal, setRefusal] = useState<Error | null>(null)
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const submit = (values: DestinationValues) => {
    const { country, currency, destination } = values
    const body = { country, currency, destination, payoutMethod: payoutMethodOf(values) }
    const id = account?.externalAccountId
    send.mutate(
      {
        method: id ? 'PUT' : 'POST',
        path: paths.public(id ? `/external-accounts/${id}` : '/external-accounts'),
        body: id ? body : { ...body, type: 'payout' },
      },
      {
        onSuccess: () => {
          tell(id ? strings.changed : strings.saved)
          onClose()
        },
        onError: (error) =>
          setRefusal(placeRefusal(error, destinationFieldNames, form.setFieldError)),
      },
    )
  }
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="md">
        <FormError error={refusal} />
        <DestinationFields values={form.values} errors={form.errors} onChange={form.setValues} />
        <Group justify="end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {partsStrings.cancel}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {strings.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
