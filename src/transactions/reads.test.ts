import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLoneNode } from '../../test/app-harness.ts'
import { openShop } from '../../test/transactions.ts'
import { listTransactions } from './list.ts'

const node = await startLoneNode({ after })
const { reads } = node

test('what is asked at the same time is answered each to its own, and nobody else’s', async () => {
  const shops = await Promise.all(Array.from({ length: 12 }, () => openShop(node)))
  const made = await Promise.all(
    shops.map(async (shop) => [
      await shop.add({ external_reference: 'the-same' }),
      await shop.add({ external_reference: 'another' }),
    ]),
  )
  const answers = await Promise.all(
    shops.map(async ({ owner }, index) => {
      const [own, foreign] = [made[index]!, made[(index + 1) % shops.length]!]
      return await Promise.all([
        reads.byId(owner, own[0]!),
        reads.byId(owner, foreign[0]!),
        reads.byReference(owner, 'the-same'),
        reads.byReference(owner, 'nobody has this'),
        listTransactions(reads, owner, { limit: 10 }),
        listTransactions(reads, owner, { limit: 10, after: own[1]! }),
        listTransactions(reads, owner, { limit: 10, after: foreign[1]! }).catch(
          ({ code }: { code: string }) => code,
        ),
      ])
    }),
  )
  answers.forEach(([byId, byForeignId, byReference, byNothing, page, rest, foreign], index) => {
    const [first, second] = made[index]!
    assert.equal(byId?.id, first)
    assert.equal(byForeignId, undefined)
    assert.equal(byReference?.id, first)
    assert.equal(byNothing, undefined)
    assert.deepEqual(
      [page, rest].map((records) => records.map(({ id }) => id)),
      [[second, first], [first]],
    )
    assert.equal(foreign, 'VALIDATION_ERROR')
  })
})

test('one question the database refuses leaves the others their answers', async () => {
  const shop = await openShop(node)
  const id = await shop.add()
  const wrong = reads.newest(shop.owner, { from: 'no id', to: 'no id' })
  const right = reads.newest(shop.owner, { from: id, to: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })
  await assert.rejects(wrong, /invalid input syntax/)
  assert.deepEqual(
    (await right).map((record) => record.id),
    [id],
  )
})
