import { Button } from '@mantine/core'
import { useEnvironment } from '../../api/queries.ts'
import { LinkButton } from '../../parts/LinkButton.tsx'
import { PageHeader } from '../../parts/PageHeader.tsx'
import { Section } from '../../parts/Section.tsx'
import { Empty } from '../../parts/states.tsx'
import { useUrlParams } from '../../parts/url.ts'
import { chargesStrings as strings } from '../../strings/charges.ts'
import { FollowTransaction } from '../payouts/FollowTransaction.tsx'
import { useMayTrade } from '../rights.ts'
import { ChargeForm } from './ChargeForm.tsx'
import { ChargeStep } from './ChargeStep.tsx'

export function ChargesPage() {
  const environment = useEnvironment()
  const mayCharge = useMayTrade()
  const { params, set } = useUrlParams()
  const { sent } = params
  return (
    <>
      <PageHeader
        title={strings.title}
        hint={strings.about}
        actions={
          <LinkButton
            to="/$environment/transactions"
            params={{ environment }}
            search={{ type: 'charge' } as never}
            variant="default"
          >
            {strings.all}
          </LinkButton>
        }
      />
      {!mayCharge && !sent && (
        <Section>
          <Empty title={strings.notAllowed} hint={strings.notAllowedText} />
        </Section>
      )}
      {mayCharge && !sent && (
        <ChargeForm key={environment} onSent={(id) => void set({ sent: id })} />
      )}
      {sent && (
        <FollowTransaction
          key={sent}
          id={sent}
          step={(charge) => mayCharge && <ChargeStep charge={charge} />}
          actions={
            mayCharge && (
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
