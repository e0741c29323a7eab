import { type Command, Option } from 'commander'
import { transaction } from '../db/transaction.ts'
import type { Environment } from '../environment.ts'
import { postTransfers } from '../ledger/post.ts'
import { type Owner, openWallet, type Wallet, walletsOf } from '../ledger/wallets.ts'
import type { Account } from '../merchants/account.ts'
import { audit } from '../merchants/audit.ts'
import { formatMinor, minorFromText, textFromMinor } from '../money/amounts.ts'
import { CommandError } from './command-error.ts'
import { table } from './layout.ts'
import {
  aboutMoney,
  environmentOption,
  leaf,
  merchantOption,
  requireAccount,
  walletScope,
} from './options.ts'
import type { Session } from './session.ts'
import type { Answer, AnswerOptions, Terminal } from './terminal.ts'

type AccountOptions = AnswerOptions & { merchant: string; environment: Environment }
type ScopeOptions = AccountOptions & { currency: string; country?: string }
type FundOptions = ScopeOptions & { amount: string }

const currencyOption = () =>
  new Option('--currency <currency>', 'such as KES').makeOptionMandatory()
const countryOption = () =>
  new Option('--country <country>', 'such as KE; the usual one of the currency if absent')

export function addWalletCommands(program: Command, terminal: Terminal): void {
  const wallet = program.command('wallet').description('Show, open and fund wallets')

  leaf(wallet, 'list', 'Show the wallets of a merchant and what they hold')
    .addOption(merchantOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .action((options: AccountOptions) =>
      terminal.answer(options, (session) => list(session, options)),
    )

  leaf(wallet, 'open', 'Open a wallet for a merchant')
    .addOption(merchantOption().makeOptionMandatory())
    .addOption(environmentOption().makeOptionMandatory())
    .addOption(currencyOption())
    .addOption(countryOption())
    .action((options: ScopeOptions) =>
      terminal.answer(options, (session) => open(session, options)),
    )

  leaf(wallet, 'fund', 'Put play money into a sandbox wallet')
    .addOption(merchantOption().makeOptionMandatory())
    .addOption(environmentOption().default('sandbox'))
    .addOption(currencyOption())
    .addOption(countryOption())
    .requiredOption('--amount <amount>', 'such as 1000 or 10.50')
    .action((options: FundOptions) => terminal.answer(options, (session) => fund(session, options)))
}

async function list({ db }: Session, options: AccountOptions): Promise<Answer> {
  const wallets = await walletsOf(db, ownerOf(await requireAccount(db, options)))
  const rows = wallets.map((wallet) => [
    wallet.id,
    wallet.country,
    formatMinor(wallet.available, wallet.currency),
    formatMinor(wallet.held, wallet.currency),
  ])
  const columns = [
    { title: 'ID' },
    { title: 'COUNTRY' },
    { title: 'AVAILABLE', align: 'right' as const },
    { title: 'HELD', align: 'right' as const },
  ]
  return {
    text:
      rows.length > 0 ? table(columns, rows) : `There are no ${options.environment} wallets yet.`,
    json: wallets.map(walletJson),
  }
}

function ownerOf({ id: accountId, slot, environment }: Account): Owner {
  return { accountId, slot, environment }
}

/** Amounts as decimal text: a JSON number could not hold every sum. */
function walletJson({ id, accountId, environment, currency, country, available, held }: Wallet) {
  return {
    id,
    accountId,
    environment,
    currency,
    country,
    available: textFromMinor(available, currency),
    held: textFromMinor(held, currency),
  }
}

async function open({ db, ids, actor }: Session, options: ScopeOptions): Promise<Answer> {
  const account = await requireAccount(db, options)
  const scope = walletScope(options)
  const { wallet, isNew } = await transaction(db, async (tx) => {
    const before = await walletsOf(tx, ownerOf(account))
    const wallet = await openWallet(tx, ids, ownerOf(account), scope)
    const isNew = !before.some(({ id }) => id === wallet.id)
    if (isNew) {
      const about = { subject: wallet.id, accountId: account.id }
      await audit(tx, ids, { actor, action: 'wallet.open', ...about, detail: scope })
    }
    return { wallet, isNew }
  })
  const name = `The ${account.environment} wallet ${scope.currency} ${scope.country}`
  return {
    text: `${name} ${isNew ? 'is open' : 'was open already'}: ${wallet.id}`,
    json: { ...walletJson(wallet), isNew },
  }
}

async function fund({ db, ids, actor }: Session, options: FundOptions): Promise<Answer> {
  if (options.environment === 'live') {
    throw new CommandError('Live money comes by rails only: wallet fund is for the sandbox.')
  }
  const account = await requireAccount(db, options)
  const scope = walletScope(options)
  const { currency } = scope
  const amount = aboutMoney('The amount', () => minorFromText(options.amount, currency))
  const { slot, environment } = account
  const transactionId = ids.next(slot)
  const after = await transaction(db, async (tx) => {
    const { id: walletId } = await openWallet(tx, ids, ownerOf(account), scope)
    const transfer = {
      step: 'funds',
      debit: 'funding',
      credit: 'wallet',
      amount,
      currency,
      walletId,
    } as const
    await postTransfers(tx, [{ slot, transactionId, environment, transfers: [transfer] }])
    const detail = { ...scope, amount: textFromMinor(amount, currency), transactionId }
    const about = { subject: walletId, accountId: account.id }
    await audit(tx, ids, { actor, action: 'wallet.fund', ...about, detail })
    return openWallet(tx, ids, ownerOf(account), scope)
  })
  return {
    text:
      `The sandbox wallet ${currency} ${scope.country} got ${formatMinor(amount, currency)} ` +
      `and now has ${formatMinor(after.available, currency)}.`,
    json: { transactionId, wallet: walletJson(after) },
  }
}
