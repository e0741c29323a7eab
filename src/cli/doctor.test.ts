import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeMerchant } from '../../test/app-harness.ts'
import { runCommand, type Settings } from '../../test/command-line.ts'
import { freePort, type TestDatabase, tempFolder, testDatabase } from '../../test/harness.ts'
import { masterKeys, sealAll, sealedBooks } from '../../test/seals.ts'
import type { CreatedMerchant } from '../merchants/create-merchant.ts'
import { clockFinding, connectionsFinding } from './doctor/database.ts'
import { ageText, type Finding } from './doctor/finding.ts'
import { commitFindings } from './doctor/machine.ts'

type Report = { isHealthy: boolean; failures: number; findings: Finding[] }

async function doctor(settings: Settings): Promise<Report & { code: number | null }> {
  const { code, out, err } = await runCommand(settings, ['doctor', '--json'])
  assert.equal(err, '')
  return { code, ...(JSON.parse(out) as Report) }
}

const stateOf = ({ findings }: Report, what: string) =>
  findings.find((finding) => finding.what === what)?.state

const long = `now() - interval '3 days'`

type Wrong = [what: string, state: Finding['state'], change: string]

/** Things that go wrong, in rounds of those that do not hide each other. */
function wrongs({ id, slot }: { id: string; slot: number }): Wrong[][] {
  const payment = (columns: string, values: string) => `
    insert into transactions (slot, id, account_id, environment, kind, state, status, method,
      amount, currency, wallet_amount, wallet_currency, wallet_id, country, destination,
      external_reference, created_at, updated_at, ${columns})
    select ${slot}, gen_random_uuid(), '${id}', 'sandbox', 'payout', 'submitting', 'pending',
      'momo', 1, w.currency, 1, w.currency, w.id, w.country, '254700000000', gen_random_uuid(),
      ${long}, ${long}, ${values}
    from wallets w where w.account_id = '${id}' limit 1`
  const callback = `
    insert into rail_callbacks (slot, id, rail, outcome, received_at)
    values (${slot}, gen_random_uuid(), 'sandbox', 'paid', ${long})`
  const webhook = `
    insert into webhooks (slot, id, account_id, transaction_id, sequence, event, data, due_at,
      created_at)
    values (${slot}, gen_random_uuid(), '${id}', gen_random_uuid(), 1, 'transaction_created', '{}',
      ${long}, ${long})`
  const suspense = `
    insert into suspense_items (slot, id, environment, rail, currency, amount, story, created_at)
    values (${slot}, gen_random_uuid(), 'sandbox', 'sandbox', 'KES', 7, 'too much', ${long})`
  const held = `
    insert into held_rates (base, quote, at, buy, sell, source)
    values ('USD', 'KES', now(), 1, 2, 'feed')`
  const unsealed = `
    delete from ledger_seals; alter table transfers disable trigger all;
    update transfers set posted_at = ${long}`
  const foreignSeal = `
    alter table ledger_seals disable trigger all; update ledger_seals set entries = entries + 1`
  const contradiction = `
    update rail_callbacks set handled_at = now(), finding = 'contradiction: failed'`
  const foreignKey = "insert into signing_keys (id, secret_sealed) values ('x', '\\x00')"
  return [
    [
      ['payments due', 'fail', payment('due_at, leased_until', `${long}, ${long}`)],
      ['payments open', 'warn', payment('due_at', "now() + interval '1 hour'")],
      ['callbacks', 'fail', callback],
      ['webhooks', 'fail', webhook],
      ['suspense', 'warn', suspense],
      ['receivers', 'warn', `update accounts set webhook_paused_at = ${long}`],
      ['rates', 'warn', held],
      ['ledger', 'fail', 'update wallets set available = available + 1 where seq > 0'],
      ['seals, ledger', 'fail', foreignSeal],
      ['master key', 'fail', foreignKey],
    ],
    [
      ['callbacks', 'warn', contradiction],
      ['seals, ledger', 'fail', unsealed],
    ],
    [['migrations', 'fail', "insert into schema_migrations values (9999, 'later', 'x')"]],
  ]
}

