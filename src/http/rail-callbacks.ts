import type { FastifyInstance } from 'fastify'
import type { Dependencies } from './dependencies.ts'

const bodyLimitBytes = 256 * 1024

/**
 * Where rails bring their news. The body is kept as the bytes that were signed. It is verified and
 * stored here, and acted upon elsewhere: an answer means that it is safe, not that it was believed.
 */
export async function registerRailCallbacks(
  app: FastifyInstance,
  { payouts, charges }: Dependencies,
): Promise<void> {
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body)
    scope.post<{ Params: { rail: string }; Body: Buffer | undefined }>(
      '/rails/:rail/callbacks',
      { bodyLimit: bodyLimitBytes },
      async ({ params, headers, body }) => {
        const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
        const message = { headers: Object.fromEntries(texts), body: body ?? Buffer.alloc(0) }
        await payouts.receiveCallback(params.rail, message)
        charges.wakeCallbacks()
        return { received: true }
      },
    )
    done()
  })
}
