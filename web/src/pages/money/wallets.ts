import { useView } from '../../api/queries.ts'

export type Wallet = {
  id: string
  name: string
  currency: string
  country: string
  balance: string
  reserved: string
}

export function useWallets() {
  return useView<Wallet[]>('/wallets', { live: ['transaction'] })
}
