import { systemClock } from '../src/clock.ts'
import type { Db } from '../src/db/pool.ts'
import type { Environment } from '../src/environment.ts'
import { createIds, type Ids } from '../src/ids.ts'
import { postTransfers } from '../src/ledger/post.ts'
import type { Posting, Transfer } from '../src/ledger/posting.ts'
import { type Wallet, walletById } from '../src/ledger/wallets.ts'

/** An account with wallets to test the ledger on, without the ways of a merchant. */
export type Books = {
  ids: Ids
  slot: number
  wallets: Wallet[]
  posting(...transfers: Transfer[]): Posting
  fund(wallet: Wallet, amount: bigint): Promise<void>
  balance(wallet: Wallet): Promise<{ available: bigint; held: bigint }>
}

const firstLetter = 'A'.charCodeAt(0)
const letters = 26
const currencies = ['KES', 'UGX', 'TZS', 'NGN']

export async function openBooks(
  db: Db,
  { wallets: count = 1, slot = 7, environment = 'sandbox' as Environment } = {},
): Promise<Books> {
  const ids = createIds(systemClock)
  const merchantId = ids.next(0)
  const accountId = ids.next(slot)
  await db`
    insert into merchants (id, name, first_name, last_name, email)
    values (${merchantId}, 'Books', 'Test', 'Books', ${`${merchantId}@malipo.example`})`
  await db`
    insert into accounts (id, slot, merchant_id, environment)
    values (${accountId}, ${slot}, ${merchantId}, ${environment})`
  const rows = Array.from({ length: count }, (_, index) => ({
    slot,
    id: ids.next(slot),
    account_id: accountId,
    environment,
    currency: currencies[Math.floor(index / letters ** 2)]!,
    country: countryOf(index),
  }))
  for (let start = 0; start < count; start += 1000) {
    await db`insert into wallets ${db(rows.slice(start, start + 1000))}`
  }
  const wallets = rows.map(({ account_id, ...row }) => ({
    ...row,
    accountId: account_id,
    available: 0n,
    held: 0n,
  }))
  const posting = (...transfers: Transfer[]): Posting => ({
    slot,
    transactionId: ids.next(slot),
    environment,
    transfers,
  })
  return {
    ids,
    slot,
    wallets,
    posting,
    async fund(wallet, amount) {
      await postTransfers(db, [posting(transfer(wallet, 'funding', 'wallet', amount))])
    },
    async balance(wallet) {
      const { available, held } = (await walletById(db, slot, wallet.id))!
      return { available, held }
    },
  }
}

export function transfer(
  wallet: Pick<Wallet, 'id' | 'currency'>,
  debit: Transfer['debit'],
  credit: Transfer['credit'],
  amount: bigint,
  step = 'step',
): Transfer {
  return { step, debit, credit, amount, currency: wallet.currency, walletId: wallet.id }
}

/** The database wants two letters, and a wallet of each country: any pair will do here. */
function countryOf(index: number): string {
  const letter = (value: number) => String.fromCharCode(firstLetter + (value % letters))
  return letter(Math.floor(index / letters)) + letter(index)
}
