import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useEnvironment, usePaths, useSend } from '../../api/queries.ts'
import { CopyField } from '../../parts/CopyField.tsx'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { stepStrings as strings } from '../../strings/charges.ts'
import type { Followed } from '../payouts/transaction.ts'
import { placeRefusal } from '../refusals.ts'
import { TransferDetails } from './TransferDetails.tsx'

/** What has to happen before a charge can go on, if anything. */
export function ChargeStep({ charge }: { charge: Followed }) {
  if (charge.status !== 'pending') return null
  if (charge.virtualAccount)
    return <TransferDetails charge={charge} account={charge.virtualAccount} />
  const { stepRequired: step, redirectUrl } = charge
  if (step === 'redirect' && redirectUrl) return <Redirect url={redirectUrl} />
  if (step === 'otp' || step === 'pin') return <CodeStep key={step} id={charge.id} step={step} />
  if (step === 'address') return <AddressStep id={charge.id} />
  return null
}

function Redirect({ url }: { url: string }) {
  return (
    <Section title={strings.redirectTitle}>
      <Stack gap="md">
        <Text>{strings.redirectText}</Text>
        <Group>
          <Button component="a" href={url} target="_blank" rel="noopener">
            {strings.open}
          </Button>
        </Group>
        <CopyField label={strings.link} value={url} />
      </Stack>
    </Section>
  )
}

type Answer = { type: string; value: string }

function useAuthorise(id: string) {
  const paths = usePaths()
  const send = useSend()
  const path = paths.public(`/fiat/deposit/${id}/authorise`)
  const authorise = (body: Answer, onError: (error: Error) => void) =>
    send.mutate({ method: 'POST', path, body }, { onError })
  return { authorise, isPending: send.isPending }
}

function CodeStep({ id, step }: { id: string; step: 'otp' | 'pin' }) {
  const environment = useEnvironment()
  const { authorise, isPending } = useAuthorise(id)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const form = useForm({
    initialValues: { value: '' },
    validate: { value: (value) => (value.trim() === '' ? strings.needed : null) },
  })
  const submit = ({ value }: { value: string }) =>
    authorise({ type: step, value: value.trim() }, (error) =>
      setRefusal(placeRefusal(error, { value: 'value' }, form.setFieldError)),
    )
  const sandbox = step === 'otp' ? strings.sandboxOtp : strings.sandboxPin
  return (
    <Section title={step === 'otp' ? strings.otpTitle : strings.pinTitle}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md" maw="22rem">
          <FormError error={refusal} />
          <TextInput
            label={strings[step]}
            description={environment === 'sandbox' ? sandbox : strings[`${step}Hint`]}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            {...form.getInputProps('value')}
          />
          <Group>
            <Button type="submit" loading={isPending}>
              {strings.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

const emptyAddress = { street1: '', city: '', state: '', zip: '', country: '' }
const addressFields = ['street1', 'city', 'state', 'zip', 'country'] as const
const optionalFields: readonly string[] = ['state', 'zip']

function AddressStep({ id }: { id: string }) {
  const { authorise, isPending } = useAuthorise(id)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const form = useForm({
    initialValues: emptyAddress,
    validate: (values) =>
      Object.fromEntries(
        addressFields
          .filter((name) => !optionalFields.includes(name) && values[name].trim() === '')
          .map((name) => [name, strings.needed]),
      ),
  })
  const submit = (values: typeof emptyAddress) =>
    authorise({ type: 'address', value: JSON.stringify(values) }, setRefusal)
  return (
    <Section title={strings.addressTitle}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <FormError error={refusal} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {addressFields.map((name) => (
              <TextInput
                key={name}
                label={strings[name]}
                autoComplete="off"
                required={!optionalFields.includes(name)}
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          <Group>
            <Button type="submit" loading={isPending}>
              {strings.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
