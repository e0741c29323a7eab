/** Everything that was begun and has to be ended, however the run ends. */
export type Endings = {
  /** How to end it in good order, and how where there is no time to wait. */
  add(end: () => Promise<unknown>, abandon?: () => void): void
  /** In the opposite order of their beginning; one that fails does not keep the others. */
  endAll(): Promise<void>
}

export function createEndings(): Endings {
  const open: { end(): Promise<unknown>; abandon?: () => void }[] = []
  const abandonAll = (): void => {
    for (const { abandon } of open.reverse()) {
      try {
        abandon?.()
      } catch (error) {
        console.error(error)
      }
    }
  }
  process.once('exit', abandonAll)
  return {
    add: (end, abandon) => void open.push({ end, ...(abandon ? { abandon } : {}) }),
    async endAll() {
      for (let last = open.at(-1); last; last = open.at(-1)) {
        await last.end().catch((error) => console.error(error))
        open.pop()
      }
      process.off('exit', abandonAll)
    },
  }
}
