import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A wire between two processes that can be cut, held, and made to swallow what it is given. */
export type Wire = {
  port: number
  /** Resets every open connection; those who speak learn of it at once. */
  cut(): number
  /** Lets the next answer of each connection get lost, and resets it then. */
  loseAnswers(): number
  /** Holds everything back for a while, also on new connections, and then lets it through. */
  stall(forMs: number): number
  /** What is open now carries nothing any more and says nothing of it. New connections work. */
  swallow(): number
  /** Ends every fault: what is swallowed is reset. */
  calm(): void
  close(): Promise<void>
}

type Pair = { near: Socket; far: Socket; losesAnswer: boolean; isSwallowed: boolean }

export async function startWire(targetPort: number): Promise<Wire> {
  const pairs = new Set<Pair>()
  let timer: NodeJS.Timeout | undefined

  const isStalled = () => timer !== undefined
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    const pair = { near, far, losesAnswer: false, isSwallowed: false }
    pairs.add(pair)
    join(pair, isStalled, reset)
    if (isStalled()) hold(pair)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  const each = (act: (pair: Pair) => void): number => {
    const open = [...pairs].filter(({ isSwallowed }) => !isSwallowed)
    for (const pair of open) act(pair)
    return open.length
  }
  function reset(pair: Pair): void {
    pairs.delete(pair)
    pair.near.resetAndDestroy()
    pair.far.resetAndDestroy()
  }
  function letGo(): void {
    clearTimeout(timer)
    timer = undefined
    each(({ near, far }) => {
      near.resume()
      far.resume()
    })
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => each(reset),
    loseAnswers: () =>
      each((pair) => {
        pair.losesAnswer = true
      }),
    stall(forMs) {
      clearTimeout(timer)
      timer = setTimeout(letGo, forMs)
      return each(hold)
    },
    swallow: () =>
      each((pair) => {
        pair.isSwallowed = true
      }),
    calm() {
      letGo()
      for (const pair of pairs) {
        pair.losesAnswer = false
        if (pair.isSwallowed) reset(pair)
      }
    },
    async close() {
      clearTimeout(timer)
      for (const pair of [...pairs]) reset(pair)
      server.close()
      await once(server, 'close')
    },
  }
}

/** What comes from one end goes to the other, and with one end the other is gone. */
function join(pair: Pair, isStalled: () => boolean, reset: (pair: Pair) => void): void {
  const { near, far } = pair
  forward(near, far, isStalled, () => !pair.isSwallowed)
  forward(far, near, isStalled, () => {
    if (pair.losesAnswer) reset(pair)
    return !pair.losesAnswer && !pair.isSwallowed
  })
  for (const socket of [near, far]) {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => reset(pair))
  }
}

function hold({ near, far }: Pair): void {
  near.pause()
  far.pause()
}

function forward(from: Socket, to: Socket, isStalled: () => boolean, mayPass: () => boolean): void {
  from.on('data', (chunk: Buffer) => {
    if (!mayPass() || to.write(chunk)) return
    from.pause()
    to.once('drain', () => {
      if (!isStalled()) from.resume()
    })
  })
  from.on('end', () => void to.end())
}
