import { constants } from 'node:os'
import { Interrupted } from './command-error.ts'

export type Interrupts = {
  /** Never resolves; rejects when the command is to end. */
  asked: Promise<never>
  wasAsked(): boolean
  stop(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const signalExitBase = 128
// A terminal and npm both pass Ctrl-C on, so it arrives twice. Whoever insists presses it later.
const insistAfterMs = 1000

/** Turns signals into a rejection, so that what is open is closed before the process ends. */
export function watchInterrupts(): Interrupts {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  let askedAtMs: number | undefined
  const hear = (signal: NodeJS.Signals): void => {
    const exitCode = signalExitBase + constants.signals[signal]
    if (askedAtMs === undefined) {
      askedAtMs = performance.now()
      reject(new Interrupted(signal, exitCode))
    } else if (performance.now() - askedAtMs > insistAfterMs) {
      process.exit(exitCode)
    }
  }
  for (const signal of signals) process.on(signal, hear)
  return {
    asked: promise,
    wasAsked: () => askedAtMs !== undefined,
    stop() {
      for (const signal of signals) process.off(signal, hear)
    },
  }
}
