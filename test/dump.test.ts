import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { Db } from '../src/db/pool.ts'
import { runCommand } from './command-line.ts'
import { emptyDatabase, tempFolder, waitFor } from './harness.ts'
import { credentialsIn, exchange, startOn } from './processes.ts'

const run = promisify(execFile)
const systemFolder = '/usr/lib/postgresql'
const restLimitMs = 20_000

type Programs = { dump: string; restore: string }

/** The dump programs of this machine that can read a server of the given version. */
async function findPrograms(major: number): Promise<Programs | undefined> {
  const installed = statSync(systemFolder, { throwIfNoEntry: false })
    ? readdirSync(systemFolder)
    : []
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...installed.map((version) => join(systemFolder, version, 'bin')),
  ]
  for (const folder of folders) {
    const dump = join(folder, 'pg_dump')
    const said = await run(dump, ['--version']).catch(() => undefined)
    const version = Number(/(\d+)\.\d+/.exec(said?.stdout ?? '')?.[1] ?? 0)
    if (version >= major) return { dump, restore: join(folder, 'pg_restore') }
  }
  return undefined
}

async function majorOf(db: Db): Promise<number> {
  const [row] = await db<{ version: number }[]>`
    select current_setting('server_version_num')::int / 10000 as version`
  return row!.version
}

async function pay(url: string, token: string, externalReference: string): Promise<number> {
  const body = JSON.stringify({
    ...{ amount: 10, currency: 'KES', country: 'KE', destination: 'MoMo', externalReference },
    payoutMethod: { accountName: 'Amina', accountNumber: '+254700000000' },
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/b2b/fiat/payout`, { method: 'POST', headers, body })
  return answer.status
}

async function tempPlace(t: TestContext): Promise<string> {
  const folder = await tempFolder()
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

test('a dump is restored into an empty database, and the service goes on there', async (t) => {
  const [first, second] = [await emptyDatabase(t), await emptyDatabase(t)]
  const major = await majorOf(first.sql)
  const programs = await findPrograms(major)
  if (programs === undefined) {
    t.skip(`there is no pg_dump here that reads PostgreSQL ${major}`)
    return
  }
  const dataDir = await tempPlace(t)
  const key = { MALIPO_MASTER_KEY: randomBytes(32).toString('base64') }
  const env = { ...key, MALIPO_DATA_DIR: dataDir, MALIPO_DEMO: 'on' }
  const serve = async (databaseUrl: string) => {
    const service = startOn(t, databaseUrl, { env })
    const url = await service.ready()
    const { body } = await exchange(url, credentialsIn(dataDir))
    return { service, url, token: String(body.token) }
  }
  const old = await serve(first.url)
  assert.equal(await pay(old.url, old.token, 'before'), 200)
  const file = join(dataDir, 'malipo.dump')
  await run(programs.dump, ['--format=custom', `--file=${file}`, first.url])
  old.service.child.kill('SIGTERM')
  await old.service.ended()
  await run(programs.restore, ['--no-owner', '--exit-on-error', `--dbname=${second.url}`, file])
  const now = await serve(second.url)
  assert.equal(await pay(now.url, now.token, 'before'), 409)
  assert.equal(await pay(now.url, now.token, 'after'), 200)
  await waitFor(
    async () => (await second.sql`select from transactions where status = 'pending'`).length === 0,
    { timeoutMs: restLimitMs, everyMs: 100 },
  )
  for (const word of ['check', 'verify']) {
    const settings = { ...key, DATABASE_URL: second.url }
    const { code, out, err } = await runCommand(settings, ['ledger', word])
    assert.equal(code, 0, `${word}: ${out}${err}`)
  }
})
