import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBooks, transfer } from '../../../test/books.ts'
import { testDatabase } from '../../../test/harness.ts'
import {
  asAdministrator,
  findings,
  masterKeys,
  masterSeal,
  sealAll,
  sealedBooks,
  sealerOn,
  verify,
} from '../../../test/seals.ts'
import { systemClock } from '../../clock.ts'
import { connect, type Db } from '../../db/pool.ts'
import { createIds } from '../../ids.ts'
import { createLogTo } from '../../log.ts'
import { audit } from '../../merchants/audit.ts'
import { createSeal } from '../../seal.ts'
import { postTransfers } from '../post.ts'
import { auditBook, ledgerBook } from './book.ts'
import { headText, lastSeal, parseHead } from './chain.ts'
import { loadSealingKeys } from './keys.ts'
import { keepPositionsGrowing, readFrontier } from './positions.ts'
import { verifyBook } from './verify.ts'

test('what is finished is sealed once, and a chain that nobody touched verifies', async (t) => {
  const { sql } = await testDatabase(t)
  const { sealer, fund, wallet } = await sealedBooks(sql)
  const first = await verify(sql)
  assert.deepEqual(first.problems, [])
  assert.deepEqual([first.seals, first.verified, first.unsealed], [10, 10, 0])
  await sealAll(sql, sealer)
  assert.equal((await verify(sql)).seals, 10, 'nothing new, no new seal')
  await fund(wallet, 1n)
  const between = await verify(sql)
  assert.deepEqual([between.unsealed, between.problems], [1, []])
  await sealAll(sql, sealer)
  const { head, verified, problems } = await verify(sql, ledgerBook, first.head)
  assert.deepEqual([verified, problems], [11, []])
  assert.deepEqual(parseHead(headText(head!)), head)
})

test('a running transaction holds back what came after it, and is not missed', async (t) => {
  const { sql } = await testDatabase(t)
  const { wallets, posting, fund } = await openBooks(sql, { wallets: 2 })
  const [slow, quick] = wallets
  const sealer = sealerOn(sql)
  await sql.begin(async (tx) => {
    await postTransfers(tx, [posting(transfer(slow!, 'funding', 'wallet', 7n))])
    await fund(quick!, 5n)
    await sealer.pass()
    const { seals, unsealed, problems } = await verify(sql)
    assert.deepEqual([seals, unsealed, problems], [0, 1, []])
  })
  await sealAll(sql, sealer)
  const { verified, unsealed, problems } = await verify(sql)
  assert.deepEqual([verified, unsealed, problems], [2, 0, []])
})

test('every transfer is in exactly one seal, however many write and seal at once', async (t) => {
  const { sql, url } = await testDatabase(t)
  const { wallets, posting } = await openBooks(sql, { wallets: 12 })
  const sealerPools = [1, 2].map(() => connect(url, { maxConnections: 2 }))
  t.after(() => Promise.all(sealerPools.map((pool) => pool.end({ timeout: 1 }))))
  const sealers = sealerPools.map((pool) => sealerOn(pool, { entriesPerSeal: 7 }))
  let isOver = false
  let passes = 0
  const sealing = sealers.map(async (sealer) => {
    while (!isOver) {
      await sealer.pass()
      passes++
    }
  })
  const rounds = 25
  await Promise.all(
    wallets.map(async (wallet, turn) => {
      for (let round = 0; round < rounds; round++) {
        const postings = Array.from({ length: 1 + ((turn + round) % 4) }, () =>
          posting(transfer(wallet, 'funding', 'wallet', 1n)),
        )
        // Some take their number early and commit late, and some are undone.
        if (round % 5 !== 0) await postTransfers(sql, postings)
        else await slowly(sql, postings, round % 2 === 0)
      }
    }),
  )
  isOver = true
  await Promise.all(sealing)
  await sealAll(sql, sealers[0]!)
  const [count] = await sql<{ transfers: number; sealed: number; times: number }[]>`
    select count(*)::int as transfers, count(s.number)::int as sealed,
      count(distinct (t.slot, t.transaction_id, t.step))::int as times
    from transfers t left join ledger_seals s
      on t.position >= s.from_position and t.position < s.to_position`
  assert.deepEqual([count!.sealed, count!.times], [count!.transfers, count!.transfers])
  const { verified, unsealed, problems, seals } = await verify(sql)
  assert.deepEqual([verified, unsealed, problems], [count!.transfers, 0, []])
  assert.ok(seals > 5, `${seals} seals`)
  t.diagnostic(`${count!.transfers} transfers under ${seals} seals, ${passes} passes`)
})

async function slowly(db: Db, postings: Parameters<typeof postTransfers>[1], isUndone: boolean) {
  const done = db.begin(async (tx) => {
    await postTransfers(tx, postings)
    await tx`select pg_sleep(0.01)`
    if (isUndone) throw new Error('undone')
  })
  await done.catch((error: Error) => assert.equal(error.message, 'undone'))
}

test('rows from before there were seals are sealed too', async (t) => {
  const { sql } = await testDatabase(t)
  const { fund, wallets } = await openBooks(sql)
  for (let i = 0; i < 5; i++) await fund(wallets[0]!, 1n)
  await asAdministrator(sql, 'update transfers set position = 0')
  await fund(wallets[0]!, 1n)
  await sealAll(sql, sealerOn(sql, { entriesPerSeal: 2 }))
  const { seals, verified, problems } = await verify(sql)
  assert.deepEqual([seals, verified, problems], [2, 6, []])
})

