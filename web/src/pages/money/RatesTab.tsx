import { NativeSelect, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { usePublic } from '../../api/queries.ts'
import { Section } from '../../parts/Section.tsx'
import { Empty, Ready } from '../../parts/states.tsx'
import { TimeChart } from '../../parts/TimeChart.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { moneyStrings } from '../../strings/money.ts'
import { CurrencyMark } from '../payouts/AmountFields.tsx'
import { useWallets } from './wallets.ts'

const strings = moneyStrings.rates
const usualPair = { from: 'USD', to: 'KES' }
const pauseMs = 400
const rateDigits = 6

type Day = { currencyPair: string; buy: number; sell: number; updatedAt: string }

export function RatesTab() {
  const { params, set } = useUrlParams()
  const { data: wallets = [] } = useWallets()
  const { from = usualPair.from, to = usualPair.to } = params
  const currencies = [...new Set([from, to, ...wallets.map(({ currency }) => currency)])].sort()
  const select = (name: 'from' | 'to', value: string) => (
    <NativeSelect
      label={strings[name]}
      data={currencies}
      value={value}
      onChange={(event) => void set({ from, to, [name]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap="lg">
      <SimpleGrid cols={2} maw="24rem">
        {select('from', from)}
        {select('to', to)}
      </SimpleGrid>
      {from === to ? (
        <Section>
          <Empty title={strings.same} />
        </Section>
      ) : (
        <>
          <Converter key={`${from} ${to}`} from={from} to={to} />
          <History from={from} to={to} />
        </>
      )}
    </Stack>
  )
}

function Converter({ from, to }: { from: string; to: string }) {
  const [amount, setAmount] = useState<number | string>(1)
  const [asked] = useDebouncedValue(amount, pauseMs)
  const { data, error } = usePublic<{ data: { conversionRate: number; convertedAmount: number } }>(
    '/utilities/rates',
    { params: { from, to, amount: String(asked) }, enabled: Number(asked) > 0, keep: true },
  )
  const rate = data?.data.conversionRate.toLocaleString('en', {
    maximumSignificantDigits: rateDigits,
  })
  return (
    <Section title={strings.now}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} maw="40rem">
        <NumberInput
          label={strings.convert}
          value={amount}
          onChange={setAmount}
          min={0}
          thousandSeparator=","
          allowNegative={false}
          hideControls
          rightSection={<CurrencyMark currency={from} />}
          rightSectionWidth={52}
        />
        <div aria-live="polite">
          <Text size="sm" fw={500}>
            {strings.result}
          </Text>
          <Text fz="xl" fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
            {error || !data ? '–' : `${data.data.convertedAmount.toLocaleString('en')} ${to}`}
          </Text>
          <Text size="sm" c="dimmed">
            {error ? strings.noneTitle : rate && strings.nowValue(from, rate, to)}
          </Text>
        </div>
      </SimpleGrid>
    </Section>
  )
}

function History({ from, to }: { from: string; to: string }) {
  const query = usePublic<{ data: Day[] }>('/utilities/rates/historical', { params: { from, to } })
  const pair = `${from}/${to}`
  return (
    <Section title={strings.chart(pair)}>
      <Ready query={query}>
        {({ data }) => {
          if (data.length === 0) return <Empty title={strings.noneTitle} hint={strings.noneText} />
          // They come newest first, and a chart begins with the oldest.
          const days = [...data].reverse()
          return (
            <TimeChart
              label={strings.chart(pair)}
              days={days.map(({ updatedAt }) => updatedAt.slice(0, 10))}
              kind="line"
              unit={to}
              series={[
                {
                  label: strings.sell(from),
                  tone: 'out',
                  values: days.map(({ sell }) => String(sell)),
                },
                {
                  label: strings.buy(from),
                  tone: 'in',
                  values: days.map(({ buy }) => String(buy)),
                },
              ]}
            />
          )
        }}
      </Ready>
    </Section>
  )
}
