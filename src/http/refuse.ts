import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../errors.ts'
import type { Dependencies } from './dependencies.ts'
import { asAppError, renderError } from './render-error.ts'
import type { Route } from './route.ts'

/** Answers a request that failed. A fault of ours goes to the log; the caller sees none of it. */
export function refuse(
  { log }: Dependencies,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  renderFailure?: Route['renderFailure'],
): FastifyReply {
  const refusal = asAppError(error)
  logRefusal(log, refusal, request)
  const { status, headers, body } = renderError(refusal)
  return reply
    .code(status)
    .headers({ ...headers, 'x-request-id': request.id })
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(renderFailure?.(refusal) ?? body)
}

function logRefusal(log: Dependencies['log'], refusal: AppError, request: FastifyRequest): void {
  const about = { requestId: request.id, code: refusal.code, detail: refusal.detail }
  if (refusal.code === 'INTERNAL_SERVER_ERROR') log.error({ ...about, err: refusal.cause }, 'fault')
  else if (refusal.cause === undefined) log.debug(about, 'refused')
  else log.warn({ ...about, err: refusal.cause }, 'refused')
}

/** A request Node could not even parse has no reply object: its answer is written by hand. */
export function answerBrokenRequest(
  requestId: string,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, body } = renderError(asAppError(Object.assign(error, { statusCode: 400 })))
  const text = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${text}`,
  )
}
