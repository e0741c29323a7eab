import {
  Button,
  Group,
  NumberInput,
  Radio,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { useEnvironment } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { chargesStrings as strings } from '../../strings/charges.ts'
import { useWallets } from '../money/wallets.ts'
import { CurrencyMark, useDecimals } from '../payouts/AmountFields.tsx'
import { placeRefusal } from '../refusals.ts'
import { CardFields } from './CardFields.tsx'
import {
  type ChargeMethod,
  type ChargeValues,
  emptyCharge,
  expiryShape,
  methods,
  neededOf,
  sendCharge,
} from './charge.ts'
import { MomoFields } from './MomoFields.tsx'
import { SandboxHints } from './SandboxHints.tsx'

export type ChargeFormProps = { form: UseFormReturnType<ChargeValues> }

/** How the API names the fields of this form. */
const fieldNames: Partial<Record<string, keyof ChargeValues>> = {
  ...Object.fromEntries(Object.keys(emptyCharge()).map((name) => [name, name])),
  code: 'momoOperatorId',
  expMonth: 'expiry',
  expYear: 'expiry',
}

export function ChargeForm({ onSent }: { onSent: (id: string) => void }) {
  const environment = useEnvironment()
  const client = useQueryClient()
  const form = useForm<ChargeValues>({ initialValues: emptyCharge(), validate: errorsOf })
  const [refusal, setRefusal] = useState<Error | null>(null)
  const [wantsCode, setWantsCode] = useState(false)
  const sending = useMutation({
    mutationFn: (values: ChargeValues) => sendCharge(environment, values),
    onSuccess: async (id) => {
      await client.invalidateQueries({ refetchType: 'active' })
      onSent(id)
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'MOMO_CODE_REQUIRED') setWantsCode(true)
      setRefusal(placeRefusal(error, fieldNames, form.setFieldError))
    },
  })
  const { method } = form.values
  return (
    <SimpleGrid
      cols={{ base: 1, md: environment === 'sandbox' ? 2 : 1 }}
      spacing="lg"
      style={{ alignItems: 'start' }}
    >
      <Section title={strings.formTitle}>
        <form onSubmit={form.onSubmit((values) => sending.mutate(values))} noValidate>
          <Stack gap="md">
            <FormError error={refusal} />
            <Radio.Group
              label={strings.method}
              value={method}
              onChange={(next) => form.setValues(switched(form.values, next as ChargeMethod))}
            >
              <Group gap="lg" mt={6}>
                {methods.map((each) => (
                  <Radio key={each} value={each} label={strings.methods[each]} />
                ))}
              </Group>
            </Radio.Group>
            {method === 'momo' && <MomoFields form={form} wantsCode={wantsCode} />}
            <MoneyFields form={form} />
            {method === 'card' && <CardFields form={form} />}
            {method === 'bank' && <EmailField form={form} />}
            <TextInput
              label={strings.reference}
              description={strings.referenceHint}
              maxLength={100}
              required
              {...form.getInputProps('externalReference')}
            />
            <Group justify="end">
              <Button type="submit" loading={sending.isPending}>
                {strings.ask}
              </Button>
            </Group>
          </Stack>
        </form>
      </Section>
      {environment === 'sandbox' && <SandboxHints form={form} />}
    </SimpleGrid>
  )
}

function errorsOf(values: ChargeValues): Record<string, string> {
  const missing = neededOf[values.method].filter((name) => String(values[name]).trim() === '')
  return {
    ...Object.fromEntries(missing.map((name) => [name, strings.required])),
    ...(values.method === 'card' && !expiryShape.test(values.expiry)
      ? { expiry: strings.expiryWrong }
      : {}),
    ...(Number(values.amount) > 0 ? {} : { amount: strings.amountNeeded }),
  }
}

/** Where rails open accounts for one payment today. */
const virtualAccountCurrencies = ['KES', 'NGN']

/** Phones are charged where they are; what else was typed stays. */
function switched(values: ChargeValues, method: ChargeMethod): Partial<ChargeValues> {
  const { country, currency } = emptyCharge()
  if (method === 'momo') return { method, country, currency, momoOperatorId: '' }
  const isPossible = method === 'card' || virtualAccountCurrencies.includes(values.currency)
  return { method, walletCurrency: '', ...(isPossible ? {} : { currency }) }
}

function MoneyFields({ form }: ChargeFormProps) {
  const { method, currency } = form.values
  const { data: wallets = [] } = useWallets()
  const decimals = useDecimals(currency)
  const held = [...new Set(wallets.map((each) => each.currency))].sort()
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label={strings.amount}
        decimalScale={decimals}
        thousandSeparator=","
        allowNegative={false}
        hideControls
        inputMode="decimal"
        rightSection={<CurrencyMark currency={currency} />}
        rightSectionWidth={52}
        required
        {...form.getInputProps('amount')}
      />
      {method === 'momo' ? (
        <Select
          label={strings.settle}
          data={held}
          searchable
          placeholder={currency}
          clearable
          {...form.getInputProps('walletCurrency')}
          value={form.values.walletCurrency || null}
          onChange={(value) => form.setFieldValue('walletCurrency', value ?? '')}
        />
      ) : (
        <Select
          label={strings.currency}
          data={method === 'bank' ? virtualAccountCurrencies : held}
          searchable
          allowDeselect={false}
          required
          {...form.getInputProps('currency')}
        />
      )}
    </SimpleGrid>
  )
}

export function EmailField({ form }: ChargeFormProps) {
  return (
    <TextInput
      label={strings.email}
      type="email"
      autoComplete="off"
      required
      {...form.getInputProps('email')}
    />
  )
}
