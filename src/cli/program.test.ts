import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { endOf, runCommand, settingsFor, startCommand } from '../../test/command-line.ts'
import { emptyDatabase, tempFolder, testDatabase, waitFor } from '../../test/harness.ts'
import { findEmbeddedServer } from '../db/embedded-server.ts'
import { readVersion } from '../version.ts'

const bin = fileURLToPath(new URL('../../bin/malipo.js', import.meta.url))
const nowhere = 'postgres://malipo:hidden@127.0.0.1:1/nowhere'

test('help is the answer to no command, and wrong usage ends with 2', async () => {
  const [none, help, unknown, missing, duration] = await Promise.all([
    runCommand({}, []),
    runCommand({}, ['--help']),
    runCommand({}, ['merchnt']),
    runCommand({}, ['merchant', 'create']),
    runCommand({}, ['keys', 'rotate', 'pk', '--overlap', '5']),
  ])
  assert.deepEqual([none.code, none.err], [0, ''])
  assert.equal(help.out, none.out)
  assert.match(help.out, /Commands:\n {2}start .*\nExamples:\n/s)
  assert.deepEqual(
    [unknown, missing, duration].map(({ code, out, err }) => [code, out, err.trimEnd()]),
    [
      [2, '', "Unknown command 'merchnt' (Did you mean merchant?)"],
      [2, '', "Required option '--name <name>' not specified."],
      [
        2,
        '',
        "Option '--overlap <duration>' argument '5' is invalid. " +
          'Write 30m, 24h or 7d, at most 365d, or 0.',
      ],
    ],
  )
})

test('the program in bin runs the commands, and starts the service', async () => {
  const [version, usage, start] = await Promise.all([
    runCommand({}, ['--version'], bin),
    runCommand({}, ['wallet', 'fund'], bin),
    runCommand({}, ['start', '--help'], bin),
  ])
  assert.deepEqual(version, { code: 0, out: `${readVersion()}\n`, err: '' })
  assert.equal(usage.code, 2)
  assert.match(start.out, /^Starts Malipo\./)
})

test('the settings are shown with their origin and without their secrets', async () => {
  const settings = { ...settingsFor(nowhere), PORT: '4100' }
  const [text, json] = await Promise.all([
    runCommand(settings, ['config']),
    runCommand(settings, ['config', '--json']),
  ])
  assert.match(text.out, /\nDATABASE_URL +postgres:\/\/malipo:\*{4}@127\.0\.0\.1:1\/nowhere +env/)
  assert.match(text.out, /\nMALIPO_MASTER_KEY +\*{4} +environment\n/)
  for (const secret of ['hidden', settings.MALIPO_MASTER_KEY]) {
    assert.ok(!text.out.includes(secret) && !json.out.includes(secret))
  }
  const found = new Map(
    (JSON.parse(json.out) as { variable: string; value: string; from: string }[]).map(
      ({ variable, value, from }) => [variable, [value, from]],
    ),
  )
  assert.deepEqual(found.get('PORT'), ['4100', 'environment'])
  assert.deepEqual(found.get('HOST'), ['localhost', 'default'])
  assert.deepEqual(found.get('MALIPO_DEMO'), ['off', 'default'])
})

test('what is wrong is told without a stack, unless it is asked for', async () => {
  const [config, database, debug] = await Promise.all([
    runCommand({ PORT: 'x', MALIPO_DEMO: 'y' }, ['merchant', 'list']),
    runCommand(settingsFor(nowhere), ['merchant', 'list']),
    runCommand({ ...settingsFor(nowhere), LOG_LEVEL: 'debug' }, ['merchant', 'list']),
  ])
  assert.equal(config.code, 1)
  assert.match(config.err, /^PORT must be .*\.\nMALIPO_DEMO must be on or off\.\n$/)
  assert.equal(database.code, 1)
  assert.match(database.err, /^The database nowhere at 127\.0\.0\.1:1 .* reachable from here\?\n$/)
  assert.match(debug.err, /\n +at /)
})

test('a foreign database is migrated only by the command that says so', async (t) => {
  const settings = settingsFor((await emptyDatabase(t)).url)
  const run = (...args: string[]) => runCommand(settings, args)
  const [refused, status] = await Promise.all([run('ledger', 'check'), run('migrate', '--status')])
  assert.deepEqual(refused, {
    code: 1,
    out: '',
    err: 'The database is not up to date: run malipo migrate first.\n',
  })
  assert.match(status.out, /^\d+ migrations? pending, .*:\n {2}0001_foundation\.sql\n/)
  assert.match((await run('migrate')).out, /^Applied \d+ migrations?:\n {2}0001_foundation\.sql\n/)
  const [again, ready, list] = await Promise.all([
    run('migrate'),
    run('migrate', '--status', '--json'),
    run('merchant', 'list'),
  ])
  assert.equal(again.out, 'The database was up to date already.\n')
  assert.deepEqual(JSON.parse(ready.out), { ready: true, pending: [] })
  assert.equal(list.out, 'There are no merchants yet.\n')
})

test('Ctrl-C ends a command that waits, and its connection', async (t) => {
  const { url, sql } = await testDatabase(t)
  const { promise: release, resolve } = Promise.withResolvers<void>()
  const locked = sql.begin(async (tx) => {
    await tx`lock table merchants in access exclusive mode`
    await release
  })
  const child = startCommand(settingsFor(url), ['merchant', 'list'])
  const ended = endOf(child)
  const sessions = () => sql`
    select state, wait_event_type as waits from pg_stat_activity
    where application_name like 'malipo cli %' and datname = current_database()`
  await waitFor(async () => (await sessions()).some(({ waits }) => waits === 'Lock'))
  const sentMs = performance.now()
  child.kill('SIGINT')
  assert.deepEqual(await ended, { code: 130, out: '', err: 'Interrupted by SIGINT.\n' })
  assert.ok(performance.now() - sentMs < 1000)
  await waitFor(async () => (await sessions()).length === 0)
  resolve()
  await locked
})

test('a reader that leaves early ends a command quietly', async (t) => {
  const { url } = await testDatabase(t)
  const child = startCommand(settingsFor(url), ['merchant', 'list', '--json'])
  child.stdout.destroy()
  let err = ''
  child.stderr.on('data', (text) => {
    err += text
  })
  const [code] = await once(child, 'close')
  assert.deepEqual([code, err], [0, ''])
})

test('without DATABASE_URL a command runs the own database for its time only', async (t) => {
  const dataDir = await tempFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  const settings = { MALIPO_DATA_DIR: dataDir }
  const list = await runCommand(settings, ['merchant', 'list'])
  assert.deepEqual(list, { code: 0, out: 'There are no merchants yet.\n', err: '' })
  assert.equal(await findEmbeddedServer(dataDir), undefined)

  const child = startCommand(settings, ['keys', 'rotate-signing'])
  const ended = endOf(child)
  await waitFor(() => findEmbeddedServer(dataDir))
  child.kill('SIGTERM')
  assert.ok([0, 143].includes((await ended).code!))
  assert.equal(await findEmbeddedServer(dataDir), undefined)
})
