import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '../../test/harness.ts'
import { type UnnestColumns, unnest } from './unnest.ts'

type Mixed = {
  text: string | null
  number: bigint
  time: Date | null
  bytes: Buffer | null
  data: string | null
  flag: boolean
}

const columns: UnnestColumns<Mixed> = {
  text: ['text', ({ text }) => text],
  number: ['bigint', ({ number }) => number],
  time: ['timestamptz', ({ time }) => time],
  bytes: ['bytea', ({ bytes }) => bytes],
  data: ['jsonb', ({ data }) => data],
  flag: ['bool', ({ flag }) => flag],
}

// What PostgreSQL has no place for: half characters, and the character with the number 0.
const writable = (text: string) => !text.includes('\0')
const someText = fc.oneof(
  fc.string({ unit: 'binary' }).filter(writable),
  fc.constantFrom('', 'NULL', 'null', '{}', '"', '\\', '\\"', ' a ', 'a,b', '\n"\t\\', "'", '🦁"'),
)
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
const mixed: fc.Arbitrary<Mixed> = fc.record({
  text: orNull(someText),
  number: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  time: orNull(
    fc.date({ min: new Date(0), max: new Date('2999-12-31T00:00:00Z'), noInvalidDate: true }),
  ),
  bytes: orNull(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
  data: orNull(fc.record({ text: someText }).map((value) => JSON.stringify(value))),
  flag: fc.boolean(),
})

test('rows go to the database and come back as they were, whatever is in them', async (t) => {
  const { sql } = await testDatabase(t)
  await fc.assert(
    fc.asyncProperty(fc.array(mixed, { maxLength: 20 }), async (rows) => {
      const back = await sql`
        select text, number, time, bytes, data, flag from (${unnest(sql, 'r', rows, columns)}) r
        order by n`
      const sent = rows.map((row) => ({ ...row, data: row.data && JSON.parse(row.data) }))
      assert.deepEqual(
        back.map((row) => ({ ...row })),
        sent,
      )
    }),
    { numRuns: 300 },
  )
})

test('what cannot be an element of an array is refused', async (t) => {
  const { sql } = await testDatabase(t)
  for (const value of [undefined, {}, ['a']]) {
    assert.throws(() => unnest(sql, 'r', [value], { value: ['text', (it) => it] }), /cannot be/)
  }
})
