import { BlockList, isIP, isIPv6 } from 'node:net'

/** Whether an address lies in one of the networks; an empty list allows every address. */
export function allowsAddress(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return true
  // The zone of a link-local address names an interface of this machine, not a place.
  const plain = address.replace(/%.*$/, '')
  // It also finds an IPv4 address in the IPv6 form that sockets for both families show.
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    const family = isIPv6(base) ? 'ipv6' : 'ipv4'
    list.addSubnet(base, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}

/** Networks that are not the public Internet: private, shared, link-local, reserved, multicast. */
const notPublic = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]

export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !allowsAddress(notPublic, address)
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && allowsAddress(['127.0.0.0/8', '::1/128'], address)
}
