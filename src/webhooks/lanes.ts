import { LRUCache } from 'lru-cache'

/**
 * A lane for each receiver. How many it gets at once grows while it answers and shrinks when it
 * does not, so receivers that hang soon hold next to nothing, and never what others need.
 */
export type Lanes<Item> = {
  /** How many more may be handed over for a receiver. */
  room(receiver: string): number
  add(receiver: string, item: Item): void
  /** Takes back everything that has not been started. */
  empty(): Item[]
  inFlight(): number
  /** When nothing is in hand any more. */
  idle(): Promise<void>
}

export type LanesOptions<Item> = {
  maxPerReceiver: number
  maxInFlight: number
  /** Calls `free` when the receiver has answered, and ends when all about the item is done. */
  run(item: Item, free: (isFit: boolean) => void): Promise<void>
  /** There is room again where there was little. */
  onRoom(): void
}

type Lane<Item> = { window: number; inFlight: number; inHand: number; queue: Item[] }

const firstWindow = 8
/** How many are in hand for each that may be in flight, so that none has to be waited for. */
const handsPerWindow = 8
const rememberedWindows = 10_000

export function createLanes<Item>(options: LanesOptions<Item>): Lanes<Item> {
  const { maxPerReceiver, maxInFlight, run, onRoom } = options
  const lanes = new Map<string, Lane<Item>>()
  const windows = new LRUCache<string, number>({ max: rememberedWindows })
  let inFlight = 0
  let whenIdle: (() => void)[] = []

  const windowOf = (receiver: string) =>
    windows.get(receiver) ?? Math.min(firstWindow, maxPerReceiver)
  const capacity = (window: number) => window * handsPerWindow

  function pump(receiver: string, lane: Lane<Item>): void {
    while (lane.queue.length > 0 && lane.inFlight < lane.window && inFlight < maxInFlight) {
      start(receiver, lane, lane.queue.shift()!)
    }
  }

  function start(receiver: string, lane: Lane<Item>, item: Item): void {
    lane.inFlight++
    inFlight++
    let isFree = false
    const free = (isFit: boolean) => {
      if (isFree) return
      isFree = true
      const wasFull = inFlight >= maxInFlight
      lane.inFlight--
      inFlight--
      lane.window = isFit
        ? Math.min(maxPerReceiver, lane.window + 1)
        : Math.max(1, Math.floor(lane.window / 2))
      pump(receiver, lane)
      if (wasFull) for (const [name, each] of lanes) pump(name, each)
    }
    void run(item, free).finally(() => {
      free(true)
      lane.inHand--
      const isHalfEmpty = lane.inHand <= capacity(lane.window) / 2
      if (lane.inHand === 0) {
        windows.set(receiver, lane.window)
        lanes.delete(receiver)
      }
      if (isHalfEmpty) onRoom()
      if (lanes.size > 0) return
      for (const tell of whenIdle) tell()
      whenIdle = []
    })
  }

  return {
    inFlight: () => inFlight,
    room(receiver) {
      const lane = lanes.get(receiver)
      const window = lane?.window ?? windowOf(receiver)
      return Math.max(0, capacity(window) - (lane?.inHand ?? 0))
    },
    add(receiver, item) {
      let lane = lanes.get(receiver)
      if (!lane) {
        lane = { window: windowOf(receiver), inFlight: 0, inHand: 0, queue: [] }
        lanes.set(receiver, lane)
      }
      lane.inHand++
      lane.queue.push(item)
      pump(receiver, lane)
    },
    empty() {
      return [...lanes].flatMap(([receiver, lane]) => {
        const items = lane.queue.splice(0)
        lane.inHand -= items.length
        if (lane.inHand === 0) lanes.delete(receiver)
        return items
      })
    },
    async idle() {
      if (lanes.size === 0) return
      await new Promise<void>((resolve) => whenIdle.push(resolve))
    },
  }
}
