import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import { isLoopbackAddress, isPublicAddress } from '../merchants/networks.ts'

/** The address a URL led to is one that events must not be sent to. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'
  constructor() {
    super('The URL leads to an address that events are not sent to.')
  }
}

export type AddressRule = { allowLoopback: boolean }
type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const connectTimeoutMs = 10_000

/**
 * Connects to public addresses only. It is the address that is about to be connected to which is
 * judged: a name that led elsewhere when it was checked at the setting gains nothing.
 */
export function guardedConnector(
  rule: AddressRule,
  resolve: Resolve = lookup,
  further: buildConnector.BuildOptions = {} as buildConnector.BuildOptions,
): buildConnector.connector {
  const connectors = new Map(
    ['http:', 'https:'].map((protocol) => [
      protocol,
      buildConnector({
        ...further,
        timeout: connectTimeoutMs,
        allowH2: false,
        lookup: guardedLookup((address) => isAllowed(rule, protocol, address), resolve),
      } as buildConnector.BuildOptions),
    ]),
  )
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    const connect = connectors.get(options.protocol)
    // A host that is an address is never looked up.
    if (!connect || (isIP(host) !== 0 && !isAllowed(rule, options.protocol, host))) {
      callback(new AddressRefused(), null)
      return
    }
    connect(options, callback)
  }
}

/** Without encryption nothing leaves this machine. */
function isAllowed({ allowLoopback }: AddressRule, protocol: string, address: string): boolean {
  if (allowLoopback && isLoopbackAddress(address)) return true
  return protocol === 'https:' && isPublicAddress(address)
}

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void

function guardedLookup(allows: (address: string) => boolean, resolve: Resolve) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      const allowed = addresses.filter(({ address }) => allows(address))
      const first = allowed[0]
      if (first === undefined) return callback(new AddressRefused(), '')
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
