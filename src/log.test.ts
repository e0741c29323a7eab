import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogTo } from './log.ts'

test('secrets do not reach the log, at any depth it is given them', () => {
  const lines: string[] = []
  const log = createLogTo({ write: (line: string) => void lines.push(line) }, 'trace')
  const secret = 'sk_sandbox_secret'
  log.info({ apiKey: secret, 'api-key': secret, cardDetails: { number: secret } }, 'top')
  log.info({ headers: { authorization: secret, 'api-key': secret } }, 'one down')
  log.info({ request: { body: { cvv: secret, password: secret } } }, 'two down')
  assert.equal(lines.length, 3)
  assert.ok(!lines.join('').includes(secret), lines.join(''))
})
