import type { FastifyInstance } from 'fastify'

/** Our pages need nothing but themselves: no inline script or style, no other host. */
const ownOnly = [
  "default-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
]

/** The library of the dashboard makes style tags at run time, with the nonce of the answer. */
export function dashboardSecurity(nonce: string): string {
  const own = ["script-src 'self'", `style-src 'self' 'nonce-${nonce}'`, "img-src 'self' data:"]
  return [...ownOnly, ...own].join('; ')
}

/**
 * The same for every answer, so they are made once: a plugin that composes them anew for each
 * request took a noticeable part of the time of a small one.
 */
export const securityHeaders = {
  'content-security-policy': ownOnly.join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function setSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders)
    done()
  })
}
