import { Select, SimpleGrid, TextInput } from '@mantine/core'
import { chargesStrings as strings } from '../../strings/charges.ts'
import { useCountries, useOperators } from '../beneficiaries/reference.ts'
import type { ChargeFormProps } from './ChargeForm.tsx'

/** A voucher is no operator of a phone, so the list of operators does not have it. */
const voucher = { country: 'BW', id: 'ott' }

export function MomoFields({ form, wantsCode }: ChargeFormProps & { wantsCode: boolean }) {
  const countries = useCountries()
  const { country, currency, momoOperatorId } = form.values
  const operators = useOperators(country)
  const chosen = countries.find((each) => each.iso2 === country)
  const isOptional = currency === 'KES'
  const options = operators.map(({ id, wallet }) => ({ value: id, label: wallet }))
  if (country === voucher.country) options.push({ value: voucher.id, label: strings.voucher })
  const choose = (iso2: string | null) => {
    const next = countries.find((each) => each.iso2 === iso2)
    if (!next) return
    form.setValues({ country: next.iso2, currency: next.currency.code, momoOperatorId: '' })
  }
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label={strings.country}
          data={countries.map(({ iso2, name }) => ({ value: iso2, label: name }))}
          searchable
          allowDeselect={false}
          required
          error={form.errors.country ?? form.errors.currency}
          value={country}
          onChange={choose}
        />
        <Select
          label={strings.operator}
          placeholder={isOptional ? strings.operatorFromNumber : strings.choose}
          data={options}
          clearable={isOptional}
          required={!isOptional}
          error={form.errors.momoOperatorId}
          value={momoOperatorId || null}
          onChange={(id) => form.setFieldValue('momoOperatorId', id ?? '')}
        />
      </SimpleGrid>
      <TextInput
        label={strings.phone}
        placeholder={chosen ? strings.phoneHint(chosen.dialing_code) : ''}
        inputMode="tel"
        autoComplete="off"
        required
        {...form.getInputProps('phoneNumber')}
      />
      {wantsCode && (
        <TextInput
          label={strings.otpCode}
          description={strings.otpCodeHint}
          inputMode="numeric"
          autoComplete="off"
          required
          {...form.getInputProps('otpCode')}
        />
      )}
      {country === voucher.country && momoOperatorId === voucher.id && (
        <TextInput
          label={strings.voucherPin}
          autoComplete="off"
          required
          {...form.getInputProps('voucherPin')}
        />
      )}
    </>
  )
}