test('a column that is added later breaks no seal, and is covered from then on', async (t) => {
  const { sql } = await testDatabase(t)
  const { sealer, fund, wallet } = await sealedBooks(sql, { transfers: 2 })
  await sql`alter table transfers add column note text not null default 'none'`
  await fund(wallet, 3n)
  await sealAll(sql, sealer)
  assert.deepEqual((await verify(sql)).problems, [])
  await asAdministrator(sql, "update transfers set note = 'x' where amount = 3")
  assert.deepEqual(findings(await verify(sql)), [
    '3: covers 1 transfers, of which at least one was changed',
  ])
})

test('on a server that counts from the start again, positions go on growing', async (t) => {
  const { sql } = await testDatabase(t)
  const { sealer, fund, wallet } = await sealedBooks(sql, { transfers: 3 })
  const plain = 'pg_current_xact_id()::text::bigint'
  const setDefault = (expression: string) =>
    sql.unsafe(`alter table transfers alter column position set default ${expression}`)
  // As if all had happened on a server far ahead of this one, and a dump of it was loaded here.
  await setDefault(`${plain} + 5000000000`)
  await fund(wallet, 4n)
  await sealAll(sql, sealer)
  await fund(wallet, 5n)
  await setDefault(plain)
  const before = (await lastSeal(sql, ledgerBook))!
  assert.ok(before.toPosition > 5_000_000_000n)
  assert.ok((await readFrontier(sql, ledgerBook)).finished < before.toPosition)
  const offsets = await Promise.all([1, 2, 3].map(() => keepPositionsGrowing(sql, ledgerBook)))
  assert.equal(offsets.filter((offset) => offset !== undefined).length, 1, 'one of them moved it')
  await fund(wallet, 6n)
  const rows = await sql<{ amount: bigint }[]>`select amount from transfers order by position`
  assert.deepEqual(
    rows.map(({ amount }) => amount),
    [1n, 2n, 3n, 4n, 5n, 6n],
  )
  await sealAll(sql, sealer)
  const { verified, unsealed, problems } = await verify(sql)
  assert.deepEqual([verified, unsealed, problems], [6, 0, []])
  assert.equal(await keepPositionsGrowing(sql, ledgerBook), undefined)
})

test('a pass moves the positions by itself, and the log tells of it and of the head', async (t) => {
  const { sql } = await testDatabase(t)
  const { fund, wallets } = await openBooks(sql)
  const lines: string[] = []
  const log = createLogTo({ write: (line) => void lines.push(line) }, 'info')
  await fund(wallets[0]!, 1n)
  await asAdministrator(sql, 'update transfers set position = position + 7000000000')
  await sealerOn(sql, { log }).pass()
  assert.equal((await verify(sql)).verified, 1)
  const told = lines.map((line) => JSON.parse(line) as { msg: string; head?: string })
  assert.match(told[0]!.msg, /positions go on/)
  const head = told.find(({ msg }) => msg === 'sealed')?.head
  assert.equal(head, headText((await verify(sql)).head!))
})

test('after a change of the master key old seals verify without the old key', async (t) => {
  const { sql } = await testDatabase(t)
  const { fund, wallet } = await sealedBooks(sql, { transfers: 2 })
  const rotated = [Buffer.alloc(32, 9), ...masterKeys]
  const seal = createSeal(rotated)
  await fund(wallet, 3n)
  await sealAll(sql, sealerOn(sql, { seal, masterKeys: () => rotated }))
  const [old] = await sql<{ sealed: Buffer }[]>`
    select secret_sealed as sealed from sealing_keys order by created_at limit 1`
  const anew = seal.seal(masterSeal.open(old!.sealed, 'sealing key'), 'sealing key')
  await sql`update sealing_keys set secret_sealed = ${anew} where secret_sealed = ${old!.sealed}`
  const onlyNew = rotated.slice(0, 1)
  const keys = await loadSealingKeys(sql, createSeal(onlyNew), onlyNew)
  const { verified, problems } = await verifyBook(sql, ledgerBook, keys)
  assert.deepEqual([verified, problems], [3, []])
})

test('a sealer that runs stops when a seal it has seen is gone', async (t) => {
  const { sql } = await testDatabase(t)
  const { sealer, fund, wallet } = await sealedBooks(sql, { transfers: 3 })
  await asAdministrator(sql, 'delete from ledger_seals where number = 3')
  await fund(wallet, 1n)
  await assert.rejects(sealer.pass(), /tampered with: 3:[0-9a-f]{64} is gone/)
})

test('the audit log is sealed and verified in the same way', async (t) => {
  const { sql } = await testDatabase(t)
  const ids = createIds(systemClock)
  for (const action of ['one', 'two', 'three']) {
    await audit(sql, ids, { actor: 'cli:test', action, subject: 'x', detail: { action } })
  }
  await sealAll(sql, sealerOn(sql, { entriesPerSeal: 1 }))
  const right = await verify(sql, auditBook)
  assert.deepEqual([right.seals, right.verified, right.problems], [3, 3, []])
  await asAdministrator(sql, `update audit_log set detail = '{"action": "2"}' where action = 'two'`)
  assert.deepEqual(findings(await verify(sql, auditBook)), [
    '2: covers 1 audit entries, of which at least one was changed',
  ])
  await asAdministrator(sql, "delete from audit_log where action = 'two'")
  assert.deepEqual(findings(await verify(sql, auditBook)), [
    '2: covers 1 audit entries, and 0 are there: 1 were removed',
  ])
})
