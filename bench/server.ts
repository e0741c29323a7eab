import type Type from 'typebox'
import { startApp } from '../src/app.ts'
import { readProcessConfig } from '../src/config.ts'
import { type Route, route } from '../src/http/route.ts'
import { createPayout } from '../src/http/routes/create-payout.ts'
import { routes } from '../src/http/routes/index.ts'

/**
 * The service with one route more: the yardstick. It is the payout in everything a caller sees,
 * authentication, schema, logging and answer, and touches no database.
 */
const { about, input, output, example } = createPayout as Route & { input: { body: never } }

const ceiling = route({
  method: 'POST',
  path: '/bench/ceiling',
  auth: 'payouts',
  about: { ...about, id: 'ceiling' },
  input: { ...input, body: input.body as ReturnType<typeof Type.Object> },
  output: output as ReturnType<typeof Type.Object>,
  example: { output: example.output as never },
  errors: [],
  async handle({ body }) {
    const { externalReference, amount, currency } = body as Record<string, never>
    const transactionId = '0199c2f4-8f6e-7abc-9def-0123456700a7'
    const data = { transactionId, status: 'pending', amount, currency, externalReference }
    const message = 'Withdrawal request accepted for processing.'
    return { success: true, message, transactionId, data }
  },
})

const role = process.argv[2] === 'api' ? 'api' : 'all'
const app = await startApp(readProcessConfig(), role, () => {}, [...routes, ceiling])
process.stdout.write(`READY ${app.url}\n`)
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)))
