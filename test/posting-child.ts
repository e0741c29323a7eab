/**
 * Posts for many clients at once, until it is killed. It prints a line for every posting that was
 * answered: its id and how. A posting whose outcome is unknown is sent again until it is answered.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '../src/clock.ts'
import { isUnavailableFault } from '../src/db/faults.ts'
import { connect } from '../src/db/pool.ts'
import type { Environment } from '../src/environment.ts'
import { createIds } from '../src/ids.ts'
import { createLedger } from '../src/ledger/ledger.ts'
import type { Posting, Transfer } from '../src/ledger/posting.ts'

type Wallet = { slot: number; id: string; environment: Environment; currency: string }

const clients = 64
const retryPauseMs = 50
const db = connect(process.argv[2]!, { maxConnections: 4 })
const ids = createIds(systemClock)
const ledger = createLedger(db)
const wallets = await db<Wallet[]>`select slot, id, environment, currency from wallets order by id`

/** The step says of how many transfers a posting consists, so that half a one can be told. */
function withSteps(transfers: Omit<Transfer, 'step'>[]): Transfer[] {
  const count = transfers.length
  return transfers.map((transfer, index) => ({ ...transfer, step: `${index + 1} of ${count}` }))
}

function transfersOf(from: Wallet, to: Wallet): Omit<Transfer, 'step'>[] {
  const amount = BigInt(randomInt(1, 5000))
  const own = { amount, currency: from.currency, walletId: from.id }
  const theirs = { amount, currency: to.currency, walletId: to.id }
  const house = { amount: 1n, currency: from.currency, walletId: from.id }
  const shapes: Omit<Transfer, 'step'>[][] = [
    [{ ...own, debit: 'rail:sandbox', credit: 'wallet' }],
    [
      { ...own, debit: 'wallet', credit: 'held' },
      { ...own, debit: 'held', credit: 'rail:sandbox' },
      { ...house, debit: 'wallet', credit: 'fees' },
    ],
    [
      { ...own, debit: 'wallet', credit: 'fx' },
      { ...theirs, debit: 'fx', credit: 'wallet' },
    ],
  ]
  return shapes[randomInt(shapes.length)]!
}

function randomPosting(): Posting {
  const from = wallets[randomInt(wallets.length)]!
  const neighbours = wallets.filter(({ slot }) => slot === from.slot)
  const to = neighbours[randomInt(neighbours.length)]!
  const { slot, environment } = from
  const transfers = withSteps(transfersOf(from, to))
  return { slot, transactionId: ids.next(slot), environment, transfers }
}

async function answerTo(posting: Posting): Promise<string> {
  for (;;) {
    try {
      return (await ledger.post(posting)).kind
    } catch (error) {
      if (!isUnavailableFault(error)) throw error
      await delay(retryPauseMs)
    }
  }
}

async function client(): Promise<never> {
  for (;;) {
    const posting = randomPosting()
    const answer = await answerTo(posting)
    process.stdout.write(`${posting.transactionId} ${answer}\n`)
  }
}

await Promise.all(Array.from({ length: clients }, client))
