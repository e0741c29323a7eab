import { Button } from '@mantine/core'
import { useEnvironment } from '../../api/queries.ts'
import { LinkButton } from '../../parts/LinkButton.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { payoutsStrings as strings } from '../../strings/payouts.ts'
import { useMayTrade } from '../rights.ts'
import { FollowTransaction } from './FollowTransaction.tsx'
import { PayoutForm } from './PayoutForm.tsx'

export function PayoutsPage() {
  const environment = useEnvironment()
  const mayPay = useMayTrade()
  const { params, set } = useUrlParams()
  const { sent, to } = params
  const actions = (
    <>
      <LinkButton
        to="/$environment/transactions"
        params={{ environment }}
        search={{ type: 'payout' } as never}
        variant="default"
      >
        {strings.all}
      </LinkButton>
      {mayPay && (
        <LinkButton to="/$environment/batches" params={{ environment }} variant="default">
          {strings.sendMany}
        </LinkButton>
      )}
    </>
  )
  return (
    <>
      <PageHeader title={strings.title} hint={strings.about} actions={actions} />
      {!mayPay && !sent && (
        <Section>
          <Empty title={strings.notAllowed} hint={strings.notAllowedText} />
        </Section>
      )}
      {mayPay && !sent && (
        <PayoutForm
          key={environment}
          beneficiary={to ?? ''}
          onSent={(id) => void set({ sent: id, to: undefined })}
        />
      )}
      {sent && (
        <FollowTransaction
          key={sent}
          id={sent}
          actions={
            mayPay && (
              <Button variant="default" onClick={() => void set({ sent: undefined })}>
                {strings.another}
              </Button>
            )
          }
        />
      )}
    </>
  )
}
