import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '../../test/app-harness.ts'
import { testDatabase, waitFor } from '../../test/harness.ts'
import { systemClock } from '../clock.ts'
import { followChanges } from '../db/changes.ts'
import { connect } from '../db/pool.ts'
import { importList } from './import-list.ts'
import { createReference, type Operator } from './reference.ts'
import { operatorOf } from './snapshot.ts'

type Ending = { after(run: () => Promise<void>): void }

async function nodeOn(t: Ending, url: string) {
  const db = connect(url, { maxConnections: 3 })
  const changes = await followChanges(db, systemClock)
  const reference = await createReference({ db, changes, log: silentLog })
  t.after(async () => {
    await reference.stop()
    await changes.stop()
    await db.end({ timeout: 1 })
  })
  return reference
}

test('lists are found by country and code, without regard to case', async (t) => {
  const { url } = await testDatabase(t)
  const reference = await nodeOn(t, url)
  assert.equal(reference.countries().length, 23)
  assert.equal(reference.country('UG')?.decimals, 0)
  assert.equal(reference.country('XX'), undefined)
  const bank = reference.bank('NG', '035a')!
  assert.deepEqual([bank.code, bank.name, bank.swiftCode], ['035A', 'ALAT by WEMA', null])
  assert.equal(reference.bank('KE', '035A'), undefined)
  assert.equal(reference.operator('KE', 'MPESA')?.name, 'Safaricom')
  assert.deepEqual(reference.banks('ZA'), [])
  const stanbic = reference.bank('UG', '04')!
  for (const code of ['040047', 'UG040047', 'ug040047']) {
    assert.equal(reference.branch(stanbic, code)?.name, 'Head Office', code)
  }
  assert.equal(reference.branch(stanbic, '999999'), undefined)
  const crdb = reference.bank('TZ', '003')!
  assert.equal(reference.branch(crdb, 'corutztz')?.bic, 'CORUTZTZ')
  const access = reference.bank('ZM', '35')!
  assert.equal(reference.branch(access, '350001')?.code, 'ZM350001')
})

test('a number names its operator only where that is certain', async (t) => {
  const { url } = await testDatabase(t)
  const { operatorOfNumber: of } = await nodeOn(t, url)
  assert.equal(of('KE', '254712345678')?.id, 'mpesa')
  assert.equal(of('KE', '254757345678')?.id, 'mpesa', 'the longer prefix counts')
  assert.equal(of('KE', '254750345678')?.id, 'airtel')
  assert.equal(of('KE', '254744345678'), undefined, 'another network has this block')
  assert.equal(of('UG', '256772345678')?.id, 'mtn')
  assert.equal(of('UG', '254712345678'), undefined, 'a number of another country')
  assert.equal(of('SN', '221771234567'), undefined, 'any number may have a Wave wallet')
  assert.equal(of('XX', '1'), undefined)
  const operator = (id: string): Operator => ({
    country: 'KE',
    id,
    name: id,
    wallet: id,
    currency: 'KES',
    prefixes: ['25470'],
  })
  assert.equal(operatorOf([operator('a'), operator('b')], '254700000000'), undefined)
})

test('an import on one node is seen on the others at once, rendered answers included', async (t) => {
  const { url, sql: db } = await testDatabase(t)
  const nodes = await Promise.all([nodeOn(t, url), nodeOn(t, url)])
  const render = (index: number) =>
    nodes[index]!.rendered('banks', () => nodes[index]!.banks('ZA').map(({ name }) => name))
  const before = render(1)
  assert.equal(render(1), before, 'made once')
  async function* file() {
    yield Buffer.from('country,code,name\nZA,632005,Absa\n')
  }
  await importList(db, 'banks', file())
  await waitFor(() => nodes.every(({ banks }) => banks('ZA').length === 1))
  assert.equal(render(1).body.toString(), '["Absa"]')
  assert.notEqual(render(1).etag, before.etag)
})
