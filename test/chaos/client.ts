import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, type Caller, type CallerOptions, createCaller } from './caller.ts'
import { drawIntent, type Intent } from './intents.ts'

/** Customers of several merchants who repeat what was cut off and forget nothing. */
export type Client = {
  intents: readonly Intent[]
  counts: Record<string, number>
  /** Answers by status and code. */
  statuses: Record<string, number>
  /** Sends and reads until it is told to end. */
  load(customers: number, pauseMs: number): Promise<void>
  end(): void
  /** Takes up everything that is still open; says how much remains so. */
  catchUp(): Promise<number>
}

export type ClientOptions = CallerOptions & {
  /** Events that were received, to ask for some of them again. */
  events(): readonly { merchant: number; id: string }[]
}

const catchUpAtOnce = 8
const otp = '123456'
/** Of all that customers do: new requests, reads, repeats of answered requests, resends, lists. */
const shares = { send: 0.65, read: 0.85, replay: 0.9, resend: 0.95 }

export function createClient(options: ClientOptions): Client {
  const { random, merchants } = options
  const caller = createCaller(options)
  const intents: Intent[] = []
  const { counts, send, complete } = createConduct(caller, options.onViolation)
  let isOver = false

  async function customer(pauseMs: number): Promise<void> {
    while (!isOver) {
      await delay(random.between(0, pauseMs))
      const drawn = random.next()
      if (drawn > shares.send && intents.length > 0) await lookAround(drawn)
      else {
        const intent = drawIntent(random, merchants.length, intents.length)
        intents.push(intent)
        await takeUp(intent)
      }
    }
  }

  async function lookAround(drawn: number): Promise<void> {
    const intent = random.pick(intents)
    const events = options.events()
    if (drawn < shares.read && intent.outcome === 'accepted') await complete(intent)
    else if (drawn < shares.replay && intent.outcome !== 'open' && intent.status !== 'failed') {
      counts.replays++
      await send(intent)
    } else if (drawn < shares.resend && events.length > 0) {
      const { merchant, id } = random.pick(events)
      counts.resends++
      await caller.ask(merchant, { method: 'POST', path: `/webhooks/${id}/resend` })
    } else {
      counts.lists++
      await caller.ask(intent.merchant, { method: 'GET', path: '/transactions?limit=10' })
    }
  }

  async function takeUp(intent: Intent): Promise<void> {
    if (intent.outcome === 'open') await send(intent)
    if (intent.outcome === 'accepted') await complete(intent)
  }
  const open = () => intents.filter(({ outcome, status }) => outcome !== 'refused' && !status)

  return {
    ...{ intents, statuses: caller.statuses },
    get counts() {
      return { ...caller.counts, ...counts }
    },
    async load(customers, pauseMs) {
      await Promise.all(Array.from({ length: customers }, () => customer(pauseMs)))
    },
    end() {
      isOver = true
    },
    async catchUp() {
      const queue = open()
      const work = async () => {
        for (let intent = queue.pop(); intent; intent = queue.pop()) await takeUp(intent)
      }
      await Promise.all(Array.from({ length: catchUpAtOnce }, work))
      return open().length
    },
  }
}

/** What a client does with one intent, and how often it did so. */
function createConduct(caller: Caller, onViolation: CallerOptions['onViolation']) {
  const counts = { reads: 0, resends: 0, replays: 0, lists: 0, authorisations: 0 }
  const memory = remembering(onViolation)

  async function send(intent: Intent): Promise<void> {
    const { merchant, path, body, key } = intent
    intent.tries++
    const answer = await caller.ask(merchant, { method: 'POST', path, body, key })
    if (answer) memory.answered(intent, answer)
    // An account that could not be opened is never answered; the charge for it has failed.
    else if (intent.kind === 'bank') await readByReference(intent)
  }

  async function readByReference(intent: Intent): Promise<void> {
    const path = `/transactions/${intent.reference}`
    const answer = await caller.ask(intent.merchant, { method: 'GET', path })
    const data = answer?.body.data
    if (data?.chargeStatus !== 'failed') return
    memory.accepted(intent, String(data.transactionId))
    memory.read(intent, answer!)
  }

  async function read(intent: Intent): Promise<unknown> {
    counts.reads++
    const path = `/transactions/${intent.transactionId}`
    const answer = await caller.ask(intent.merchant, { method: 'GET', path })
    if (answer) memory.read(intent, answer)
    return answer?.body.data?.stepRequired
  }

  /** What the customer of a charge does: pays into the account, gives the password. */
  async function complete(intent: Intent): Promise<void> {
    const { merchant, virtualAccount: account, transactionId } = intent
    if (account && account.answered === 0) {
      account.tried++
      const body = { accountNumber: account.number, amount: intent.body.amount }
      const path = '/utilities/simulate-bank-transfer'
      const answer = await caller.once(merchant, { method: 'POST', path, body })
      if (answer?.status === 200) account.answered++
    }
    if ((await read(intent)) !== 'otp') return
    counts.authorisations++
    const path = `/fiat/deposit/${transactionId}/authorise`
    const body = { type: 'otp', value: otp }
    const answer = await caller.ask(merchant, { method: 'POST', path, body })
    if (answer?.status === 422) {
      onViolation({ kind: 'a right password was refused', about: transactionId!, detail: answer })
    }
  }
  return { counts, send, complete }
}

/** Writes down what the client is told, and objects where it was told otherwise before. */
function remembering(onViolation: CallerOptions['onViolation']) {
  function accepted(intent: Intent, id: string): void {
    const about = intent.reference
    if (intent.transactionId !== undefined && intent.transactionId !== id) {
      onViolation({ kind: 'one key has two transactions', about, detail: { intent, id } })
    }
    if (intent.outcome === 'refused') {
      onViolation({ kind: 'a refusal was taken back', about, detail: { intent, id } })
    }
    intent.outcome = 'accepted'
    intent.transactionId = id
  }
  return {
    accepted,
    answered(intent: Intent, answer: Answer): void {
      const { status, body } = answer
      const { data = {}, transactionId = data.transactionId, errorCode } = body
      if (status !== 200) {
        if (intent.outcome === 'accepted') {
          const detail = { intent, answer }
          const about = intent.reference
          onViolation({ kind: 'an acceptance was taken back', about, detail })
        } else Object.assign(intent, { outcome: 'refused', refusal: `${status} ${errorCode}` })
        return
      }
      accepted(intent, String(transactionId))
      if (intent.kind !== 'bank') return
      const { accountNumber } = data.virtualAccount as { accountNumber: string }
      intent.virtualAccount ??= { number: accountNumber, tried: 0, answered: 0 }
    },
    /** What was accepted must be there, and what is final must stay. */
    read(intent: Intent, answer: Answer): void {
      const about = intent.transactionId!
      const detail = { intent: { ...intent }, answer }
      const now = answer.body.data?.chargeStatus
      if (answer.status !== 200) {
        onViolation({ kind: 'what was accepted is not there', about, detail })
      } else if (intent.status !== undefined && intent.status !== now) {
        onViolation({ kind: 'what was final changed', about, detail })
      } else if (now === 'successful' || now === 'failed') intent.status = now
    },
  }
}
