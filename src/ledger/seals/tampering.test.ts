import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openBooks, transfer } from '../../../test/books.ts'
import { testDatabase } from '../../../test/harness.ts'
import {
  asAdministrator,
  findings,
  sealAll,
  sealedBooks,
  sealerOn,
  verify,
} from '../../../test/seals.ts'
import type { Db } from '../../db/pool.ts'
import { postTransfers } from '../post.ts'
import { ledgerBook } from './book.ts'
import { columnsOf } from './entries.ts'

/** A change of each column of a transfer, some of which no rule of the table would stop. */
const changes: Readonly<Record<string, string>> = {
  slot: 'slot + 1',
  transaction_id: 'gen_random_uuid()',
  step: "step || ' '",
  environment: "'live'",
  debit: "'fees'",
  credit: "'held'",
  amount: 'amount + 1',
  currency: "'UGX'",
  wallet_id: 'gen_random_uuid()',
  wallet_seq: 'wallet_seq + 100',
  available_after: 'available_after + 1',
  held_after: 'held_after + 1',
  posted_at: "posted_at + interval '1 microsecond'",
  position: 'position + 1',
}

/** Puts back what a test changed, so that one database serves for many changes. */
async function keepCopy(db: Db): Promise<() => Promise<void>> {
  await db.unsafe('create table kept_transfers as table transfers')
  await db.unsafe('create table kept_seals as table ledger_seals')
  return () =>
    asAdministrator(
      db,
      `delete from transfers; insert into transfers select * from kept_transfers;
      delete from ledger_seals; insert into ledger_seals select * from kept_seals`,
    )
}

test('a change of any one column of one transfer is found', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  assert.deepEqual(Object.keys(changes).toSorted(), await columnsOf(sql, ledgerBook))
  const putBack = await keepCopy(sql)
  for (const [column, value] of Object.entries(changes)) {
    await asAdministrator(sql, `update transfers set ${column} = ${value} where amount = 4`)
    const [first] = findings(await verify(sql))
    assert.match(first!, /^4: covers 1 transfers, /, column)
    await putBack()
    assert.deepEqual((await verify(sql)).problems, [], `${column} put back`)
  }
})

test('of many under one seal, the row that was written again is named', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql, { transfers: 30, entriesPerSeal: 1000 })
  const [row] = await sql<{ key: string }[]>`
    select concat(slot, ' ', transaction_id, ' ', step) as key from transfers where amount = 17`
  await asAdministrator(sql, 'update transfers set posted_at = now() where amount = 17')
  const { problems } = await verify(sql)
  assert.deepEqual(
    problems.map(({ seal, rows }) => [seal, rows]),
    [[1n, [`transfer ${row!.key} was written again`]]],
  )
})

test('a removed transfer is found, and the wallet that lacks it', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallet } = await sealedBooks(sql)
  await asAdministrator(sql, 'delete from transfers where amount in (1, 6, 10)')
  const found = await verify(sql)
  assert.deepEqual(findings(found), [
    '1: covers 1 transfers, and 0 are there: 1 were removed',
    '6: covers 1 transfers, and 0 are there: 1 were removed',
    '10: covers 1 transfers, and 0 are there: 1 were removed',
    '-: transfers are missing from their wallets',
  ])
  assert.deepEqual(
    found.problems.at(-1)?.rows,
    [1, 6, 10].map((number) => `wallet ${wallet.id} lacks its transfer ${number}`),
  )
  assert.equal(found.verified, 7)
})

test('a transfer that is put in at an old position is found', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  const putBack = await keepCopy(sql)
  for (const [position, problem] of [
    ['position', /^5: covers 1 transfers, and 2 are there: 1 were added/],
    ['-1', /^-: rows stand before the first seal: 1/],
    ['0', /^1: covers 1 transfers, and 2 are there/],
  ] as const) {
    await asAdministrator(
      sql,
      `insert into transfers (slot, transaction_id, step, environment, debit, credit, amount,
        currency, position)
      select slot, gen_random_uuid(), step, environment, 'fx', 'fees', amount, currency,
        ${position} from transfers where amount = 5`,
    )
    assert.match(findings(await verify(sql)).join('\n'), problem)
    await putBack()
  }
})

test('two transfers that changed places are found', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  await asAdministrator(
    sql,
    `update transfers a set position = b.position from transfers b
    where a.amount in (3, 8) and b.amount in (3, 8) and a.amount <> b.amount`,
  )
  assert.deepEqual(findings(await verify(sql)), [
    '3: covers 1 transfers, of which at least one was changed',
    '8: covers 1 transfers, of which at least one was changed',
  ])
})

