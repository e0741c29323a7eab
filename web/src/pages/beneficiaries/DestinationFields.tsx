import { Autocomplete, Group, Radio, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { destinationStrings as strings } from '../../strings/beneficiaries.ts'
import { useWallets } from '../money/wallets.ts'
import {
  type Destination,
  type DestinationValues,
  destinationsIn,
  fieldsOf,
} from './destination.ts'
import { NameCheck } from './NameCheck.tsx'
import { useBanks, useBranches, useCountries, useOperators } from './reference.ts'

type Props = {
  values: DestinationValues
  errors: Record<string, ReactNode>
  onChange: (patch: Partial<DestinationValues>) => void
}

/** The fields that name where money goes: those of the country and the kind of account. */
export function DestinationFields(props: Props) {
  const { values, onChange } = props
  const fields = fieldsOf(values)
  return (
    <Stack gap="md">
      <Place {...props} />
      {values.country !== '' && (
        <>
          <Radio.Group
            label={strings.destination}
            value={values.destination}
            onChange={(destination) =>
              onChange({ destination: destination as Destination, code: '', branchCode: '' })
            }
          >
            <Group gap="lg" mt={6}>
              {destinationsIn(values.country).map((each) => (
                <Radio key={each} value={each} label={strings.destinations[each]} />
              ))}
            </Group>
          </Radio.Group>
          {fields.operator && <OperatorField {...props} />}
          {fields.bank && <BankFields {...props} />}
          {fields.businessNumber && (
            <TextField {...props} name="businessNumber" label={strings.businessNumber} numeric />
          )}
          <Holder {...props} />
        </>
      )}
    </Stack>
  )
}

function Place({ values, errors, onChange }: Props) {
  const countries = useCountries()
  const currencies = useCurrenciesIn(values.country)
  const choose = (iso2: string | null) => {
    const country = countries.find((each) => each.iso2 === iso2)
    if (!country || country.iso2 === values.country) return
    const isPossible = destinationsIn(country.iso2).includes(values.destination)
    onChange({
      country: country.iso2,
      currency: country.currency.code,
      destination: isPossible ? values.destination : 'MoMo',
      code: '',
      branchCode: '',
    })
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <Select
        label={strings.country}
        placeholder={strings.countryHint}
        data={countries.map(({ iso2, name }) => ({ value: iso2, label: name }))}
        value={values.country || null}
        onChange={choose}
        error={errors.country}
        nothingFoundMessage={strings.nothingFound}
        searchable
        allowDeselect={false}
        required
      />
      <Select
        label={strings.currency}
        data={currencies}
        value={values.currency || null}
        onChange={(currency) => currency && onChange({ currency })}
        error={errors.currency}
        disabled={values.country === ''}
        allowDeselect={false}
        required
      />
    </SimpleGrid>
  )
}

/** The money of the country, and those held in wallets that belong to no country of ours. */
function useCurrenciesIn(country: string): string[] {
  const countries = useCountries()
  const { data: wallets = [] } = useWallets()
  const own = countries.find((each) => each.iso2 === country)?.currency.code
  if (own === undefined) return []
  const local = new Set(countries.map((each) => each.currency.code))
  const foreign = wallets.map(({ currency }) => currency).filter((each) => !local.has(each))
  return [...new Set([own, ...foreign])]
}

function OperatorField({ values, errors, onChange }: Props) {
  const operators = useOperators(values.country)
  const { operatorRequired } = fieldsOf(values)
  return (
    <Select
      label={strings.operator}
      placeholder={operatorRequired ? strings.choose : strings.operatorFromNumber}
      data={operators.map(({ id, wallet, name }) => ({
        value: id,
        label: wallet === name ? wallet : `${wallet} (${name})`,
      }))}
      value={values.code || null}
      onChange={(code) => onChange({ code: code ?? '' })}
      error={errors.code}
      required={operatorRequired}
      clearable={!operatorRequired}
    />
  )
}

function BankFields(props: Props) {
  const { values, errors, onChange } = props
  const banks = useBanks(values.country)
  const bank = banks.find((each) => each.code === values.code)
  const branches = useBranches(bank)
  const { branchRequired } = fieldsOf(values)
  const nameOf = (code: string) =>
    branches.find((each) => each.branch_code === code)?.branch_name ?? ''
  return (
    <SimpleGrid cols={{ base: 1, xs: branchRequired || branches.length > 0 ? 2 : 1 }}>
      {banks.length === 0 ? (
        <TextField {...props} name="code" label={strings.bankCode} />
      ) : (
        <Select
          label={strings.bank}
          placeholder={strings.choose}
          data={banks.map(({ code, name }) => ({ value: code, label: name }))}
          value={values.code || null}
          onChange={(code) => onChange({ code: code ?? '', branchCode: '' })}
          error={errors.code}
          nothingFoundMessage={strings.nothingFound}
          searchable
          allowDeselect={false}
          required
        />
      )}
      {(branchRequired || branches.length > 0) && (
        <Autocomplete
          label={strings.branch}
          description={nameOf(values.branchCode) || undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder={branches.length > 0 ? strings.choose : ''}
          data={branches.map(({ branch_code }) => branch_code)}
          renderOption={({ option }) => `${option.value} · ${nameOf(option.value)}`}
          value={values.branchCode}
          onChange={(branchCode) => onChange({ branchCode })}
          error={errors.branchCode}
          required={branchRequired}
        />
      )}
    </SimpleGrid>
  )
}

function Holder(props: Props) {
  const { values, onChange } = props
  const dialingCode = useCountries().find((each) => each.iso2 === values.country)?.dialing_code
  const isPhone = values.destination === 'MoMo'
  return (
    <>
      <TextField
        {...props}
        name="accountNumber"
        label={strings.numbers[values.destination]}
        {...(isPhone && dialingCode ? { hint: strings.phoneHint(dialingCode) } : {})}
        numeric={isPhone}
      />
      <NameCheck values={values} onUse={(accountName) => onChange({ accountName })} />
      <TextField {...props} name="accountName" label={strings.names[values.destination]} />
    </>
  )
}

type TextFieldProps = Props & {
  name: keyof DestinationValues
  label: string
  hint?: string
  numeric?: boolean
}

function TextField({ values, errors, onChange, name, label, hint, numeric }: TextFieldProps) {
  return (
    <TextInput
      label={label}
      placeholder={hint}
      value={values[name]}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      error={errors[name]}
      inputMode={numeric ? 'tel' : 'text'}
      autoComplete="off"
      required
    />
  )
}
