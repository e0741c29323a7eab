import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from './fuzz/run.ts'

/** The short version of `npm run fuzz`; test/fuzz/judge.test.ts proves that it can fail. */

const seed = 20
const requests = 2000
const limitMs = 10_000

/** They need what no caller can guess: a password, a code, a second person, a signature. */
const neverDone = [
  ...['dashboard signIn', 'dashboard changePassword', 'dashboard enableTotp'],
  ...['dashboard disableTotp', 'dashboard approveBatch', 'news of a rail', 'the form of a bank'],
]

test('no request of any kind makes the service fail, leak or leave its form', async (t) => {
  const report = await runFuzz({ seed, from: 0, to: requests, limitMs })
  const { findings, aftermath, operations, vitals } = report
  for (const { index, about, problems } of findings) {
    t.diagnostic(`${about}: ${problems.join('; ')}: npm run fuzz -- --seed ${seed} --only ${index}`)
  }
  assert.deepEqual([findings.length, aftermath], [0, []])
  assert.ok(report.requests >= 2 * operations, `only ${report.requests} requests were sent`)
  assert.ok(report.transfers > 0 && vitals.rssBytes.length > 0, 'it was a service that worked')
  if (report.requests < requests) return
  const rare = report.neverDone.filter((name) => !neverDone.includes(name))
  assert.ok(rare.length <= operations / 10, `these were never done: ${rare.join(', ')}`)
})
