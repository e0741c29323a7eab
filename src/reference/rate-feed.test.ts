import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, test } from 'node:test'
import { silentLog } from '../../test/app-harness.ts'
import { testDatabase } from '../../test/harness.ts'
import { manualClock } from '../clock.ts'
import { createLogTo } from '../log.ts'
import { rateFromText, textFromRate } from '../money/rates.ts'
import { feedSource } from './rate-feed.ts'
import { readHeldRates, readLastRates } from './rate-store.ts'
import { confirmRates, readLastRefresh, refreshRates, setRate } from './refresh-rates.ts'

const hourMs = 3_600_000
const maxAgeMs = 48 * hourMs
const good = { base: 'USD', rates: { KES: 130, UGX: 3700, JPY: 150, USD: 1 } }

describe('a feed of rates', async () => {
  let answer: (response: ServerResponse) => void = () => {}
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { sql: db, drop } = await testDatabase()
  const said: string[] = []
  const log = createLogTo({ write: (line) => void said.push(line) }, 'warn')
  const clock = manualClock(Date.UTC(2026, 8, 15, 9))
  const source = feedSource({ url: `http://127.0.0.1:${port}/`, timeoutMs: 100, pauseMs: 1 })
  const on = { db, clock, log, source, spreads: () => 0, maxAgeMs }
  after(async () => {
    server.closeAllConnections()
    server.close()
    await drop()
  })

  const behave = (as: (response: ServerResponse) => void) => {
    answer = as
  }
  const send = (body: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    behave((response) => response.end(text))
  }
  const stored = async () =>
    Object.fromEntries(
      (await readLastRates(db, ['file'])).map(({ base, quote, buy }) => [
        `${base}/${quote}`,
        textFromRate(buy),
      ]),
    )

  beforeEach(async () => {
    await db`delete from rates`
    await db`delete from held_rates`
    send(good)
    await refreshRates(on)
    clock.advance(hourMs)
    requests = 0
    said.length = 0
  })

  test('gives middle rates, or both sides, of the currencies we have', async () => {
    assert.deepEqual(await stored(), { 'USD/KES': '130', 'USD/UGX': '3700' })
    send({
      rates: [
        { pair: 'USD/KES', buy: 131.5, sell: '132.5' },
        { pair: 'USD/JPY', mid: 1 },
      ],
    })
    await refreshRates({ ...on, log: silentLog })
    assert.deepEqual(await stored(), { 'USD/KES': '131.5', 'USD/UGX': '3700' })
  })

  const failures: Record<string, [() => void, RegExp]> = {
    'that does not answer in time': [() => behave(() => {}), /timeout/],
    'that breaks off': [() => behave((r) => void r.destroy()), /fetch failed|terminated/],
    'that has an error': [
      () => behave((r) => r.writeHead(500).end('{}')),
      /answered with status 500/,
    ],
    'that redirects': [
      () => behave((r) => r.writeHead(302, { location: '/x' }).end()),
      /fetch failed/,
    ],
    'that sends rubbish': [() => send('<html>'), /did not send JSON/],
    'that sends another shape': [() => send('[1]'), /another shape/],
    'that sends nothing usable': [
      () => send({ base: 'USD', rates: { KES: -1, UGX: 'many' } }),
      /no rate that can be used/,
    ],
    'that never ends': [() => send('x'.repeat(2_000_000)), /more than 1048576 bytes/],
  }
  for (const [name, [prepare, reason]] of Object.entries(failures)) {
    test(`${name} leaves the last good rates, and the operator is told`, async () => {
      prepare()
      await assert.rejects(refreshRates(on), /could not be refreshed/)
      assert.deepEqual(await stored(), { 'USD/KES': '130', 'USD/UGX': '3700' })
      const last = await readLastRefresh(db)
      assert.equal(last?.isGood, false)
      assert.match(last.problems[0] ?? '', reason)
    })
  }

  test('is asked three times when it fails, and recovers', async () => {
    let left = 2
    answer = (response) => {
      if (left-- > 0) response.writeHead(503).end()
      else response.end(JSON.stringify({ base: 'USD', rates: { KES: 131 } }))
    }
    await refreshRates(on)
    assert.equal(requests, 3)
    assert.equal((await stored())['USD/KES'], '131')
    send('rubbish')
    requests = 0
    await assert.rejects(refreshRates(on))
    assert.equal(requests, 1, 'rubbish is not asked for again at once')
  })

  test('with a negative rate loses that pair only, and says so', async () => {
    send({ base: 'USD', rates: { KES: -130, UGX: 3710 } })
    await refreshRates(on)
    assert.deepEqual(await stored(), { 'USD/KES': '130', 'USD/UGX': '3710' })
    assert.match(said.join(), /no usable rate for USD\/KES/)
    assert.deepEqual((await readLastRefresh(db))?.problems, [
      'The feed has no usable rate for USD/KES.',
    ])
  })

  for (const jumped of [13_000, 1.3, 156.1]) {
    test(`with a jump to ${jumped} is held until a person confirms it`, async () => {
      send({ base: 'USD', rates: { KES: jumped, UGX: 3700 } })
      await refreshRates(on)
      assert.equal((await stored())['USD/KES'], '130')
      assert.match(said.join(), /USD\/KES.*malipo rates confirm/)
      assert.deepEqual(
        (await readHeldRates(db)).map(({ base, quote, buy }) => [base, quote, textFromRate(buy)]),
        [['USD', 'KES', String(jumped)]],
      )
      clock.advance(hourMs)
      await refreshRates(on)
      assert.equal((await stored())['USD/KES'], '130', 'saying it twice makes it no truer')
      await db.begin((tx) => confirmRates(tx, clock))
      assert.equal((await stored())['USD/KES'], String(jumped))
      assert.deepEqual(await readHeldRates(db), [])
    })
  }

  test('that comes back to reason takes its jump back', async () => {
    send({ base: 'USD', rates: { KES: 13_000 } })
    await refreshRates(on)
    clock.advance(hourMs)
    send({ base: 'USD', rates: { KES: 131 } })
    await refreshRates(on)
    assert.equal((await stored())['USD/KES'], '131')
    assert.deepEqual(await readHeldRates(db), [])
  })

  test('that is old, or ahead of its time, is not believed', async () => {
    const nowSeconds = clock.now() / 1000
    for (const timestamp of [nowSeconds - 49 * 3600, nowSeconds + 3600, '2026-09-01']) {
      send({ timestamp, base: 'USD', rates: { KES: 131 } })
      await refreshRates(on)
      assert.equal((await stored())['USD/KES'], '130')
      assert.match((await readLastRefresh(db))?.problems[0] ?? '', /too far off/)
    }
    send({ timestamp: nowSeconds - 60, base: 'USD', rates: { KES: 131 } })
    await refreshRates(on)
    assert.equal((await stored())['USD/KES'], '131')
  })

  test('waits while a rate set by hand is fresh', async () => {
    const byHand = {
      base: 'USD',
      quote: 'KES',
      buy: rateFromText('133'),
      sell: rateFromText('134'),
    }
    await db.begin((tx) => setRate(tx, clock, byHand))
    clock.advance(hourMs)
    await refreshRates(on)
    assert.equal((await stored())['USD/KES'], '133')
    clock.advance(maxAgeMs)
    await refreshRates(on)
    assert.equal((await stored())['USD/KES'], '130')
  })
})