test('a seal that was changed, removed, renumbered or made by others is found', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  const putBack = await keepCopy(sql)
  const broken = 'was changed, or made by somebody else: its signature is wrong'
  const tried: [change: string, found: string[]][] = [
    ['update ledger_seals set entries = 2 where number = 4', [`4: ${broken}`]],
    [
      "update ledger_seals set sealed_at = sealed_at - interval '1 day' where number = 4",
      [`4: ${broken}`],
    ],
    [
      'update ledger_seals set hash = sha256(hash) where number = 4',
      [`4: ${broken}`, '5: does not follow the seal before it'],
    ],
    ["update ledger_seals set columns = '{slot}' where number = 10", [`10: ${broken}`]],
    [
      "update ledger_seals set key_id = '00000000' where number = 2",
      ['2: is signed with the key 00000000, which is not here'],
    ],
    ['delete from ledger_seals where number = 1', ['1: seal 1 is missing']],
    ['delete from ledger_seals where number in (5, 6)', ['5: seals 5 to 6 are missing']],
    [
      `delete from ledger_seals where number = 9;
      update ledger_seals set number = 9 where number = 10`,
      [`9: ${broken}`],
    ],
    [
      `insert into ledger_seals select number + 1, to_position, to_position + 1, entries, columns,
        content_hash, hash, key_id, sha256(hash), sealed_at from ledger_seals where number = 10`,
      [`11: ${broken}`],
    ],
  ]
  for (const [change, expected] of tried) {
    await asAdministrator(sql, change)
    assert.deepEqual(findings(await verify(sql)).slice(0, expected.length), expected, change)
    await putBack()
  }
})

test('a tail that is cut off, and even sealed anew, is found by a kept head', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  const { head } = await verify(sql)
  await asAdministrator(
    sql,
    'delete from transfers where amount > 8; delete from ledger_seals where number > 8',
  )
  assert.deepEqual(
    findings(await verify(sql)),
    [],
    'the rest is whole in itself: the kept head is what tells',
  )
  assert.match(
    findings(await verify(sql, ledgerBook, head)).join(),
    /^10: was kept as 10:.*not here/,
  )
  const { fund, wallets } = await openBooks(sql)
  for (let i = 0; i < 3; i++) await fund(wallets[0]!, 50n)
  await sealAll(sql, sealerOn(sql, { entriesPerSeal: 1 }))
  assert.match(findings(await verify(sql, ledgerBook, head)).join(), /^10: was kept .* another now/)
})

test('without the key nobody can make a seal that fits', async (t) => {
  const { sql } = await testDatabase(t)
  await sealedBooks(sql)
  const guess = createHash('sha256').update('guess').digest('hex')
  await asAdministrator(
    sql,
    `update transfers set amount = 400 where amount = 4;
    update ledger_seals set content_hash = '\\x${guess}', hash = sha256('\\x${guess}')
    where number = 4`,
  )
  assert.match(findings(await verify(sql))[0]!, /^4: was changed, or made by somebody else/)
})

test('random postings verify, and one random change to any of them is found', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql, { wallets: 3 })
  const batch = fc.array(fc.nat(2), { minLength: 1, maxLength: 6 })
  const columns = Object.entries(changes)
  let sealed = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(columns.length),
      fc.nat(),
      async (batches, entriesPerSeal, change, place) => {
        for (const picks of batches) {
          const made = picks.map((pick) =>
            posting(transfer(wallets[pick]!, 'funding', 'wallet', 9n)),
          )
          await postTransfers(sql, made)
        }
        await sealAll(sql, sealerOn(sql, { entriesPerSeal }))
        const right = await verify(sql)
        assert.deepEqual([right.problems, right.unsealed], [[], 0])
        sealed = right.verified
        const row = `(select ctid from transfers order by position, transaction_id
          offset ${place % sealed} limit 1)`
        const putBack = await keepCopy(sql)
        const [column, value] = columns[change] ?? ['none', '']
        await asAdministrator(
          sql,
          column === 'none'
            ? `delete from transfers where ctid = ${row}`
            : `update transfers set ${column} = ${value} where ctid = ${row}`,
        )
        assert.ok((await verify(sql)).problems.length > 0, column)
        await putBack()
        await sql.unsafe('drop table kept_transfers, kept_seals')
      },
    ),
    { numRuns: 25 },
  )
  t.diagnostic(`${sealed} transfers sealed`)
})
