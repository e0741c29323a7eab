import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { makeMerchant, startLoneNode } from '../../../test/app-harness.ts'
import { signInAs } from '../../../test/dashboard.ts'
import { addEvents } from '../../../test/events.ts'
import { waitFor } from '../../../test/harness.ts'

const node = await startLoneNode({ after })

function gather(stream: NodeJS.ReadableStream): { text: string } {
  const gathered = { text: '' }
  stream.on('data', (piece) => {
    gathered.text += String(piece)
  })
  return gathered
}

const countOf = (text: string, what: string) => text.split(what).length - 1

test('a listener hears of its own account once, and of no other', async () => {
  const [mine, other] = [await makeMerchant(node.db), await makeMerchant(node.db)]
  const follow = ({ account }: typeof mine.sandbox, personId: string) =>
    node.live.follow({ accountId: account.id, slot: account.slot, personId })
  const streams = [follow(mine.sandbox, 'a'), follow(other.sandbox, 'b')] as const
  const [own, foreign] = [gather(streams[0]), gather(streams[1])]
  const events = await addEvents(node.db, node.ids, mine.sandbox.account, { transactions: 3 })
  await waitFor(() => countOf(own.text, 'event: transaction') >= 3)
  // Two more looks, which must not tell it again.
  await new Promise((resolve) => setTimeout(resolve, 1200))
  assert.equal(countOf(own.text, 'event: transaction'), events.length)
  assert.equal(countOf(foreign.text, 'event: transaction'), 0)
  assert.match(own.text, /^event: ping/)
  const [, first] = /event: transaction\ndata: (.*)\n/.exec(own.text)!
  assert.deepEqual(Object.keys(JSON.parse(first!)), ['id', 'kind', 'status', 'sequence'])
  for (const stream of streams) stream.destroy()
})

test('one person has so many streams at most: the oldest makes room', async () => {
  const { sandbox } = await makeMerchant(node.db)
  const { id: accountId, slot } = sandbox.account
  const listener = { accountId, slot, personId: 'many' }
  const first = node.live.follow(listener)
  first.resume()
  const ended = once(first, 'end')
  const others = Array.from({ length: 12 }, () => node.live.follow(listener))
  await ended
  for (const stream of others) stream.destroy()
})

test('a browser gets a stream of events, and a stop of the service ends it', async (t) => {
  const own = await startLoneNode(t)
  const merchant = await makeMerchant(own.db)
  const visitor = await signInAs(own, merchant, 'viewer')
  const address = await own.server.listen({ port: 0, host: '127.0.0.1' })
  const answer = await fetch(`${address}/dashboard/sandbox/events`, {
    headers: { cookie: visitor.cookie },
  })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type')!, /^text\/event-stream/)
  assert.equal(answer.headers.get('content-disposition'), null)
  const reader = answer.body!.getReader()
  const { value } = await reader.read()
  assert.match(new TextDecoder().decode(value), /event: ping/)
  const closing = own.server.close()
  while (!(await reader.read()).done);
  await closing
})
