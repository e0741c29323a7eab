import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { test } from 'node:test'
import { AddressRefused, type AddressRule, guardedConnector } from './addresses.ts'

/** Where a connection would be made to; the error where it is not. */
function connectTo(
  rule: AddressRule,
  { protocol = 'https:', hostname = 'shop.example', leadsTo = [] as string[] },
): Promise<Error | null> {
  const resolve = (
    _hostname: string,
    _options: unknown,
    callback: (error: null, addresses: LookupAddress[]) => void,
  ) =>
    callback(
      null,
      leadsTo.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  const connect = guardedConnector(rule, resolve)
  return new Promise((settle) => {
    connect({ protocol, hostname, port: '1' }, (error, socket) => {
      socket?.destroy()
      settle(error)
    })
  })
}

const live = { allowLoopback: false }
const sandbox = { allowLoopback: true }

test('private, loopback, link-local and mapped addresses are refused, given or looked up', async () => {
  const addresses = [
    ...['127.0.0.1', '10.0.0.7', '192.168.1.1', '172.16.0.1', '169.254.169.254', '0.0.0.0'],
    ...['::1', 'fe80::1', 'fd00::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '100.64.0.1'],
  ]
  for (const address of addresses) {
    const given = address.includes(':') ? `[${address}]` : address
    assert.ok((await connectTo(live, { hostname: given })) instanceof AddressRefused, address)
    const found = await connectTo(live, { leadsTo: [address] })
    assert.ok(found instanceof AddressRefused, `${address}, looked up`)
  }
})

test('the sandbox may reach this machine where that is allowed, and nothing else that is private', async () => {
  const here = await connectTo(sandbox, { protocol: 'http:', leadsTo: ['127.0.0.1'] })
  assert.ok(!(here instanceof AddressRefused))
  const private_ = await connectTo(sandbox, { leadsTo: ['10.0.0.7'] })
  assert.ok(private_ instanceof AddressRefused)
})

test('nothing leaves the machine without encryption', async () => {
  for (const rule of [live, sandbox]) {
    const error = await connectTo(rule, { protocol: 'http:', leadsTo: ['8.8.8.8'] })
    assert.ok(error instanceof AddressRefused)
    const given = await connectTo(rule, { protocol: 'http:', hostname: '8.8.8.8' })
    assert.ok(given instanceof AddressRefused)
  }
})
