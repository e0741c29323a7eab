import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { connect } from '../src/db/pool.ts'
import { emptyDatabase, freePort, testDatabase } from './harness.ts'
import { credentialsIn, exchange, newPlace, type Run, startOn } from './processes.ts'

const execute = promisify(execFile)

/** One message a person can act on, and a failure for whoever started it. */
async function assertRefusal(run: Run, ...messages: RegExp[]): Promise<void> {
  const code = await run.ended()
  const shown = run.stderr()
  assert.equal(code, 1, `${run.stdout()}${shown}`)
  for (const message of messages) assert.match(shown, message)
  assert.doesNotMatch(shown, /\n\s+at /, 'shows a stack')
  assert.doesNotMatch(run.stdout(), /is ready/)
}

async function hasCurl(): Promise<boolean> {
  return await execute('curl', ['--version']).then(
    () => true,
    () => false,
  )
}

async function stop(run: Run): Promise<void> {
  run.child.kill('SIGTERM')
  assert.equal(await run.ended(), 0, run.stderr())
}

test('a first start shows all that a first request needs, and a second one keeps it', async (t) => {
  const place = await newPlace(t)
  const first = place.start()
  const url = await first.ready()
  const screen = first.stdout()
  for (const shown of [`${url}/\n`, `${url}/api/b2b\n`, `${url}/docs\n`]) {
    assert.ok(screen.includes(shown), shown)
  }
  assert.match(screen, /Preparing a new PostgreSQL/)
  const file = join(place.dataDir, 'sandbox-credentials.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const kept = credentialsIn(place.dataDir)
  const names = ['baseUrl', 'publicKey', 'apiKey', 'webhookSecret', 'dashboard']
  assert.deepEqual(Object.keys(kept), names)
  assert.equal(kept.baseUrl, url)
  const { email, password } = kept.dashboard
  for (const key of [kept.publicKey, kept.apiKey, email, password]) assert.ok(screen.includes(key))
  const login = await fetch(`${url}/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(kept.dashboard),
  })
  assert.equal(login.status, 200)
  const printed = /curl [\s\S]*?\}'/.exec(screen)![0]
  if (await hasCurl()) {
    const { stdout } = await execute('sh', ['-c', printed])
    assert.equal(JSON.parse(stdout).success, true)
  }
  const { body } = await exchange(url, kept)
  const authorization = `Bearer ${body.token}`
  const read = async (base: string) =>
    await (await fetch(`${base}/api/b2b/users`, { headers: { authorization } })).json()
  const profile = await read(url)
  assert.deepEqual((profile as Record<string, unknown>).KESWallet, { balance: 100_000_000 })
  await stop(first)

  const second = place.start()
  const secondUrl = await second.ready()
  const { baseUrl, ...keys } = credentialsIn(place.dataDir)
  assert.equal(baseUrl, secondUrl)
  assert.deepEqual({ ...kept, baseUrl }, { baseUrl, ...keys })
  assert.deepEqual(await read(secondUrl), profile, 'the old token still works')
  const seconds = Number(/ready in ([\d.]+) s/.exec(second.stdout())![1])
  t.diagnostic(`a second start took ${seconds} s`)
  assert.ok(seconds < 10)
  const missing = [second.stdout(), second.stderr()].join('').match(/Preparing|Applying/)
  assert.equal(missing, null)
  await stop(second)
  assert.equal(place.postmaster(), undefined)
})

async function occupy(t: TestContext, host: string, port = 0): Promise<number> {
  const program = createServer().listen(port, host)
  await once(program, 'listening')
  t.after(() => void program.close())
  return (program.address() as AddressInfo).port
}

test('a taken port is named, whichever address of localhost it is taken on', async (t) => {
  const { url } = await testDatabase(t)
  for (const { address } of await lookup('localhost', { all: true })) {
    const port = await occupy(t, address)
    const run = startOn(t, url, { env: { PORT: String(port) } })
    await assertRefusal(run, new RegExp(`Port ${port} is taken`), /PORT=\d+ npm start/)
  }
})

test('after a start on a taken port nothing is left running, and the next start works', async (t) => {
  const place = await newPlace(t)
  const port = await occupy(t, '::').catch(() => occupy(t, '127.0.0.1'))
  await assertRefusal(place.start({ env: { PORT: String(port) } }), /is taken/)
  assert.equal(place.postmaster(), undefined)
  const next = place.start()
  const { status } = await exchange(await next.ready(), credentialsIn(place.dataDir))
  assert.equal(status, 200)
  const second = place.start()
  await assertRefusal(second, /Another Malipo is running on the folder/, /MALIPO_DATA_DIR/)
  assert.equal((await exchange(await next.ready(), credentialsIn(place.dataDir))).status, 200)
  await stop(next)
})

test('a data folder that cannot be made or written is named, with what to do', async (t) => {
  const place = await newPlace(t)
  const file = join(place.dataDir, 'a-file')
  await writeFile(file, 'not a folder')
  for (const dataDir of [file, join(file, 'below')]) {
    const run = place.start({ env: { MALIPO_DATA_DIR: dataDir } })
    await assertRefusal(run, /The data folder .* cannot be written/, /MALIPO_DATA_DIR/)
  }
})

test('a log that cannot be written is named', async (t) => {
  const { url } = await testDatabase(t)
  const place = await newPlace(t)
  const file = join(place.dataDir, 'a-file')
  await writeFile(file, 'not a folder')
  const run = startOn(t, url, { env: { MALIPO_LOG: join(file, 'malipo.log') } })
  await assertRefusal(run, /The log .*a-file.* cannot be written/, /MALIPO_LOG/)
})

test('a database that is not there, or does not let us in, is named without its password', async (t) => {
  const { url } = await emptyDatabase(t)
  const away = `postgres://someone:hushhush@127.0.0.1:${await freePort()}/books`
  const beganMs = Date.now()
  const unreachable = startOn(t, away)
  await assertRefusal(unreachable, /The database books at 127\.0\.0\.1:\d+/, /Is it running/)
  assert.ok(Date.now() - beganMs < 10_000)
  assert.doesNotMatch(unreachable.stderr(), /hushhush/)

  const stranger = new URL(url)
  stranger.password = 'hushhush'
  if (await letsIn(stranger.href)) return t.diagnostic('this server asks for no password')
  const refused = startOn(t, stranger.href)
  await assertRefusal(refused, /cannot be used: .*password/)
  assert.doesNotMatch(refused.stderr(), /hushhush/)
})

async function letsIn(url: string): Promise<boolean> {
  const sql = connect(url, { maxConnections: 1 })
  const isIn = await sql`select 1`.then(
    () => true,
    () => false,
  )
  await sql.end({ timeout: 1 })
  return isIn
}

test('a database newer than the program is left as it is', async (t) => {
  const { url, sql } = await testDatabase(t)
  await sql`insert into schema_migrations (version, name, checksum) values (9999, 'future', 'x')`
  await assertRefusal(startOn(t, url), /made by a newer version of Malipo \(migration 9999\)/)
  const [kept] = await sql`select count(*)::int as merchants from merchants`
  assert.equal(kept?.merchants, 0)
  await sql`delete from schema_migrations where version = 9999`
  const run = startOn(t, url, { args: ['--role', 'worker'] })
  await run.ready()
  await stop(run)
})

test('another master key than that of the database is refused', async (t) => {
  const { url } = await testDatabase(t)
  const key = (letter: string) => Buffer.from(letter.repeat(32)).toString('base64')
  const first = startOn(t, url, { env: { MALIPO_MASTER_KEY: key('a') } })
  await first.ready()
  await stop(first)
  const other = startOn(t, url, { env: { MALIPO_MASTER_KEY: key('b') } })
  await assertRefusal(other, /sealed with another master key/, /MALIPO_MASTER_KEY/)
})

test('all problems of the configuration are told at once', async (t) => {
  const env = {
    PORT: 'four',
    LOG_LEVEL: 'loud',
    MALIPO_RATE_LIMIT: '-1',
    MALIPO_MASTER_KEY: 'short',
    MALIPO_TYPO: '1',
  }
  const run = startOn(t, 'mysql://localhost/books', { env })
  const problems = ['DATABASE_URL must', 'MALIPO_TYPO is not', ...Object.keys(env)]
  await assertRefusal(run, ...problems.map((problem) => new RegExp(problem)))
  await assertRefusal(startOn(t, '', { args: ['--role', 'chef'] }), /--role is all, api or worker/)
  await assertRefusal(startOn(t, '', { args: ['--color'] }), /--color/)
})
