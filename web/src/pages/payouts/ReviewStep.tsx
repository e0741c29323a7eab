import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, unreachable } from '../../api/client.ts'
import { useEnvironment } from '../../api/queries.ts'
import { Facts } from '../../parts/Facts.tsx'
import { formatMoney } from '../../parts/format.ts'
import { Section } from '../../parts/Section.tsx'
import { destinationStrings } from '../../strings/beneficiaries.ts'
import { previewStrings, payoutsStrings as strings } from '../../strings/payouts.ts'
import { NameCheck } from '../beneficiaries/NameCheck.tsx'
import { useCountryName } from '../beneficiaries/reference.ts'
import { useDecimals } from './AmountFields.tsx'
import { costText, useCost } from './Preview.tsx'
import { type Draft, findSent, sendPayout } from './payout.ts'

type Props = {
  draft: Draft
  onBack: () => void
  onRefused: (error: Error) => void
  onSent: (id: string) => void
}

/** The last look before money moves. */
export function ReviewStep({ draft, onBack, onRefused, onSent }: Props) {
  const environment = useEnvironment()
  const { send, isUncertain, isPending } = useSendOnce(draft, onRefused, onSent)
  const heading = useRef<HTMLDivElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { target } = draft
  const money = useAmountText(draft)
  return (
    <div ref={heading} tabIndex={-1} style={{ outline: 'none', maxWidth: '46rem' }}>
      <Section title={strings.reviewTitle}>
        <Stack gap="lg">
          <ReviewFacts draft={draft} />
          <NameCheck values={target} />
          <Alert color={environment === 'live' ? 'red' : 'amber'} variant="light">
            {environment === 'live' ? strings.liveNote : strings.sandboxNote}
          </Alert>
          {isUncertain && (
            <Alert color="red" role="alert">
              {strings.uncertain}
            </Alert>
          )}
          <Group justify="end" gap="sm">
            <Button variant="default" onClick={onBack} disabled={isPending || isUncertain}>
              {strings.back}
            </Button>
            <Button onClick={send} loading={isPending}>
              {strings.send(money)}
            </Button>
          </Group>
        </Stack>
      </Section>
    </div>
  )
}

/** The amount with all its decimals, as it will stand on the statement. */
function useAmountText({ values, target }: Draft): string {
  const decimals = useDecimals(target.currency)
  return formatMoney(Number(values.amount).toFixed(decimals), target.currency)
}

function ReviewFacts({ draft }: { draft: Draft }) {
  const { values, target, wallet } = draft
  const countryName = useCountryName()
  const money = useAmountText(draft)
  const { cost, rate } = useCost(Number(values.amount), target.currency, wallet)
  const leaves = cost === undefined ? undefined : costText(cost, wallet)
  const account = [
    destinationStrings.destinations[target.destination],
    target.businessNumber,
    target.accountNumber,
    target.code,
    target.branchCode,
    countryName(target.country),
  ]
  return (
    <Facts
      facts={[
        { label: strings.facts.beneficiary, value: target.accountName },
        { label: strings.facts.account, value: account.filter(Boolean).join(' · ') },
        { label: strings.facts.amount, value: money },
        {
          label: strings.facts.wallet,
          value: `${wallet.currency} · ${countryName(wallet.country)}`,
        },
        {
          label: strings.facts.cost,
          value: leaves && (rate === undefined ? leaves : previewStrings.leavesAbout(leaves)),
        },
        { label: strings.facts.reference, value: values.externalReference },
      ]}
    />
  )
}

/** The reference lets a payout be sent again when its answer was lost: it is paid once only. */
function useSendOnce(
  draft: Draft,
  onRefused: (error: Error) => void,
  onSent: (id: string) => void,
) {
  const environment = useEnvironment()
  const client = useQueryClient()
  const [isUncertain, setUncertain] = useState(false)
  const sending = useMutation({
    mutationFn: async () => {
      try {
        return await sendPayout(environment, draft)
      } catch (error) {
        const isRepeat = error instanceof ApiError && error.code === 'E-API-D.S-28'
        if (isUncertain && isRepeat) return findSent(environment, draft.values.externalReference)
        throw error
      }
    },
    onSuccess: async (id) => {
      await client.invalidateQueries({ refetchType: 'active' })
      onSent(id)
    },
    onError: (error) => {
      const isLost =
        error instanceof ApiError && (error.code === unreachable || error.status >= 500)
      if (isLost) setUncertain(true)
      else onRefused(error)
    },
  })
  return { send: () => sending.mutate(), isUncertain, isPending: sending.isPending }
}
