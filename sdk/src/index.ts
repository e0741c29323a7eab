export {
  type Client,
  type ClientOptions,
  createClient,
  type Method,
  type RequestOptions,
} from './client.ts'
export { MalipoError } from './malipo-error.ts'
export type { Profile, Wallet, WalletBalance } from './profile.ts'
