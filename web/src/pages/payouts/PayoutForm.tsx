import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { usePublic } from '../../api/queries.ts'
import { FormError } from '../../parts/FormError.tsx'
import { Section } from '../../parts/Section.tsx'
import { destinationStrings } from '../../strings/beneficiaries.ts'
import { payoutsStrings as strings } from '../../strings/payouts.ts'
import { destinationFieldNames, missingErrors } from '../beneficiaries/BeneficiaryDialog.tsx'
import type { ExternalAccount } from '../beneficiaries/destination.ts'
import { useWallets } from '../money/wallets.ts'
import { placeRefusal } from '../refusals.ts'
import { AmountFields } from './AmountFields.tsx'
import { BeneficiaryFields } from './BeneficiaryFields.tsx'
import { Preview } from './Preview.tsx'
import { type Draft, emptyPayout, type PayoutValues, targetOf, walletFor } from './payout.ts'
import classes from './payouts.module.css'
import { ReviewStep } from './ReviewStep.tsx'

type Props = { beneficiary: string; onSent: (id: string) => void }

/** How the API names the fields of this form. */
const fieldNames: Partial<Record<string, keyof PayoutValues>> = {
  ...destinationFieldNames,
  amount: 'amount',
  externalReference: 'externalReference',
  externalAccountId: 'beneficiary',
  debitCurrency: 'wallet',
  debitCountry: 'wallet',
}

export function PayoutForm({ beneficiary, onSent }: Props) {
  const form = useForm<PayoutValues>({
    initialValues: emptyPayout(beneficiary),
    validate: (values) => errorsOf(values),
  })
  const { values } = form
  const { data: chosen } = usePublic<{ data: ExternalAccount }>(
    `/external-accounts/${values.beneficiary}`,
    { enabled: values.to === 'saved' && values.beneficiary !== '' },
  )
  const { data: wallets = [] } = useWallets()
  const target = targetOf(values, chosen?.data)
  const wallet = walletFor(wallets, values.wallet, target)
  const [reviewed, setReviewed] = useState<Draft>()
  const [refusal, setRefusal] = useState<Error | null>(null)
  const review = () => {
    setRefusal(null)
    if (wallet) setReviewed({ values, target, wallet })
    else form.setFieldError('wallet', strings.walletNeeded)
  }
  const takeBack = (error: Error) => {
    setReviewed(undefined)
    setRefusal(placeRefusal(error, fieldNames, form.setFieldError))
  }
  if (reviewed) {
    return (
      <ReviewStep
        draft={reviewed}
        onBack={() => setReviewed(undefined)}
        onRefused={takeBack}
        onSent={onSent}
      />
    )
  }
  return (
    <div className={classes.columns}>
      <Section title={strings.details}>
        <form onSubmit={form.onSubmit(review)} noValidate>
          <Stack gap="lg">
            <FormError error={refusal} />
            <BeneficiaryFields form={form} chosen={chosen?.data} />
            <AmountFields form={form} target={target} wallets={wallets} wallet={wallet} />
            <TextInput
              label={strings.reference}
              description={strings.referenceHint}
              maxLength={100}
              required
              {...form.getInputProps('externalReference')}
            />
            <Group justify="end">
              <Button type="submit">{strings.review}</Button>
            </Group>
          </Stack>
        </form>
      </Section>
      <div className={classes.aside}>
        <Preview amount={Number(values.amount)} currency={target.currency} wallet={wallet} />
      </div>
    </div>
  )
}

function errorsOf(values: PayoutValues): Record<string, string> {
  const to =
    values.to === 'new'
      ? missingErrors(values)
      : values.beneficiary === ''
        ? { beneficiary: strings.chooseBeneficiary }
        : {}
  return {
    ...to,
    ...(Number(values.amount) > 0 ? {} : { amount: strings.amountNeeded }),
    ...(values.externalReference.trim() === ''
      ? { externalReference: destinationStrings.required }
      : {}),
  }
}
