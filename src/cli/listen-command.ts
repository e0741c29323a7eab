import type { Command } from 'commander'
import { Agent } from 'undici'
import { systemClock } from '../clock.ts'
import type { Environment } from '../environment.ts'
import { createLogTo } from '../log.ts'
import { readEndpoints, validKeys } from '../webhooks/endpoints.ts'
import { followEvents, type HeardEvent } from '../webhooks/listen.ts'
import { signedHeaders } from '../webhooks/sign.ts'
import { CommandError } from './command-error.ts'
import { printable } from './layout.ts'
import { environmentOption, leaf, merchantOption, requireAccount } from './options.ts'
import { openSeal, type Session } from './session.ts'
import type { AnswerOptions, Terminal } from './terminal.ts'

type ListenOptions = AnswerOptions & {
  merchant: string
  environment: Environment
  forward?: string
}

type Forward = (event: HeardEvent) => Promise<string>

const forwardTimeoutMs = 15_000

export function addListenCommand(program: Command, terminal: Terminal): void {
  leaf(program, 'listen', 'Show events as they happen, and pass them on to a program of yours')
    .addOption(merchantOption().default('demo'))
    .addOption(environmentOption().default('sandbox'))
    .option('--forward <url>', 'also post them there, signed as deliveries are')
    .addHelpText(
      'after',
      '\nIt goes on until Ctrl-C. Deliveries to the webhook URL are not changed.',
    )
    .action((options: ListenOptions) => terminal.stream((session) => lines(session, options)))
}

async function* lines(session: Session, options: ListenOptions): AsyncGenerator<string> {
  const account = await requireAccount(session.db, options)
  const forward = options.forward
    ? await forwarder(session, account.id, options.forward)
    : undefined
  const events = await followEvents(session.db, account)
  if (!options.json) {
    const where = options.forward ? `, passing them on to ${printable(options.forward)}` : ''
    yield `Listening for ${options.environment} events of ${printable(options.merchant)}${where}.`
  }
  for await (const event of events) {
    const answer = forward ? await forward(event) : undefined
    yield options.json ? jsonLine(event, answer) : textLine(event, answer)
  }
}

function textLine({ createdAt, event, data, id }: HeardEvent, answer: string | undefined): string {
  const what = `${event}  ${data.status}  ${data.type}  ${printable(data.externalReference)}`
  const came = answer === undefined ? '' : `  → ${answer}`
  return `${createdAt.toISOString()}  ${id}  ${what}${came}`
}

function jsonLine({ id, body }: HeardEvent, answer: string | undefined): string {
  return JSON.stringify({ id, ...JSON.parse(body), ...(answer ? { forwarded: answer } : {}) })
}

/** Posts an event as a delivery would, and says what came of it. */
async function forwarder(session: Session, accountId: string, url: string): Promise<Forward> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new CommandError('--forward must be a URL such as http://localhost:3000/webhooks.')
  }
  const seal = await openSeal(session)
  const log = createLogTo({ write: () => {} }, 'silent')
  const agent = new Agent()
  return async ({ id, body }) => {
    const parts = { db: session.db, clock: systemClock, seal, log }
    const [endpoint] = await readEndpoints(parts, [accountId])
    const nowMs = systemClock.now()
    const headers = signedHeaders(validKeys(endpoint!, nowMs), id, body, nowMs)
    const { origin, pathname, search } = new URL(url)
    try {
      const answer = await agent.request({
        ...{ origin, path: pathname + search, method: 'POST', headers, body },
        signal: AbortSignal.timeout(forwardTimeoutMs),
      })
      await answer.body.dump()
      return String(answer.statusCode)
    } catch (error) {
      return error instanceof Error ? printable(error.message || error.name) : 'failed'
    }
  }
}
