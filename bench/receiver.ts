/** Receives webhooks in a thread of its own: one that answers, and many that never do. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { onMessage } from './messages.ts'

const { counter, hanging } = workerData as { counter: SharedArrayBuffer; hanging: number }
const received = new Int32Array(counter)

function answer(socket: Socket): void {
  onMessage(socket, () => {
    Atomics.add(received, 0, 1)
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
}
const hung: Socket[] = []
const hang = (socket: Socket) => void hung.push(socket.resume())
parentPort!.on('message', () => {
  for (const socket of hung.splice(0)) socket.destroy()
})

const listen = (handle: (socket: Socket) => void): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer({ noDelay: true }, (socket) => {
      // Whoever sends may break off.
      socket.on('error', () => {})
      handle(socket)
    }).listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
    })
  })

parentPort!.postMessage({
  healthy: await listen(answer),
  hanging: await Promise.all(Array.from({ length: hanging }, () => listen(hang))),
})
