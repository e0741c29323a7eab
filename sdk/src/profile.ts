export type WalletBalance = { readonly balance: number }

/** Money in one currency and country: `balance` can be spent, `reserved` is held for payouts. */
export type Wallet = {
  readonly currency: string
  readonly country: string
  readonly balance: number
  readonly reserved: number
}

/**
 * The account behind the keys. `KESWallet`, `USDWallet` and so on exist for each currency held and
 * show the total over its countries; `wallets` has them one by one.
 */
export type Profile = {
  readonly success: true
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly publicKey: string
  readonly webhookUrl: string | null
  readonly sandboxWebhookUrl: string | null
  readonly wallets: readonly Wallet[]
  readonly [wallet: `${Uppercase<string>}Wallet`]: WalletBalance
}
