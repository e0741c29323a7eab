import { SimpleGrid, Text, TextInput } from '@mantine/core'
import { chargesStrings as strings } from '../../strings/charges.ts'
import { type ChargeFormProps, EmailField } from './ChargeForm.tsx'

const groupOfFour = /(\d{4})(?=\d)/g
const longestNumber = 19

/** Digits in groups of four, as they stand on the card. */
export function groupDigits(text: string): string {
  return text.replaceAll(/\D/g, '').slice(0, longestNumber).replaceAll(groupOfFour, '$1 ')
}

export function CardFields({ form }: ChargeFormProps) {
  return (
    <>
      <TextInput
        label={strings.cardNumber}
        inputMode="numeric"
        autoComplete="off"
        required
        {...form.getInputProps('number')}
        onChange={(event) => form.setFieldValue('number', groupDigits(event.currentTarget.value))}
      />
      <SimpleGrid cols={2}>
        <TextInput
          label={strings.expiry}
          placeholder="12/30"
          inputMode="numeric"
          autoComplete="off"
          maxLength={7}
          required
          {...form.getInputProps('expiry')}
        />
        <TextInput
          label={strings.cvv}
          inputMode="numeric"
          autoComplete="off"
          maxLength={4}
          required
          {...form.getInputProps('cvv')}
        />
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        {strings.cardNote}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={strings.firstName}
          autoComplete="off"
          required
          {...form.getInputProps('firstName')}
        />
        <TextInput
          label={strings.lastName}
          autoComplete="off"
          required
          {...form.getInputProps('lastName')}
        />
      </SimpleGrid>
      <EmailField form={form} />
    </>
  )
}
