import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { findEmbeddedServer } from '../src/db/embedded-server.ts'
import { connect, type Db } from '../src/db/pool.ts'
import { type Ended, runCommand, type Settings } from './command-line.ts'
import { tempFolder, waitFor } from './harness.ts'
import { credentialsIn, exchange, newPlace, type Place, type Run } from './processes.ts'

const senders = 4
const workLimitMs = 30_000

type Accepted = { reference: string; atMs: number }
type Service = { run: Run; url: string; token: string }

async function folder(t: TestContext): Promise<string> {
  const path = await tempFolder()
  t.after(() => rm(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

async function serve(place: Place, env: Settings): Promise<Service> {
  const run = place.start({ env })
  const url = await run.ready()
  const { body } = await exchange(url, credentialsIn(place.dataDir))
  return { run, url, token: String(body.token) }
}

async function pay({ url, token }: Service, reference: string): Promise<number> {
  const body = {
    ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo' },
    externalReference: reference,
    payoutMethod: { accountName: 'Amina', accountNumber: '+254700000000' },
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${url}/api/b2b/fiat/payout`, request)).status
}

/** Merchants at work, who remember what was accepted, and when they were told so. */
function startLoad(service: Service) {
  const accepted: Accepted[] = []
  let isOver = false
  let count = 0
  const send = async (): Promise<void> => {
    while (!isOver) {
      const reference = `drill-${count++}`
      const status = await pay(service, reference)
      assert.equal(status, 200)
      accepted.push({ reference, atMs: Date.now() })
      await delay(5)
    }
  }
  const sending = Promise.all(Array.from({ length: senders }, send))
  return {
    accepted,
    async stop(): Promise<void> {
      isOver = true
      await sending
    },
  }
}

async function onDatabase<Result>(place: Place, use: (db: Db) => Promise<Result>): Promise<Result> {
  const url = await waitFor(() => findEmbeddedServer(place.dataDir))
  const db = connect(url, { maxConnections: 1 })
  try {
    return await use(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

/** As if five minutes had passed: what was written so far is in the archive. */
async function archiveNow(db: Db): Promise<void> {
  const [segment] = await db<{ name: string }[]>`
    select pg_walfile_name(pg_switch_wal()) as name`
  await waitFor(async () => {
    const [row] = await db<{ done: boolean }[]>`
      select coalesce(last_archived_wal >= ${segment!.name}, false) as done from pg_stat_archiver`
    return row!.done
  })
}

/** Everything at once: the service, its PostgreSQL, and the disk both were on. */
async function disaster(place: Place, { run }: Service): Promise<void> {
  const postmaster = place.postmaster()!
  run.child.kill('SIGKILL')
  process.kill(postmaster, 'SIGQUIT')
  await run.ended()
  await waitFor(() => place.postmaster() === undefined)
  await rm(place.dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function command(env: Settings, ...args: string[]): Promise<Ended> {
  const ended = await runCommand(env, args)
  assert.equal(ended.code, 0, `malipo ${args.join(' ')}: ${ended.out}${ended.err}`)
  return ended
}

async function referencesIn(place: Place): Promise<Set<string>> {
  const rows = await onDatabase(
    place,
    (db) => db<{ reference: string }[]>`
      select external_reference as reference from transactions where kind = 'payout'`,
  )
  return new Set(rows.map(({ reference }) => reference))
}

/** Workers go on where the lost ones were, without the wait for the leases those had. */
async function finishAll(place: Place): Promise<void> {
  await onDatabase(place, async (db) => {
    await db`
      update transactions set due_at = due_at - interval '1 minute',
        leased_until = leased_until - interval '1 minute'
      where leased_until is not null`
    await waitFor(
      async () =>
        (await db`select from transactions where status = 'pending' limit 1`).length === 0,
      { timeoutMs: workLimitMs, everyMs: 200 },
    )
  })
}

test('after a disaster all that was accepted by a chosen moment is there again', async (t) => {
  const [archive, elsewhere] = [await folder(t), await folder(t)]
  const [backup, key] = [join(elsewhere, 'backup'), join(elsewhere, 'master-key')]
  const env = { MALIPO_RATE_LIMIT: '0', MALIPO_WAL_ARCHIVE_DIR: archive }
  const lost = await newPlace(t)
  const service = await serve(lost, env)
  const load = startLoad(service)
  await waitFor(() => load.accepted.length > 20)
  await copyFile(join(lost.dataDir, 'master-key'), key)
  await command({ ...env, MALIPO_DATA_DIR: lost.dataDir }, 'backup', backup)
  const during = load.accepted.length
  await waitFor(() => load.accepted.length > during + 50)
  const momentMs = Date.now()
  await waitFor(() => load.accepted.length > during + 100)
  await load.stop()
  await onDatabase(lost, archiveNow)
  await disaster(lost, service)

  const place = await newPlace(t)
  const settings = { ...env, MALIPO_DATA_DIR: place.dataDir }
  const until = new Date(momentMs).toISOString()
  await command(settings, 'restore', backup, '--archive', archive, '--until', until)
  await copyFile(key, join(place.dataDir, 'master-key'))
  const restored = await serve(place, env)
  const found = await referencesIn(place)
  const before = load.accepted.filter(({ atMs }) => atMs < momentMs)
  assert.deepEqual(
    before.filter(({ reference }) => !found.has(reference)),
    [],
  )
  assert.ok(found.size < load.accepted.length, 'it did not stop at the moment')
  t.diagnostic(`${before.length} of ${load.accepted.length} were accepted by then`)
  t.diagnostic(`${during} of them before the backup was complete`)
  assert.equal(await pay(restored, before[0]!.reference), 409)
  assert.equal(await pay(restored, 'after-the-disaster'), 200)
  await finishAll(place)
  await command(settings, 'ledger', 'check')
  await command(settings, 'ledger', 'verify')
})

test('a backup alone is enough to go on from the moment it was complete', async (t) => {
  const elsewhere = await folder(t)
  const backup = join(elsewhere, 'backup')
  const from = await newPlace(t)
  const env = { MALIPO_MASTER_KEY: randomBytes(32).toString('base64') }
  const service = await serve(from, env)
  assert.equal(await pay(service, 'before'), 200)
  await command({ ...env, MALIPO_DATA_DIR: from.dataDir }, 'backup', backup)
  assert.equal(await pay(service, 'after'), 200)
  const again = await runCommand({ ...env, MALIPO_DATA_DIR: from.dataDir }, ['backup', backup])
  assert.equal(again.code, 1, 'a backup was written over')
  await disaster(from, service)

  const place = await newPlace(t)
  const settings = { ...env, MALIPO_DATA_DIR: place.dataDir }
  await command(settings, 'restore', backup)
  const over = await runCommand(settings, ['restore', backup])
  assert.match(over.err, /is there already/)
  await serve(place, env)
  assert.deepEqual([...(await referencesIn(place))], ['before'])
  await finishAll(place)
  await command(settings, 'ledger', 'check')
  await command(settings, 'ledger', 'verify')
})

test('a moment that cannot be reached is refused, and leaves nothing behind', async (t) => {
  const [archive, elsewhere] = [await folder(t), await folder(t)]
  const backup = join(elsewhere, 'backup')
  const env = { MALIPO_MASTER_KEY: randomBytes(32).toString('base64') }
  const from = await newPlace(t)
  await command({ ...env, MALIPO_DATA_DIR: from.dataDir }, 'migrate')
  await command({ ...env, MALIPO_DATA_DIR: from.dataDir }, 'backup', backup)
  const place = await newPlace(t)
  const settings = { ...env, MALIPO_DATA_DIR: place.dataDir }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const args = ['restore', backup, '--archive', archive]
  const late = await runCommand(settings, [...args, '--until', tomorrow])
  assert.equal(late.code, 1)
  assert.match(late.err, /before configured recovery target was reached/)
  assert.equal(existsSync(join(place.dataDir, 'postgres')), false)
  const vague = await runCommand(settings, [...args, '--until', '2026-11-15 08:30'])
  assert.match(vague.err, /a time with its zone/)
  const alone = await runCommand(settings, ['restore', backup, '--until', tomorrow])
  assert.match(alone.err, /--until needs --archive/)
  const other = { ...settings, DATABASE_URL: 'postgres://nobody@localhost:1/nothing' }
  assert.match((await runCommand(other, ['restore', backup])).err, /DATABASE_URL/)
})
