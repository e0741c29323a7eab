import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, makeMerchant, startLoneNode } from '../../../test/app-harness.ts'
import { fileOf, longFile } from '../../../test/batches.ts'
import { signInAs, type Visitor } from '../../../test/dashboard.ts'
import { batchRoutes } from './batch-routes.ts'

const node = await startLoneNode({ after })
const shop = await makeMerchant(node.db)
const owner = await signInAs(node, shop, 'owner')
const finance = await signInAs(node, shop, 'finance')
const path = '/sandbox/batches'

type Shown = Record<string, unknown> & { id: string; state: string }
const dataOf = ({ status, text, body }: Answer): Shown => {
  assert.equal(status, 200, text)
  return body.data as Shown
}
const create = async (csv: string, visitor: Visitor = finance) =>
  dataOf(await visitor.call('POST', path, { name: 'Salaries', csv }))

test('a person uploads, looks, submits, and saves the result', async () => {
  const draft = await create(
    fileOf([
      ['one', '1234.5', '000'],
      ['two', 'many', '000'],
    ]),
  )
  assert.deepEqual(draft.errors, [
    { line: 3, column: 'amount', message: 'amount must be a number.' },
  ])
  const { errors: _, ...shown } = draft
  assert.deepEqual(dataOf(await owner.call('GET', `${path}/${draft.id}`)), shown)
  assert.deepEqual(shown.totals, [{ currency: 'KES', count: 1, amount: '1234.50' }])
  assert.deepEqual(shown.progress, {
    ...{ accepted: 0, refused: 0, successful: 0, failed: 0, pending: 0 },
  })
  const { status, body } = await finance.call('POST', `${path}/${draft.id}/submit`, {
    skipInvalid: false,
  })
  assert.deepEqual([status, body.errorCode], [422, 'BATCH_HAS_ERRORS'])
  const submitted = await finance.call('POST', `${path}/${draft.id}/submit`, { skipInvalid: true })
  assert.equal(dataOf(submitted).state, 'running')
  await node.batches.step()
  const lines = await owner.call('GET', `${path}/${draft.id}/lines?state=accepted`)
  const [line] = lines.body.data as Shown[]
  const { transactionId, ...rest } = line!
  assert.match(String(transactionId), /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    ...{ line: 2, reference: 'one', amount: '1234.50', currency: 'KES' },
    ...{ accountName: 'Amina Otieno', accountNumber: '+254700000000' },
    ...{ state: 'accepted', errors: [], status: 'pending', failureReason: null },
  })
  const result = await owner.call('GET', `${path}/${draft.id}/result.csv`)
  assert.equal(result.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(String(result.headers['content-disposition']), /attachment; filename="batch-/)
  assert.match(result.text, /\r\n3,two,many,KES,.*,invalid,,amount must be a number\.\r\n$/)
})

test('the template is a file to save', async () => {
  const { status, text } = await owner.call('GET', `${path}/template.csv`)
  assert.equal(status, 200)
  assert.match(text, /^reference,amount,currency,country,destination,accountName,accountNumber,/)
})

test('a batch above the limit waits for a person who did not make it', async (t) => {
  const { id: accountId } = shop.sandbox.account
  const limit = (limits: object) =>
    node.db`update accounts set approval_limits = ${node.db.json(limits)} where id = ${accountId}`
  await limit({ KES: '5' })
  t.after(async () => void (await limit({})))
  const { id, needsApproval } = await create(longFile(1, 'approve'))
  assert.equal(needsApproval, true)
  const asked = await finance.call('POST', `${path}/${id}/submit`, { skipInvalid: false })
  assert.equal(dataOf(asked).state, 'waiting_for_approval')
  const own = await finance.call('POST', `${path}/${id}/approve`)
  assert.deepEqual([own.status, own.body.errorCode], [403, 'APPROVAL_BY_ANOTHER'])
  const approved = dataOf(await owner.call('POST', `${path}/${id}/approve`))
  assert.equal(approved.state, 'running')
  assert.equal((approved.approvedBy as Shown).id, owner.personId)
  const late = await owner.call('POST', `${path}/${id}/cancel`)
  assert.deepEqual([late.status, late.body.errorCode], [409, 'BATCH_STATE'])
})

test('pages of batches and lines meet without gap or repeat', async () => {
  const stranger = await makeMerchant(node.db)
  const visitor = await signInAs(node, stranger, 'owner')
  const made = [await create(longFile(5, 'p1'), visitor), await create(longFile(5, 'p2'), visitor)]
  const first = await visitor.call('GET', `${path}?limit=1`)
  const second = await visitor.call('GET', `${path}?limit=1&after=${first.body.next}`)
  const third = await visitor.call('GET', `${path}?limit=1&after=${second.body.next}`)
  const idsIn = ({ body }: Answer) => (body.data as Shown[]).map(({ id }) => id)
  assert.deepEqual([...idsIn(first), ...idsIn(second)], [made[1]!.id, made[0]!.id])
  assert.deepEqual([third.body.data, third.body.next], [[], null])
  const linesIn = async (query: string) => {
    const { body } = await visitor.call('GET', `${path}/${made[0]!.id}/lines?${query}`)
    return [(body.data as { line: number }[]).map(({ line }) => line), body.next]
  }
  assert.deepEqual(await linesIn('limit=3'), [[2, 3, 4], '4'])
  assert.deepEqual(await linesIn('limit=3&after=4'), [[5, 6], null])
})

test('who may only look cannot pay, and a stranger or the other side sees nothing', async () => {
  const { id } = await create(longFile(1, 'mine'))
  const changes = batchRoutes.filter(({ method }) => method === 'POST')
  assert.equal(changes.length, 4)
  const bodies: Record<string, object> = {
    createBatch: { name: 'x', csv: longFile(1) },
    submitBatch: { skipInvalid: true },
  }
  for (const role of ['viewer', 'developer'] as const) {
    const visitor = await signInAs(node, shop, role)
    for (const { path: route, about } of changes) {
      const place = `/sandbox${route.replace(':id', id)}`
      const { status, body } = await visitor.call('POST', place, bodies[about.id])
      assert.deepEqual([status, body.errorCode], [403, 'FORBIDDEN'], about.id)
    }
    assert.equal((await visitor.call('GET', `${path}/${id}`)).status, 200)
  }
  const stranger = await signInAs(node, await makeMerchant(node.db), 'owner')
  for (const [visitor, side] of [
    [stranger, 'sandbox'],
    [stranger, 'live'],
    [owner, 'live'],
  ] as const) {
    for (const { method, path: route, about } of batchRoutes) {
      if (!route.includes(':id')) continue
      const place = `/${side}${route.replace(':id', id)}`
      const { status, body } = await visitor.call(method, place, bodies[about.id])
      assert.deepEqual([status, body.errorCode], [404, 'BATCH_NOT_FOUND'], about.id)
    }
    const { body } = await visitor.call('GET', `/${side}/batches`)
    assert.deepEqual(body.data, [])
  }
  assert.equal(dataOf(await owner.call('GET', `${path}/${id}`)).state, 'draft')
})

test('a file of 10,000 lines and several megabytes is taken', async () => {
  const name = 'N'.repeat(200)
  const header = 'amount,currency,country,destination,accountName,accountNumber'
  const lines = Array.from({ length: 10_000 }, () => `10,KES,KE,MoMo,"${name}",0700000000`)
  const { valid, errors } = await create([header, ...lines].join('\r\n'))
  assert.deepEqual([valid, errors], [10_000, []])
})
