import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createRandom } from './chaos/random.ts'
import { drawSchedule, kills } from './chaos/schedule.ts'
import { tempFolder, waitFor } from './harness.ts'

const program = fileURLToPath(new URL('./chaos/main.ts', import.meta.url))
const seed = 20_261_115
/** It takes half a minute where nobody else is at work. */
const timeout = 300_000

/** A run of its own with a folder of its own, in which nothing may be left. */
async function startRun(t: TestContext, ...args: string[]) {
  const temp = await tempFolder()
  // PostgreSQL passes through it as another user, where the tests are run by root.
  await chmod(temp, 0o711)
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH, HOME, TMPDIR: temp },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(temp, { recursive: true, force: true, maxRetries: 5 })
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const left = async () => (await readdir(temp)).filter((name) => name.startsWith('malipo-'))
  return { child, ended, left, said: () => said }
}

test('a service under load loses nothing and doubles nothing while everything around it breaks', {
  timeout,
}, async (t) => {
  const { ended, left, said } = await startRun(t, '--quick', '--seed', String(seed))
  const [code] = await ended
  assert.equal(code, 0, said())
  assert.match(said(), /Nothing lost, nothing doubled/)
  assert.ok(Number(/Kills +(\d+)/.exec(said())?.[1]) >= 6, said())
  assert.deepEqual(await left(), [])
  for (const line of said().split('\n')) t.diagnostic(line)
})

test('a run that is interrupted ends what it began and leaves nothing behind', async (t) => {
  const { child, ended, left, said } = await startRun(t, '--minutes', '1')
  await waitFor(async () => (await left()).length > 0, { timeoutMs: 30_000 })
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [130, null], said())
  assert.deepEqual(await left(), [])
})

test('ten minutes have at least two hundred kills and every kind of fault, the same for a seed', () => {
  const schedule = drawSchedule(createRandom(seed), 600_000)
  assert.ok(schedule.filter(({ kind }) => kills.has(kind)).length >= 220)
  assert.equal(new Set(schedule.map(({ kind }) => kind)).size, 16)
  assert.deepEqual(schedule, drawSchedule(createRandom(seed), 600_000))
})
