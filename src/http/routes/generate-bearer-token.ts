import Type from 'typebox'
import { AppError } from '../../errors.ts'
import { route } from '../route.ts'

export const generateBearerToken = route({
  method: 'POST',
  path: '/auth/generate-bearer-token',
  auth: 'none',
  about: {
    id: 'generateBearerToken',
    tag: 'Authentication',
    summary: 'Exchange an API key for an access token',
    description:
      'Answers with the token for every other operation. It lasts an hour; while more than five ' +
      'minutes of it are left the same token comes back. Read `expiresAt` and exchange again ' +
      'about a minute before.',
  },
  input: {
    headers: Type.Object({
      'api-key': Type.Optional(
        Type.String({ maxLength: 200, description: 'The secret API key. Keep it on your server.' }),
      ),
    }),
    body: Type.Object({
      publicKey: Type.String({ minLength: 1, maxLength: 200, description: 'Its public key.' }),
    }),
  },
  output: Type.Object({
    success: Type.Literal(true),
    token: Type.String({ description: 'Send it as the header Authorization: Bearer <token>.' }),
    expiresAt: Type.Integer({ description: 'Unix time in seconds.' }),
  }),
  example: {
    body: { publicKey: 'pk_sandbox_5yTt0oQvN9mK2rXcWbLd8eHa' },
    output: {
      success: true,
      token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIi.c2ln',
      expiresAt: 1_790_003_600,
    },
  },
  errors: ['IP_NOT_ALLOWED', 'SANDBOX_ONLY'],
  async handle({ headers, body, ip, sandboxPath }, { tokens }) {
    const apiKey = headers['api-key']
    if (sandboxPath && apiKey?.startsWith('sk_live_')) throw new AppError('SANDBOX_ONLY')
    const { token, expiresAt } = await tokens.exchange({ apiKey, publicKey: body.publicKey, ip })
    return { success: true as const, token, expiresAt }
  },
})
