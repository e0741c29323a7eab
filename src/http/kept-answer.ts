import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Rendered } from '../reference/rendered.ts'

/**
 * An answer that is rendered already, and that callers may keep for a while. A route gives it
 * instead of a value where the same bytes are sent again and again.
 */
export class KeptAnswer {
  readonly rendered: Rendered
  readonly maxAgeSeconds: number

  constructor(rendered: Rendered, maxAgeSeconds: number) {
    this.rendered = rendered
    this.maxAgeSeconds = maxAgeSeconds
  }
}

const notModified = 304

/** A caller who has these very bytes gets none. */
export function sendKept(
  { rendered: { body, etag }, maxAgeSeconds }: KeptAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.header('etag', etag)
  // The answer needs a token, so no cache between us and the caller may give it to others.
  reply.header('cache-control', `private, max-age=${maxAgeSeconds}`)
  const known = request.headers['if-none-match']
  if (known !== undefined && names(known, etag)) return reply.code(notModified).send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(body)
}

function names(header: string, etag: string): boolean {
  return header.split(',').some((each) => {
    const tag = each.trim().replace(/^W\//, '')
    return tag === etag || tag === '*'
  })
}
