import { Autocomplete, Button, Group, NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { usePaths, useSend, useViewPage } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { useTell } from '../../parts/Tell.tsx'
import { panelStrings as strings } from '../../strings/developers.ts'
import { placeRefusal } from '../refusals.ts'
import type { TransactionRow } from '../transactions/transactions.ts'

const shownPending = 20
const statuses = ['successful', 'failed', 'pending'] as const
const needed = (value: string) => (value.trim() === '' ? strings.needed : null)

/** Moves a pending transaction to where it is wanted. */
export function SimulateForm() {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const [refusal, setRefusal] = useState<Error | null>(null)
  const pending = useViewPage<TransactionRow>('/transactions', {
    params: { status: 'pending', limit: shownPending },
    live: ['transaction'],
  })
  const form = useForm({
    initialValues: { externalReference: '', webhookStatus: 'successful' },
    validate: { externalReference: needed },
  })
  const submit = (values: { externalReference: string; webhookStatus: string }) => {
    setRefusal(null)
    const body = { ...values, externalReference: values.externalReference.trim() }
    send.mutate(
      { method: 'POST', path: paths.public('/utilities/simulate-webhook'), body },
      {
        onSuccess: () => tell(strings.simulated),
        onError: (error) => {
          const names = { externalReference: 'externalReference' } as const
          setRefusal(placeRefusal(error, names, form.setFieldError))
        },
      },
    )
  }
  const references = (pending.data?.data ?? []).map(({ reference }) => reference)
  return (
    <Section title={strings.simulateTitle} hint={strings.simulateHint}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <FormError error={refusal} />
          <Autocomplete
            label={strings.reference}
            placeholder={strings.referencePick}
            data={[...new Set(references)]}
            required
            {...form.getInputProps('externalReference')}
          />
          <Radio.Group label={strings.status} {...form.getInputProps('webhookStatus')}>
            <Stack gap="xs" mt={6}>
              {statuses.map((status) => (
                <Radio key={status} value={status} label={strings.statuses[status]} />
              ))}
            </Stack>
          </Radio.Group>
          <Group>
            <Button type="submit" loading={send.isPending}>
              {strings.simulate}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** Sends money into an account that was opened for one payment. */
export function PayAccountForm() {
  const paths = usePaths()
  const send = useSend()
  const tell = useTell()
  const [refusal, setRefusal] = useState<Error | null>(null)
  const form = useForm({
    initialValues: { accountNumber: '', amount: '' as number | string },
    validate: {
      accountNumber: needed,
      amount: (amount) => (Number(amount) > 0 ? null : strings.needed),
    },
  })
  const submit = (values: { accountNumber: string; amount: number | string }) => {
    setRefusal(null)
    const body = { accountNumber: values.accountNumber.trim(), amount: Number(values.amount) }
    send.mutate(
      { method: 'POST', path: paths.public('/utilities/simulate-bank-transfer'), body },
      {
        onSuccess: () => tell(strings.paid),
        onError: (error) => {
          const names = { accountNumber: 'accountNumber', amount: 'amount' } as const
          setRefusal(placeRefusal(error, names, form.setFieldError))
        },
      },
    )
  }
  return (
    <Section title={strings.payTitle} hint={strings.payHint}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="md">
          <FormError error={refusal} />
          <TextInput
            label={strings.accountNumber}
            inputMode="numeric"
            autoComplete="off"
            required
            {...form.getInputProps('accountNumber')}
          />
          <NumberInput
            label={strings.amount}
            decimalScale={2}
            thousandSeparator=","
            allowNegative={false}
            hideControls
            required
            {...form.getInputProps('amount')}
          />
          <Group>
            <Button type="submit" loading={send.isPending}>
              {strings.pay}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