describe('malipo doctor', () => {
  let database: TestDatabase
  let dataDir: string
  let settings: Settings
  let merchant: CreatedMerchant

  before(async () => {
    database = await testDatabase()
    dataDir = await tempFolder()
    const { sealer } = await sealedBooks(database.sql, { transfers: 2 })
    merchant = await makeMerchant(database.sql)
    await database.sql`delete from webhook_secrets`
    await sealAll(database.sql, sealer)
    settings = {
      DATABASE_URL: database.url,
      MALIPO_DATA_DIR: dataDir,
      MALIPO_MASTER_KEY: masterKeys[0]!.toString('base64'),
      PORT: String(await freePort()),
    }
  })
  after(async () => {
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('a sound installation has nothing to mend, but for a server that forgets', async () => {
    const name = new URL(database.url).pathname.slice(1)
    await database.sql.unsafe(`alter database ${name} set synchronous_commit = off`)
    const report = await doctor(settings)
    const others = report.findings.filter(({ state }) => state !== 'ok')
    // No service is running.
    assert.deepEqual(
      others.map(({ what, state }) => [what, state]),
      [
        ['durability', 'fail'],
        ['service', 'warn'],
      ],
    )
    assert.match(others[0]!.found, /synchronous_commit off: what was answered can be lost$/)
    assert.deepEqual([report.code, report.isHealthy, report.failures], [1, false, 1])
    const { code, out } = await runCommand(settings, ['doctor'])
    assert.equal(code, 1)
    assert.match(out, /^ok {4}configuration {6}every setting can be read\n/)
    assert.match(out, /\nfail {2}durability .+\n +→ Set it to on, .+\n/)
    assert.match(out, /\n1 failure, 1 warning\.\n$/)
  })

  test('each thing that goes wrong is told by its own line', async () => {
    const { sql } = database
    const { id, slot } = merchant.sandbox.account
    await sql`
      insert into wallets (slot, id, account_id, environment, currency, country)
      values (${slot}, gen_random_uuid(), ${id}, 'sandbox', 'KES', 'KE') on conflict do nothing`
    for (const round of wrongs({ id, slot })) {
      for (const [, , change] of round) await sql.unsafe(change)
      const report = await doctor(settings)
      assert.deepEqual(
        round.map(([what]) => [what, stateOf(report, what)]),
        round.map(([what, state]) => [what, state]),
      )
    }
  })
})

test('on its own database a new installation is healthy, with exit code 0', async (t) => {
  const dataDir = await tempFolder()
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const settings = { MALIPO_DATA_DIR: dataDir, PORT: String(await freePort()) }
  const { code } = await runCommand(settings, ['migrate'])
  assert.equal(code, 0)
  const report = await doctor(settings)
  const others = report.findings.filter(({ state }) => state !== 'ok')
  assert.deepEqual(
    others.map(({ what }) => what),
    ['service'],
    JSON.stringify(others),
  )
  assert.deepEqual([report.code, report.isHealthy], [0, true])
})

test('wrong settings and a database that is away are findings too', async (t) => {
  const wrong = await doctor({ PORT: 'x', MALIPO_NONSENSE: '1' })
  assert.equal(wrong.code, 1)
  assert.deepEqual(
    wrong.findings.map(({ what, state }) => [what, state]),
    [
      ['configuration', 'fail'],
      ['configuration', 'fail'],
    ],
  )
  const dataDir = await tempFolder()
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const away = await doctor({
    DATABASE_URL: `postgres://u:p@127.0.0.1:${await freePort()}/none`,
    MALIPO_DATA_DIR: dataDir,
    PORT: '0',
  })
  assert.deepEqual(
    away.findings.map(({ what, state }) => [what, state]),
    [
      ['configuration', 'warn'],
      ['disk', 'ok'],
      ['database', 'fail'],
    ],
  )
})

test('a key file others can read is told, and a service that is not ready', async (t) => {
  const { url, sql } = await testDatabase(t)
  const dataDir = await tempFolder()
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'master-key')
  writeFileSync(file, randomBytes(32).toString('base64'))
  chmodSync(file, 0o644)
  const server = createServer((_request, response) => {
    response.writeHead(503).end('{"reason":"stopping"}')
  }).listen(0, 'localhost')
  t.after(() => void server.close())
  await sql`select 1`
  const port = String((server.address() as { port: number }).port)
  const report = await doctor({ DATABASE_URL: url, MALIPO_DATA_DIR: dataDir, PORT: port })
  assert.equal(stateOf(report, 'master key'), 'fail')
  assert.equal(stateOf(report, 'service'), 'fail')
})

test('limits: clocks, connections and failed commits', () => {
  const drifts = [0, -900, 1500, -6000].map((ms) => clockFinding(ms).state)
  assert.deepEqual(drifts, ['ok', 'ok', 'warn', 'fail'])
  const pools = [
    { used: 20, most: 97, perProcess: 11 },
    { used: 90, most: 97, perProcess: 11 },
    { used: 5, most: 97, perProcess: 201 },
  ].map((seen) => connectionsFinding(seen).state)
  assert.deepEqual(pools, ['ok', 'warn', 'fail'])
  const metrics = (count: number) =>
    `malipo_group_commit_queued{kind="payouts"} 4
malipo_group_commit_faults_total{kind="payouts"} ${count}
`
  assert.equal(commitFindings(metrics(0))[0]!.state, 'ok')
  const [faulty] = commitFindings(metrics(3))
  assert.deepEqual([faulty!.state, faulty!.found], ['warn', '3 failed since the start, 4 waiting'])
  assert.deepEqual([59, 61, 7200, 200_000].map(ageText), [
    '59 seconds',
    '1 minute',
    '2 hours',
    '2 days',
  ])
})
