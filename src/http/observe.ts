import type { FastifyInstance } from 'fastify'
import { Histogram, secondsBuckets } from '../metrics.ts'
import type { Dependencies } from './dependencies.ts'
import { logRequests } from './log-requests.ts'

/** One line of log and one measurement for every request; both without a word of its content. */
export function observeRequests(app: FastifyInstance, on: Dependencies): void {
  const { log, metrics } = on
  const seconds = new Histogram({
    name: 'malipo_http_request_seconds',
    help: 'How long requests took, by route and status.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: secondsBuckets,
    registers: [metrics],
  })
  // A line holds nothing but what is named here, and looking through it for secrets would take a
  // fifth of the time of a small request.
  const lines = log.child({}, { redact: [] })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { method, access } = request
    const route = request.routeOptions.url ?? 'unknown'
    const status = reply.statusCode
    const ms = Math.floor(reply.elapsedTime * 10) / 10
    seconds.labels(method, route, String(status)).observe(reply.elapsedTime / 1000)
    if (lines.isLevelEnabled('info')) {
      const who = access ? { account: access.accountId, credential: access.credentialId } : {}
      const said = { requestId: request.id, method, route, status, ms, ip: request.ip, ...who }
      lines.info(said, 'request')
    }
    done()
  })
  logRequests(app, on)
}
