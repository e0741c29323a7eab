import type { FastifyInstance } from 'fastify'
import { cleanedText, redactedText } from '../merchants/redact.ts'
import { maxLoggedBody } from '../merchants/request-log.ts'
import type { Dependencies } from './dependencies.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The answer as the log of requests keeps it, where it keeps this one. */
    keptAnswer: string | null | undefined
  }
}

const apiPrefix = '/api/'
const maxPath = 500
/** Longer ones are not even read for their secrets. */
const maxParsed = 64 * 1024

/** Gives the log of requests what programs with a token sent, where it wants more. */
export function logRequests(app: FastifyInstance, { requestLog, clock }: Dependencies): void {
  app.decorateRequest('keptAnswer', undefined)
  app.addHook('onSend', (request, reply, payload, done) => {
    const { access } = request
    if (
      access !== undefined &&
      request.url.startsWith(apiPrefix) &&
      requestLog.wants(access.accountId, reply.statusCode >= 400)
    ) {
      request.keptAnswer = typeof payload === 'string' ? textOf(payload) : null
    }
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { access, keptAnswer } = request
    if (keptAnswer !== undefined && access !== undefined) {
      const { slot, accountId, credentialId } = access
      const length = Number(request.headers['content-length'] ?? 0)
      requestLog.add({
        ...{ slot, accountId, credentialId, requestId: request.id, ip: request.ip },
        ...{ method: request.method, path: cleanedText(request.url).slice(0, maxPath) },
        status: reply.statusCode,
        durationMs: Math.floor(reply.elapsedTime),
        atMs: clock.now(),
        request: length > maxParsed ? tooLong(length) : redactedText(request.body, maxLoggedBody),
        answer: keptAnswer,
      })
    }
    done()
  })
}

const tooLong = (length: number): string => `"[${length} bytes, too long to keep]"`

/** What is no JSON is not kept: nobody could say what in it is secret. */
function textOf(payload: string): string | null {
  if (payload.length > maxParsed) return tooLong(payload.length)
  try {
    return redactedText(JSON.parse(payload), maxLoggedBody)
  } catch {
    return null
  }
}
