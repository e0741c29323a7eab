import { useView } from '../../api/queries.ts'
import type { TransactionDetail } from '../transactions/transactions.ts'

export type Followed = TransactionDetail['transaction']
export type VirtualAccount = NonNullable<Followed['virtualAccount']>

/** While something is open it is asked about too, should live updates be cut off. */
const everyMs = 3000

export function useFollowed(id: string) {
  const path = `/transactions/${id}`
  const query = useView<TransactionDetail>(path, { live: ['transaction'] })
  const isOpen = query.data?.transaction.status === 'pending'
  // The same query once more, which adds the interval for as long as it is needed.
  useView<TransactionDetail>(path, { live: ['transaction'], ...(isOpen ? { everyMs } : {}) })
  return query
}
