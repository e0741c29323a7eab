import { useEnvironment } from '../api/queries.ts'
import { useMay, useSession } from '../api/session.ts'

/** Who may pay, collect and keep beneficiaries: in the sandbox whoever develops may try it too. */
export function useMayTrade(): boolean {
  const mayMoveMoney = useMay('moveMoney')
  const environment = useEnvironment()
  const { role } = useSession().person
  return mayMoveMoney || (environment === 'sandbox' && role === 'developer')
}
