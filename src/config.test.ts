import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type ConfigError, readConfig, settings } from './config.ts'

test('without any setting the service runs by itself', () => {
  const config = readConfig({})
  assert.equal(config.port, 4000)
  assert.equal(config.databaseUrl, undefined)
  assert.equal(config.demo, true)
  assert.equal(config.dataDir, resolve('.malipo'))
  assert.equal(config.logTo, resolve('.malipo', 'malipo.log'))
})

test('with a database of its own it makes no demo and logs to stdout', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://u:p@db.example:5432/malipo' })
  assert.equal(config.demo, false)
  assert.equal(config.logTo, 'stdout')
})

test('all problems are told at once, each naming its variable', () => {
  const wrong = {
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    MALIPO_MASTER_KEY: 'short',
    MALIPO_DEMO: 'perhaps',
    LOG_LEVEL: 'loud',
    MALIPO_PROT: '1',
  }
  assert.throws(
    () => readConfig(wrong),
    (error: ConfigError) => {
      assert.equal(error.problems.length, 6)
      for (const name of Object.keys(wrong)) {
        assert.ok(
          error.problems.some((problem) => problem.startsWith(`${name} `)),
          name,
        )
      }
      return true
    },
  )
})

test('an empty variable counts as unset', () => {
  assert.equal(readConfig({ PORT: '', DATABASE_URL: '' }).port, 4000)
})

test('several master keys are taken, the newest first', () => {
  const keys = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const text = keys.map((key) => key.toString('base64')).join(', ')
  assert.deepEqual(readConfig({ MALIPO_MASTER_KEY: text }).masterKeys, keys)
})

test('every variable stands once in the table and has a sentence', () => {
  const names = Object.values(settings).map(({ variable }) => variable)
  assert.equal(new Set(names).size, names.length)
  for (const { sentence } of Object.values(settings)) assert.match(sentence, /^[A-Z].*\.$/)
})
