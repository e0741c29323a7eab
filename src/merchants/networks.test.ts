import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowsAddress, isLoopbackAddress, isPublicAddress } from './networks.ts'

test('an empty list allows every address', () => {
  for (const address of ['203.0.113.9', '::1', 'unknown']) {
    assert.equal(allowsAddress([], address), true)
  }
})

test('an address is allowed by a network it lies in, however it is written', () => {
  const networks = ['203.0.113.0/24', '198.51.100.7/32', '192.0.2.1', '2001:db8:7::/48']
  const inside = [
    '203.0.113.255',
    '::ffff:203.0.113.9',
    '::ffff:cb00:7109',
    '198.51.100.7',
    '192.0.2.1',
    '2001:db8:7::1',
    '2001:0DB8:0007:0::1',
  ]
  const outside = [
    '203.0.114.0',
    '::ffff:203.0.114.9',
    '198.51.100.8',
    '192.0.2.2',
    '2001:db8:8::1',
    '::203.0.113.9',
    '::1',
  ]
  for (const address of inside) assert.equal(allowsAddress(networks, address), true, address)
  for (const address of outside) assert.equal(allowsAddress(networks, address), false, address)
})

test('what is no address is in no network', () => {
  for (const address of ['', 'unknown', '203.0.113.9:443', '203.0.113', 'localhost', '::ffff:']) {
    assert.equal(allowsAddress(['0.0.0.0/0', '::/0'], address), false, address)
    assert.equal(isPublicAddress(address), false, address)
    assert.equal(isLoopbackAddress(address), false, address)
  }
})

test('public addresses are public', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '196.201.214.200', '2a00:1450:4001::1']) {
    assert.equal(isPublicAddress(address), true, address)
  }
  assert.equal(isPublicAddress('::ffff:8.8.8.8'), true)
})

test('no private, shared, link-local, reserved or loopback address passes for public', () => {
  const addresses = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::ffff:10.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
  ]
  for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
})

test('loopback is recognised in both families', () => {
  for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1']) {
    assert.equal(isLoopbackAddress(address), true, address)
  }
  for (const address of ['126.0.0.1', '::2', '::ffff:128.0.0.1']) {
    assert.equal(isLoopbackAddress(address), false, address)
  }
})
