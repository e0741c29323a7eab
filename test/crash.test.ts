import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbeddedServer } from '../src/db/embedded-server.ts'
import { migrate } from '../src/db/migrate.ts'
import { connect, type Db } from '../src/db/pool.ts'
import { checkLedger } from '../src/ledger/check.ts'
import { openBooks } from './books.ts'
import { tempFolder, testDatabase, waitFor } from './harness.ts'
import { credentialsIn, exchange, newPlace } from './processes.ts'

const program = fileURLToPath(new URL('./posting-child.ts', import.meta.url))
const waitLimitMs = 20_000

/** A process that posts, and what it was told so far. */
function startPosting(t: TestContext, url: string) {
  const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  // What stands behind the last end of line was cut off: nobody has read that answer.
  const answers = () =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' ') as [id: string, answer: string])
  return {
    answers,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    /** Waits until so many more have been answered. */
    async more(count: number) {
      const goal = answers().length + count
      await waitFor(() => child.exitCode !== null || answers().length >= goal, {
        timeoutMs: waitLimitMs,
      })
      assert.equal(child.exitCode, null, 'it must not give up')
    },
  }
}

/** Twenty wallets in two slots, with enough in them that most postings pass. */
async function fundedWallets(sql: Db): Promise<void> {
  for (const slot of [7, 200]) {
    const books = await openBooks(sql, { slot, wallets: 10 })
    for (const wallet of books.wallets) await books.fund(wallet, 100_000n)
  }
}

/** PostgreSQL may still be at work for a connection whose process is gone. */
async function waitUntilIdle(sql: Db): Promise<void> {
  await waitFor(async () => {
    const [busy] = await sql`
      select count(*)::int as sessions from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
    return busy?.sessions === 0
  })
}

async function assertWhole(sql: Db, answers: [id: string, answer: string][]): Promise<void> {
  const rows = await sql<{ id: string; found: number; wanted: number }[]>`
    select transaction_id as id, count(*)::int as found,
      max(split_part(step, ' of ', 2)::int) as wanted
    from transfers where step like '% of %' group by transaction_id`
  const half = rows.filter(({ found, wanted }) => found !== wanted)
  assert.deepEqual(half, [], 'a posting is there whole or not at all')
  const there = new Set(rows.map(({ id }) => id))
  const isRefused = (answer: string) => answer === 'insufficient'
  const lost = answers.filter(([id, answer]) => !isRefused(answer) && !there.has(id))
  assert.deepEqual(lost, [], 'what was acknowledged is there')
  const wrong = answers.filter(([id, answer]) => isRefused(answer) && there.has(id))
  assert.deepEqual(wrong, [], 'what was refused is not')
  assert.equal(new Set(answers.map(([id]) => id)).size, answers.length)
  assert.deepEqual((await checkLedger(sql)).problems, [])
}

test('a process killed while 64 clients post loses nothing it acknowledged and leaves nothing half done', async (t) => {
  const { url, sql } = await testDatabase(t)
  await fundedWallets(sql)
  const answers: [string, string][] = []
  for (let round = 0; round < 4; round++) {
    const posting = startPosting(t, url)
    await posting.more(1)
    await delay(randomInt(20, 500))
    await posting.kill()
    answers.push(...posting.answers())
  }
  t.diagnostic(`${answers.length} postings were answered`)
  await waitUntilIdle(sql)
  await assertWhole(sql, answers)
})

test('a PostgreSQL killed while 64 clients post costs them a pause and nothing else', async (t) => {
  const dataDir = await tempFolder()
  const server = await startEmbeddedServer({ dataDir })
  const sql = connect(server.url, { maxConnections: 2 })
  let posting: ReturnType<typeof startPosting> | undefined
  t.after(async () => {
    await posting?.kill()
    await sql.end({ timeout: 1 })
    await server.stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  await migrate(sql)
  await fundedWallets(sql)
  posting = startPosting(t, server.url)
  for (let round = 0; round < 3; round++) {
    await posting.more(1)
    await delay(randomInt(20, 400))
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await waitFor(() => server.pid !== pid, { timeoutMs: waitLimitMs })
    // Enough that every client has been answered since.
    await posting.more(200)
  }
  await posting.kill()
  t.diagnostic(`${posting.answers().length} postings were answered`)
  await waitUntilIdle(sql)
  await assertWhole(sql, posting.answers())
})

test('a killed service goes on at the next start, and a killed PostgreSQL comes back by itself', async (t) => {
  const place = await newPlace(t)
  const first = place.start()
  const { body } = await exchange(await first.ready(), credentialsIn(place.dataDir))
  const keys = credentialsIn(place.dataDir)
  const orphan = place.postmaster()!
  first.child.kill('SIGKILL')
  await first.ended()

  const second = place.start()
  const url = await second.ready()
  assert.match(second.stdout(), /Went on with the PostgreSQL that an earlier run left/)
  assert.equal(place.postmaster(), orphan)
  assert.equal((await exchange(url, keys)).body.token, body.token)

  process.kill(orphan, 'SIGKILL')
  const statuses = new Set<number>()
  await waitFor(
    async () => {
      const { status } = await exchange(url, keys)
      statuses.add(status)
      return status === 200 && place.postmaster() !== orphan && (await isReady(url))
    },
    { timeoutMs: waitLimitMs },
  )
  assert.ok([...statuses].every((status) => status === 200 || status === 503))

  // Both at once, as when a machine is short of memory.
  const postmaster = place.postmaster()!
  second.child.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  await second.ended()
  const third = place.start()
  assert.equal((await exchange(await third.ready(), keys)).body.token, body.token)
  third.child.kill('SIGTERM')
  assert.equal(await third.ended(), 0, third.stderr())
  assert.equal(place.postmaster(), undefined)
})

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).status === 200
}
