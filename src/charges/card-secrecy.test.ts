import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cardDetails, openTill, startChargeWorld, type Till } from '../../test/charge-world.ts'
import { createLogTo } from '../log.ts'
import { testCards } from '../rails/sandbox/charge-behaviour.ts'
import { createCardVault } from './card-vault.ts'

const lines: string[] = []
const log = createLogTo({ write: (line) => void lines.push(line) }, 'trace')
const world = await startChargeWorld({ after }, { log, settings: { LOG_LEVEL: 'trace' } })
const rail = world.charges.parts.routing.byName('sandbox')!.charges!
const cvv = '737'
const numbers = [...Object.keys(testCards), '378282246310005', '6011111111111117']

const isCvv = (text: string) => {
  // Ids and times are full of digits that mean nothing.
  const rest = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.+Z-]+/g, '')
  return /(?<![\w.])7371?(?![\w.])/.test(rest)
}

function leaves(value: unknown): string[] {
  if (value !== null && typeof value === 'object') {
    return Object.entries(value).flatMap(([name, each]) => [name, ...leaves(each)])
  }
  return [String(value)]
}

/** Everything a text may hold of a card that must not be there. */
function secretsIn(text: string): string[] {
  const digits = text.replaceAll(/(?<=\d)[ -](?=\d)/g, '')
  return numbers.filter((number) => {
    const coded = Buffer.from(number).toString('base64').slice(0, -3)
    return text.includes(number) || digits.includes(number) || text.includes(coded)
  })
}

async function everyRow(): Promise<{ table: string; row: unknown }[]> {
  const tables = await world.db<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  assert.ok(tables.length > 15)
  const all = await Promise.all(
    tables.map(async ({ name }) => {
      const from = world.db.unsafe(`${name} t`)
      const rows = await world.db<{ row: unknown }[]>`select to_jsonb(t) as row from ${from}`
      return rows.map(({ row }) => ({ table: name, row }))
    }),
  )
  return all.flat()
}

async function driveEveryPath(till: Till): Promise<void> {
  for (const number of numbers) {
    const details = { ...cardDetails(number), cvv: number.startsWith('3') ? '7371' : cvv }
    const { body } = await till.card({ cardDetails: details })
    const { transactionId: id } = body.data as { transactionId: string }
    await till.authorise(id, 'pin', '0000')
    await till.authorise(id, 'pin', '3310')
    await till.authorise(id, 'otp', '12345')
    await till.authorise(id, 'address', '{"street1":"a","city":"b","country":"KE"}')
    await till.read(id)
  }
  const bad = [
    { cardDetails: { ...cardDetails(numbers[0]!), number: `${numbers[0]} ` } },
    { cardDetails: { ...cardDetails(numbers[0]!), expYear: '2020' } },
    { cardDetails: { ...cardDetails(numbers[0]!), expMonth: 5 } },
    { cardDetails: cardDetails(numbers[0]!), currency: 'USD' },
    { cardDetails: cardDetails(numbers[0]!), amount: 'much' },
  ]
  for (const fields of bad) await till.card(fields)
  const cutShort = `{"cardDetails":{"number":"${numbers[0]}","cvv":"${cvv}"`
  await till.send('/fiat/deposit/card', cutShort)
}

test('no number and no cvv reaches the disk or the log, on any path of a card', async (t) => {
  const till = await openTill(world)
  await driveEveryPath(till)
  const { create, authorise } = rail
  t.after(() => void Object.assign(rail, { create, authorise }))
  // A rail that quotes what it was sent, in an error, an answer and a reason.
  const quote = (card: unknown) => `cannot take ${JSON.stringify(card)}`
  rail.create = async ({ card }) => {
    throw new Error(quote(card))
  }
  await till.card({ cardDetails: cardDetails(numbers[1]!) })
  rail.create = async ({ card }) => ({ kind: 'failed', said: quote(card), reason: quote(card) })
  await till.card({ cardDetails: cardDetails(numbers[2]!) })
  rail.create = create
  rail.authorise = async (_key, { card }) => {
    throw new Error(quote(card))
  }
  const { body } = await till.card({ cardDetails: cardDetails('5531886652142950') })
  const { transactionId } = body.data as { transactionId: string }
  assert.equal((await till.authorise(transactionId, 'pin', '3310')).status, 503)
  await world.pass(2000)
  await world.pass(40 * 60_000)

  assert.ok(lines.length > 100)
  for (const line of lines) {
    const { time: _time, responseTime: _ms, ...entry } = JSON.parse(line)
    assert.deepEqual(secretsIn(line), [], line)
    assert.ok(!leaves(entry).some(isCvv), line)
  }
  const rows = await everyRow()
  const attempts = rows.filter(({ table }) => table === 'public.rail_attempts')
  assert.ok(attempts.length > 20)
  for (const { table, row } of rows) {
    const text = JSON.stringify(row)
    assert.deepEqual(secretsIn(text), [], `${table} ${text}`)
    assert.ok(!leaves(row).some(isCvv), `${table} ${text}`)
  }
})

test('of a card its brand, first six and last four stay', async () => {
  const till = await openTill(world)
  const id = await till.accepted(till.card())
  const [row] = await world.db<{ details: { card: object }; number: string }[]>`
    select details, account_number as number from transactions where id = ${id}`
  assert.deepEqual(row!.details.card, { brand: 'visa', firstSix: '424242', lastFour: '4242' })
  assert.equal(row!.number, '424242******4242')
})

test('the vault keeps a card sealed, for its own charge, until it is dropped', () => {
  const vault = createCardVault()
  const card = cardDetails('4242424242424242')
  vault.keep('a', card)
  assert.deepEqual([vault.find('a'), vault.find('b')], [card, null])
  assert.ok(!JSON.stringify(vault).includes('4242'))
  vault.drop('a')
  assert.equal(vault.find('a'), null)
})
