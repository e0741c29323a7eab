import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeMerchant } from '../../test/app-harness.ts'
import { runCommand, type Settings, startCommand } from '../../test/command-line.ts'
import { tempFolder, testDatabase, waitFor } from '../../test/harness.ts'
import { credentialsIn, exchange, newPlace } from '../../test/processes.ts'
import { sealAll, sealerOn } from '../../test/seals.ts'
import { systemClock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { createIds } from '../ids.ts'
import { readMasterKeys } from '../master-key.ts'
import { audit } from '../merchants/audit.ts'
import { createSigningKeys } from '../merchants/signing-keys.ts'
import { insertWebhookSecret } from '../merchants/webhook-settings.ts'
import { newTotp } from '../people/totp.ts'
import { createSeal, type Seal } from '../seal.ts'
import { purposes, sealedColumns } from './reseal.ts'

const secrets = 250

type World = { db: Db; seal: Seal; settings: Settings; dataDir: string; file: string }

/** A database with secrets of every kind, and the key in a file as a first start makes it. */
async function openWorld(t: TestContext): Promise<World> {
  const { sql: db, url } = await testDatabase(t)
  const dataDir = await tempFolder()
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const masterKeys = () => readMasterKeys({ dataDir, masterKeys: undefined })
  const seal = createSeal(masterKeys)
  const ids = createIds(systemClock)
  const { sandbox } = await makeMerchant(db)
  await db`delete from webhook_secrets`
  await db.begin(async (tx) => {
    for (let i = 0; i < secrets; i++) {
      await insertWebhookSecret(tx, ids, seal, sandbox.account, `whsec_${i}`)
    }
  })
  await createSigningKeys(db, seal).current()
  const { sealed } = newTotp(seal, 'a@b.example')
  await db`
    insert into people (id, merchant_id, email, name, role, totp_sealed, totp_offered_sealed)
    select gen_random_uuid(), id, 'a@b.example', 'A', 'owner', ${sealed}, ${sealed} from merchants`
  await audit(db, ids, { actor: 'test', action: 'test', subject: 'x' })
  await sealAll(db, sealerOn(db, { seal, masterKeys }))
  const settings = { DATABASE_URL: url, MALIPO_DATA_DIR: dataDir }
  return { db, seal, settings, dataDir, file: join(dataDir, 'master-key') }
}

/** Opens everything that is sealed, and says how many values there are by key. */
async function openAll(db: Db, seal: Seal): Promise<number> {
  let opened = 0
  for (const { table, column } of await sealedColumns(db)) {
    const rows = (await db.unsafe(
      `select ${column} as value from ${table} where ${column} is not null`,
    )) as { value: Buffer }[]
    assert.ok(rows.length > 0, `${table}.${column} has something to open`)
    for (const { value } of rows) seal.open(value, purposes[`${table}.${column}`]!)
    opened += rows.length
  }
  return opened
}

const json = async (settings: Settings, ...args: string[]) => {
  const { code, out, err } = await runCommand(settings, ['master-key', ...args, '--json'])
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

test('every sealed column of the schema is known to the rotation', async (t) => {
  const { sql } = await testDatabase(t)
  const found = (await sealedColumns(sql)).map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(found.toSorted(), Object.keys(purposes).toSorted())
})

test('a rotation seals everything anew beside a running service', async (t) => {
  const { db, seal, settings, dataDir, file } = await openWorld(t)
  const [oldKey] = readMasterKeys({ dataDir, masterKeys: undefined })
  const early = await runCommand(settings, ['master-key', 'retire'])
  assert.deepEqual([early.code, early.err], [1, 'There is no old key: nothing to retire.\n'])
  const { keyId, sealed } = await json(settings, 'rotate')
  assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 2)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  // The seal stands for a service that was started before, and reads the file again by itself.
  assert.equal(await openAll(db, seal), sealed)
  const states = await json(settings, 'status')
  assert.deepEqual(
    states.map(({ state, secrets: count }: { state: string; secrets: number }) => [state, count]),
    [
      ['current', sealed + 1],
      ['old', 0],
    ],
  )
  const { retired } = await json(settings, 'retire')
  assert.deepEqual(retired, [states[1].id])
  const [newKey, ...others] = readMasterKeys({ dataDir, masterKeys: undefined })
  assert.deepEqual(others, [])
  await openAll(db, createSeal([newKey!]))
  await assert.rejects(openAll(db, createSeal([oldKey!])), /not configured/)
  const wrong = { ...settings, MALIPO_MASTER_KEY: oldKey!.toString('base64') }
  const refused = await runCommand(wrong, ['master-key', 'rotate'])
  assert.match(refused.err, /sealed with another master key/)
  const actions = await db<{ subject: string }[]>`
    select subject from audit_log where action like 'master_key.%' order by id`
  assert.deepEqual(
    actions.map(({ subject }) => subject),
    [keyId, states[1].id],
  )
  const verified = await runCommand(settings, ['ledger', 'verify'])
  assert.equal(verified.code, 0, verified.out)
})

test('a running service seals with the new key at once, and knows its tokens', async (t) => {
  const place = await newPlace(t)
  const url = await place.start().ready()
  const settings = { MALIPO_DATA_DIR: place.dataDir }
  const send = async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}/api/b2b${path}`, init)
    return { status: response.status, text: await response.text() }
  }
  const keys = credentialsIn(place.dataDir)
  const { token } = (await exchange(url, keys)).body
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { keyId } = await json(settings, 'rotate')
  await json(settings, 'retire')
  const rotated = await send('/users/webhooks/rotate-secret', {
    ...{ method: 'POST', headers, body: '{}' },
  })
  assert.ok(rotated.status < 300, rotated.text)
  assert.equal((await exchange(url, keys)).status, 200)
  const [only, ...others] = await json(settings, 'status')
  assert.deepEqual([only.id, others], [keyId, []], 'the new secret is under the new key')
})

test('a rotation that is killed in the middle is finished by another', async (t) => {
  const { db, seal, settings, dataDir } = await openWorld(t)
  const [held] = await db<{ id: string }[]>`
    select id from webhook_secrets order by id offset ${secrets - 20} limit 1`
  await db.begin(async (tx) => {
    await tx`select from webhook_secrets where id = ${held!.id} for update`
    const child = startCommand(settings, ['master-key', 'rotate'])
    await waitFor(
      async () => {
        const [waiting] = await db`
          select from pg_stat_activity where application_name like 'malipo cli %'
            and datname = current_database() and wait_event_type = 'Lock'`
        return waiting !== undefined
      },
      { timeoutMs: 20_000 },
    )
    child.kill('SIGKILL')
    await once(child, 'close')
  })
  const half = await json(settings, 'status')
  assert.deepEqual(
    half.map(({ state }: { state: string }) => state),
    ['current', 'old'],
  )
  assert.ok(half[0].secrets >= 100 && half[1].secrets > 0, JSON.stringify(half))
  const total = await openAll(db, seal)
  const early = await runCommand(settings, ['master-key', 'retire'])
  assert.equal(early.code, 1)
  assert.match(early.err, /^Old keys are still needed: \S+ for \d+ secrets\./)
  const { keyId, sealed } = await json(settings, 'rotate')
  assert.deepEqual([keyId, sealed], [half[0].id, half[1].secrets], 'no third key, only the rest')
  await json(settings, 'retire')
  const keys = readMasterKeys({ dataDir, masterKeys: undefined })
  assert.equal(keys.length, 1)
  assert.equal(await openAll(db, createSeal(keys)), total)
})

test('a key in the settings is changed in steps, the first of which only makes one', async (t) => {
  const { db, seal, settings, dataDir, file } = await openWorld(t)
  const old = readFileSync(file, 'utf8').trim()
  rmSync(file)
  const given = (keys: string) => ({ ...settings, MALIPO_MASTER_KEY: keys })
  const { newKey, sealed } = await json(given(old), 'rotate')
  assert.equal(sealed, 0)
  const done = await json(given(`${newKey},${old}`), 'rotate')
  assert.ok(done.sealed > secrets)
  assert.deepEqual(await json(given(`${newKey},${old}`), 'retire'), {
    keyId: done.keyId,
    retired: [(await json(given(`${newKey},${old}`), 'status'))[1].id],
  })
  await openAll(db, createSeal([Buffer.from(newKey, 'base64')]))
  assert.throws(() => statSync(file), 'no file was made beside the setting')
  mkdirSync(dataDir, { recursive: true })
  await assert.rejects(openAll(db, seal), /not configured/)
})

test('a column that nobody described stops the rotation before it begins', async (t) => {
  const { db, settings, file } = await openWorld(t)
  await db`alter table merchants add column pin_sealed bytea`
  const { code, err } = await runCommand(settings, ['master-key', 'rotate'])
  assert.equal(code, 1)
  assert.match(
    err,
    /^It is not known what merchants\.pin_sealed is sealed for: nothing was changed/,
  )
  assert.equal(readFileSync(file, 'utf8').trim().split('\n').length, 1)
})
