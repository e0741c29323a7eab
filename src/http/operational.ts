import type { FastifyInstance } from 'fastify'
import { migrationState } from '../db/migrate.ts'
import type { Dependencies } from './dependencies.ts'

const readyTimeoutMs = 2000

/** What those who run the service ask of it. These paths are not part of the API. */
export function registerOperational(app: FastifyInstance, on: Dependencies): void {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  // Else the stop would wait until a caller has no more use for a connection that is kept open.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('connection', 'close')
    done(null, payload)
  })

  app.get('/healthz', { logLevel: 'silent' }, async () => ({ status: 'alive' }))

  app.get('/readyz', { logLevel: 'silent' }, async (_request, reply) => {
    const problem = stopping ? 'the service is stopping' : await unreadiness(on)
    if (problem === undefined) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', reason: problem })
  })

  app.get('/metrics', { logLevel: 'silent' }, async (_request, reply) => {
    reply.type(on.metrics.contentType)
    return on.metrics.metrics()
  })
}

async function unreadiness({ db, changes }: Dependencies): Promise<string | undefined> {
  const late = new Promise<string>((resolve) => {
    setTimeout(resolve, readyTimeoutMs, 'the database does not answer').unref()
  })
  const asked = migrationState(db).then(
    ({ pending }) => (pending.length > 0 ? 'the database is not migrated' : undefined),
    () => 'the database is not reachable',
  )
  const problem = await Promise.race([asked, late])
  return problem ?? (changes.isLive() ? undefined : 'changes of other nodes are not heard')
}
