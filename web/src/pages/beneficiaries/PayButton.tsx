import { useEnvironment } from '../../api/queries.ts'
import { LinkButton } from '../../parts/LinkButton.tsx'
import { beneficiariesStrings as strings } from '../../strings/beneficiaries.ts'
import type { ExternalAccount } from './destination.ts'

/** To the page that sends a payout, with this beneficiary chosen. */
export function PayButton({ account }: { account: ExternalAccount }) {
  const environment = useEnvironment()
  return (
    <LinkButton
      to="/$environment/payouts"
      params={{ environment }}
      search={{ to: account.externalAccountId } as never}
      variant="subtle"
      size="compact-sm"
      aria-label={`${strings.pay} ${account.payoutMethod.accountName}`}
    >
      {strings.pay}
    </LinkButton>
  )
}
