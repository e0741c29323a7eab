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
  /**
   * Calls `free` when the receiver has answered, and ends when all about the item is done. It
   * never fails.
   */
  run(item: Item, free: (isFit: boolean) => void): Promise<void>
  /** There is room again where there was little. */
  onRoom(): void
}

type Lane<Item> = {
  receiver: string
  window: number
  inFlight: number
  /** Waiting, in flight, and answered but not yet done. */
  inHand: number
  queue: Item[]
}

const firstWindow = 8
/** How many are in hand for each that may be in flight, so that none has to be waited for. */
const handsPerWindow = 16
const rememberedWindows = 10_000

const capacity = (window: number) => window * handsPerWindow

export function createLanes<Item>(options: LanesOptions<Item>): Lanes<Item> {
  const { maxPerReceiver, maxInFlight } = options
  const lanes = new Map<string, Lane<Item>>()
  const windows = new LRUCache<string, number>({ max: rememberedWindows })
  let inFlight = 0
  let whenIdle: (() => void)[] = []

  const windowOf = (receiver: string) =>
    windows.get(receiver) ?? Math.min(firstWindow, maxPerReceiver)

  function pump(lane: Lane<Item>): void {
    while (lane.queue.length > 0 && lane.inFlight < lane.window && inFlight < maxInFlight) {
      lane.inFlight++
      inFlight++
      void start(lane, lane.queue.shift()!)
    }
  }

  async function start(lane: Lane<Item>, item: Item): Promise<void> {
    let isFree = false
    const free = (isFit: boolean) => {
      if (isFree) return
      isFree = true
      const wasFull = inFlight >= maxInFlight
      lane.inFlight--
      inFlight--
      lane.window = nextWindow(lane.window, isFit, maxPerReceiver)
      pump(lane)
      if (wasFull) for (const each of lanes.values()) pump(each)
    }
    await options.run(item, free)
    free(true)
    leave(lane, 1)
    if (lane.inHand <= capacity(lane.window) / 2) options.onRoom()
  }

  function leave(lane: Lane<Item>, count: number): void {
    lane.inHand -= count
    if (lane.inHand > 0) return
    windows.set(lane.receiver, lane.window)
    lanes.delete(lane.receiver)
    if (lanes.size > 0) return
    for (const tell of whenIdle) tell()
    whenIdle = []
  }

  return {
    inFlight: () => inFlight,
    room(receiver) {
      const lane = lanes.get(receiver)
      return Math.max(0, capacity(lane?.window ?? windowOf(receiver)) - (lane?.inHand ?? 0))
    },
    add(receiver, item) {
      const lane =
        lanes.get(receiver) ??
        ({ receiver, window: windowOf(receiver), inFlight: 0, inHand: 0, queue: [] } as Lane<Item>)
      lanes.set(receiver, lane)
      lane.inHand++
      lane.queue.push(item)
      pump(lane)
    },
    empty: () => [...lanes.values()].flatMap((lane) => takeAll(lane, leave)),
    async idle() {
      if (lanes.size > 0) await new Promise<void>((resolve) => whenIdle.push(resolve))
    },
  }
}

function nextWindow(window: number, isFit: boolean, max: number): number {
  return isFit ? Math.min(max, window + 1) : Math.max(1, Math.floor(window / 2))
}

function takeAll<Item>(lane: Lane<Item>, leave: (lane: Lane<Item>, count: number) => void): Item[] {
  const items = lane.queue.splice(0)
  leave(lane, items.length)
  return items
}
