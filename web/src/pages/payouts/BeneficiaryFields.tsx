import { Checkbox, Group, Radio, Select, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { destinationStrings } from '../../strings/beneficiaries.ts'
import { payoutsStrings as strings } from '../../strings/payouts.ts'
import { useBeneficiaries } from '../beneficiaries/beneficiaries.ts'
import { DestinationFields } from '../beneficiaries/DestinationFields.tsx'
import { type ExternalAccount, valuesOf } from '../beneficiaries/destination.ts'
import { NameCheck } from '../beneficiaries/NameCheck.tsx'
import type { PayoutValues } from './payout.ts'

type Props = { form: UseFormReturnType<PayoutValues>; chosen: ExternalAccount | undefined }

/** Who is paid: somebody saved, or somebody new. */
export function BeneficiaryFields({ form, chosen }: Props) {
  const { values, errors } = form
  return (
    <Stack gap="md">
      <Radio.Group label={strings.to} {...form.getInputProps('to')}>
        <Group gap="lg" mt={6}>
          <Radio value="saved" label={strings.saved} />
          <Radio value="new" label={strings.new} />
        </Group>
      </Radio.Group>
      {values.to === 'saved' ? (
        <Saved form={form} chosen={chosen} />
      ) : (
        <>
          <DestinationFields values={values} errors={errors} onChange={form.setValues} />
          {values.country !== '' && (
            <Checkbox label={strings.save} {...form.getInputProps('save', { type: 'checkbox' })} />
          )}
        </>
      )}
    </Stack>
  )
}

function Saved({ form, chosen }: Props) {
  const { accounts } = useBeneficiaries()
  // The one that is chosen may stand further down than was loaded.
  const known = new Map(
    [...(chosen ? [chosen] : []), ...(accounts ?? [])].map((each) => [
      each.externalAccountId,
      each,
    ]),
  )
  if (accounts?.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {strings.noBeneficiaries}
      </Text>
    )
  }
  return (
    <>
      <Select
        aria-label={strings.chooseBeneficiary}
        placeholder={strings.chooseBeneficiary}
        data={[...known].map(([value, account]) => ({ value, label: labelOf(account) }))}
        nothingFoundMessage={destinationStrings.nothingFound}
        searchable
        limit={50}
        {...form.getInputProps('beneficiary')}
        value={form.values.beneficiary || null}
        onChange={(id) => form.setFieldValue('beneficiary', id ?? '')}
      />
      {chosen && <NameCheck values={valuesOf(chosen)} />}
    </>
  )
}

function labelOf({ payoutMethod, destination, currency }: ExternalAccount): string {
  const { accountName, accountNumber } = payoutMethod
  const place = `${destinationStrings.destinations[destination]} ${currency}`
  return `${accountName} · ${accountNumber} · ${place}`
}
