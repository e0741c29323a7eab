/** Receives webhooks in a thread of its own: one that answers, and many that never do. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { counter, hanging } = workerData as { counter: SharedArrayBuffer; hanging: number }
const received = new Int32Array(counter)

const answer: RequestListener = (request, response) => {
  request.resume()
  request.on('end', () => {
    Atomics.add(received, 0, 1)
    response.end()
  })
}
const hang: RequestListener = (request) => void request.resume()

const listen = (handle: RequestListener): Promise<string> =>
  new Promise((resolve) => {
    const server = createServer(handle).listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`)
    })
  })

parentPort!.postMessage({
  healthy: await listen(answer),
  hanging: await Promise.all(Array.from({ length: hanging }, () => listen(hang))),
})
