import { Stack, Text } from '@mantine/core'
import { usePublic } from '../../api/queries.ts'
import { Facts } from '../../parts/Facts.tsx'
import { formatMoney } from '../../parts/format.ts'
import { Money } from '../../parts/Money.tsx'
import { Section } from '../../parts/Section.tsx'
import { previewStrings as strings } from '../../strings/payouts.ts'
import type { Wallet } from '../money/wallets.ts'
import { useDecimals } from './AmountFields.tsx'
import classes from './payouts.module.css'

const everyMs = 30_000
const foreignDigits = 6

type Rate = { data: { conversionRate: number } }

/** What a payout takes from a wallet at the rate of now: an estimate, the service has the word. */
export function useCost(amount: number, currency: string, wallet: Wallet | undefined) {
  const isForeign = wallet !== undefined && currency !== '' && wallet.currency !== currency
  const { data, error } = usePublic<Rate>('/utilities/rates', {
    params: { from: wallet?.currency, to: currency },
    enabled: isForeign,
    everyMs,
  })
  const rate = isForeign ? data?.data.conversionRate : undefined
  if (!isForeign) return { cost: amount, rate, error: null }
  return { cost: rate === undefined ? undefined : amount / rate, rate, error }
}

/** As many decimals as the wallet's own balance shows. */
export function costText(cost: number, wallet: Wallet): string {
  const decimals = wallet.balance.split('.')[1]?.length ?? 0
  return formatMoney(cost.toFixed(decimals), wallet.currency)
}

type Props = { amount: number; currency: string; wallet: Wallet | undefined }

export function Preview({ amount, currency, wallet }: Props) {
  const decimals = useDecimals(currency)
  const { cost, rate, error } = useCost(amount, currency, wallet)
  if (!wallet || !(amount > 0)) {
    return (
      <Section title={strings.title}>
        <Text c="dimmed" size="sm">
          {strings.nothing}
        </Text>
      </Section>
    )
  }
  const isTooMuch = cost !== undefined && cost > Number(wallet.balance)
  const shownRate = rate?.toLocaleString('en', { maximumSignificantDigits: foreignDigits })
  const leaves = cost === undefined ? undefined : costText(cost, wallet)
  return (
    <Section title={strings.title}>
      <Stack gap="md" aria-live="polite">
        <Facts
          facts={[
            {
              label: strings.receives,
              value: <Money amount={amount.toFixed(decimals)} currency={currency} />,
            },
            {
              label: strings.rate,
              value: shownRate && strings.rateValue(wallet.currency, shownRate, currency),
            },
            {
              label: strings.leaves,
              value: leaves && (rate === undefined ? leaves : strings.leavesAbout(leaves)),
            },
            {
              label: strings.available,
              value: <Money amount={wallet.balance} currency={wallet.currency} />,
            },
          ]}
        />
        {isTooMuch && <p className={classes.warning}>{strings.tooMuch}</p>}
        {error && <p className={classes.warning}>{strings.noRate}</p>}
        <Text size="sm" c="dimmed">
          {rate !== undefined && `${strings.rateNote} `}
          {strings.fee}
        </Text>
      </Stack>
    </Section>
  )
}
