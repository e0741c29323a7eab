import type { Log } from '../log.ts'

export type Loop = {
  /** Runs again now, without waiting for the next time. */
  wake(): void
  /** Waits for the run that is under way and starts no other. */
  stop(): Promise<void>
}

const maxPauseMs = 60_000

/** Does something again and again, one run at a time. A fault is logged and tried again later. */
export function startLoop(
  { name, everyMs, log }: { name: string; everyMs: number; log: Log },
  run: () => Promise<void>,
): Loop {
  let stopped = false
  let faults = 0
  let again = false
  let timer: NodeJS.Timeout | undefined
  let current = Promise.resolve()

  async function once(): Promise<void> {
    again = false
    try {
      await run()
      faults = 0
    } catch (error) {
      faults++
      log.error({ err: error, loop: name, faults }, 'a background run failed')
    }
    if (stopped) return
    const pauseMs = faults > 0 ? Math.min(everyMs * 2 ** (faults - 1), maxPauseMs) : everyMs
    schedule(again ? 0 : pauseMs)
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      timer = undefined
      current = once()
    }, ms)
    timer.unref()
  }

  schedule(0)
  return {
    wake() {
      again = true
      if (timer === undefined || stopped) return
      clearTimeout(timer)
      schedule(0)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}
