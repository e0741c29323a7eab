/** A request as it goes over the wire, line by line, so that every line can be wrong. */
export type Message = {
  method: string
  target: string
  version: string
  headers: string[]
  body: Buffer
  /** It is not whole: a service that waits for the rest and then hangs up is right. */
  mayHangUp: boolean
  /** A service that reads it at all could be made to read a second one out of it. */
  mustRefuse: boolean
}

export function bytesOf({ method, target, version, headers, body }: Message): Buffer {
  const head = [`${method} ${target} ${version}`, ...headers].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body])
}
