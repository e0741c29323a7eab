import { NumberInput, Select, SimpleGrid, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { formatMoney } from '../../parts/format.ts'
import { payoutsStrings as strings } from '../../strings/payouts.ts'
import { useCountries, useCountryName } from '../beneficiaries/reference.ts'
import type { Wallet } from '../money/wallets.ts'
import type { PayoutValues, Target } from './payout.ts'

type Props = {
  form: UseFormReturnType<PayoutValues>
  target: Target
  wallets: readonly Wallet[]
  wallet: Wallet | undefined
}

const usualDecimals = 2

export function AmountFields({ form, target, wallets, wallet }: Props) {
  const decimals = useDecimals(target.currency)
  const countryName = useCountryName()
  const balanceOf = (id: string) => {
    const found = wallets.find((each) => each.id === id)
    return found && formatMoney(found.balance, found.currency)
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label={strings.amount}
        decimalScale={decimals}
        thousandSeparator=","
        allowNegative={false}
        hideControls
        inputMode="decimal"
        rightSection={<CurrencyMark currency={target.currency} />}
        rightSectionWidth={52}
        required
        {...form.getInputProps('amount')}
      />
      <Select
        label={strings.wallet}
        data={wallets.map(({ id, currency, country }) => ({
          value: id,
          label: `${currency} · ${countryName(country)}`,
        }))}
        renderOption={({ option }) => (
          <div>
            {option.label}
            <Text size="xs" c="dimmed">
              {balanceOf(option.value)}
            </Text>
          </div>
        )}
        searchable
        allowDeselect={false}
        required
        {...form.getInputProps('wallet')}
        value={wallet?.id ?? null}
      />
    </SimpleGrid>
  )
}

/** How many decimals a currency has, so that no more can be typed. */
export function useDecimals(currency: string): number {
  const country = useCountries().find((each) => each.currency.code === currency)
  return country ? Number(country.currency.decimal) : usualDecimals
}

/** The currency at the end of the field of an amount. */
export function CurrencyMark({ currency }: { currency: string }) {
  return (
    <Text size="sm" c="dimmed" aria-hidden="true">
      {currency}
    </Text>
  )
}
