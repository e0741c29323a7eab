import type { Reply } from '../../src/webhooks/delivery.ts'
import type { Post } from '../../src/webhooks/send.ts'
import type { Random } from './random.ts'

/** What arrived at a merchant, in its order. */
export type Reception = {
  origin: string
  webhookId: string
  transactionId: string
  sequence: number
  status: string
  /** Whether the receiver said it has it. */
  isAnswered: boolean
}

export type Receivers = {
  log: Reception[]
  post(post: Post): Reply
  /** A receiver goes away for a while, or comes back. */
  toggle(origin: string): boolean
  restore(): void
}

type Manner = 'fine' | 'fault' | 'hangs' | 'resets' | 'busy' | 'hears nothing'

const refusals: Record<Exclude<Manner, 'fine'>, Reply> = {
  fault: { ok: false, status: '500', text: 'fault', isFit: true },
  hangs: { ok: false, status: 'timeout', text: 'no answer in time', isFit: false },
  resets: { ok: false, status: 'ECONNRESET', text: 'connection reset', isFit: false },
  busy: { ok: false, status: '429', text: 'busy', isFit: true, retryAfter: '30' },
  'hears nothing': { ok: false, status: 'ECONNREFUSED', text: 'refused', isFit: false },
}

export function createReceivers(options: {
  random: Random
  isCalm(): boolean
  note(fault: string): void
}): Receivers {
  const { random, isCalm, note } = options
  const log: Reception[] = []
  const away = new Set<string>()

  function mannerOf(origin: string): Manner {
    if (away.has(origin)) return 'hears nothing'
    if (isCalm()) return 'fine'
    return random.weighted({ fine: 12, fault: 1, hangs: 1, resets: 1, busy: 1, 'hears nothing': 1 })
  }

  return {
    log,
    post({ origin, headers, body }) {
      const manner = mannerOf(origin)
      if (manner !== 'fine') note(`receiver ${manner}`)
      if (manner !== 'hears nothing') {
        const { data } = JSON.parse(body) as { data: Omit<Reception, 'origin'> }
        const { transactionId, sequence, status } = data
        const webhookId = headers['webhook-id']!
        const isAnswered = manner === 'fine'
        log.push({ origin, webhookId, transactionId, sequence, status, isAnswered })
      }
      return manner === 'fine'
        ? { ok: true, status: '200', text: 'ok', isFit: true }
        : refusals[manner]
    },
    toggle(origin) {
      if (!away.delete(origin)) away.add(origin)
      return away.has(origin)
    },
    restore: () => away.clear(),
  }
}
