import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How a machine says that an address which its names promise is not there. */
const absent = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/**
 * Listens on every address of the host and answers with the port. "localhost" has two addresses on
 * most machines; a port that another program has on one of them is taken, or callers would reach
 * us or it by chance. The framework would pass that over, and not wait there at a stop.
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
  findAddresses = addressesOf,
): Promise<number> {
  const doors: Server[] = []
  let closing: Promise<unknown> = Promise.resolve()
  app.addHook('preClose', async () => {
    closing = Promise.all(doors.map(close))
  })
  app.addHook('onClose', async () => {
    await closing
  })
  const [first = host, ...others] = await findAddresses(host)
  await app.listen({ host: first, port })
  const { port: bound } = app.addresses()[0] as AddressInfo
  for (const address of others) {
    const door = await openDoor(app, address, bound)
    if (door) doors.push(door)
  }
  return bound
}

async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

/** Another address whose connections are those of the server. */
async function openDoor(
  app: FastifyInstance,
  host: string,
  port: number,
): Promise<Server | undefined> {
  const door = createServer({ allowHalfOpen: true, noDelay: true })
  door.on('connection', (socket) => app.server.emit('connection', socket))
  door.maxConnections = app.server.maxConnections
  door.listen({ host, port })
  try {
    await once(door, 'listening')
    return door
  } catch (error) {
    if (absent.has(String((error as NodeJS.ErrnoException).code))) return undefined
    throw error
  }
}

function close(door: Server): Promise<void> {
  return new Promise((resolve) => {
    door.close(() => resolve())
  })
}
