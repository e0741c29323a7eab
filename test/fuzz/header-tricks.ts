import { gzipSync } from 'node:zlib'
import type { Random } from '../simulate/random.ts'
import type { Message } from './message.ts'

type Trick = (message: Message, random: Random) => Partial<Message>

const isNamed = (name: string) => (line: string) => line.toLowerCase().startsWith(`${name}:`)
const without = (headers: string[], name: string) => headers.filter((each) => !isNamed(name)(each))
const linesOf = (headers: string[], name: string) => headers.filter(isNamed(name))

const add =
  (...lines: string[]): Trick =>
  ({ headers }) => ({ headers: [...headers, ...lines] })
const addOne =
  (...lines: string[]): Trick =>
  ({ headers }, random) => ({ headers: [...headers, random.pick(lines)] })
const put =
  (name: string, ...values: string[]): Trick =>
  ({ headers }, random) => ({
    headers: [...without(headers, name), `${name}: ${random.pick(values)}`],
  })
const doubled =
  (name: string, other: string): Trick =>
  ({ headers }, random) => ({
    headers: random.chance(0.5)
      ? [...headers, `${name}: ${other}`]
      : [`${name}: ${other}`, ...headers],
  })

/** A body in chunks, as the size lines say. */
const chunked =
  (write: (body: Buffer) => string, faults: Partial<Message> = {}): Trick =>
  ({ headers, body }) => ({
    headers: [...without(headers, 'content-length'), 'transfer-encoding: chunked'],
    body: Buffer.from(write(body), 'latin1'),
    ...faults,
  })

const text = (body: Buffer) => body.toString('latin1')
const sized = (body: Buffer) => `${body.length.toString(16)}\r\n${text(body)}\r\n`
const cutShort = { mayHangUp: true }
const smuggled = '0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'

/** Ways to say a header that is missing, doubled, too long, contradicted or no header at all. */
const tricks: Readonly<Record<string, Trick>> = {
  'two content types': doubled('content-type', 'text/plain'),
  'another content type': put(
    'content-type',
    ...['text/plain', 'application/xml', 'multipart/form-data', 'application/json; charset=utf-16'],
    ...['application/x-www-form-urlencoded', 'application/json;;;', 'json', '*/*', '', '\u00ff'],
    ...['application/jsonx', 'APPLICATION/JSON', 'application/json, text/plain', 'a/b'],
  ),
  'no content type': ({ headers }) => ({ headers: without(headers, 'content-type') }),
  'a packed body': ({ headers, body }) => {
    const packed = gzipSync(body)
    return {
      headers: [
        ...without(headers, 'content-length'),
        ...['content-encoding: gzip', `content-length: ${packed.length}`],
      ],
      body: packed,
    }
  },
  'two authorizations': doubled('authorization', 'Bearer none'),
  'another scheme': put(
    'authorization',
    'Basic YTpi',
    'Bearer',
    'Bearer  ',
    'bearer a b',
    'Digest',
  ),
  'a token that is none': put(
    'authorization',
    ...[
      'Bearer null',
      'Bearer ..',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      `Bearer ${'a'.repeat(5000)}`,
    ],
    ...['Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.', 'Bearer {}.{}.{}', 'Bearer \u00e9'],
  ),
  'a token in every case': ({ headers }) => ({
    headers: headers.map((line) => line.replace(/^authorization: Bearer/, 'AUTHORIZATION: bEARER')),
  }),
  'a cookie that is none': put(
    'cookie',
    ...['malipo_session=', 'malipo_session=;malipo_session=a', '=', ';;;', 'a'.repeat(4000)],
    ...['malipo_session=%00', `malipo_session=${'A'.repeat(43)}`, 'malipo_session=%zz', '\u00ff=1'],
  ),
  'two cookies': doubled('cookie', 'malipo_session=other'),
  'another origin': addOne(
    'origin: null',
    'origin: https://evil.example',
    'origin: \u00ff',
    'origin:',
  ),
  'no csrf token': ({ headers }) => ({ headers: without(headers, 'x-csrf-token') }),
  'two csrf tokens': doubled('x-csrf-token', 'other'),
  'no host': ({ headers }) => ({ headers: without(headers, 'host') }),
  'an odd host': put('host', '', 'evil.example', 'localhost:99999', '[::1', 'a b', '\u00ff', '@'),
  'two hosts': doubled('host', 'evil.example'),
  'a huge header': add(`x-huge: ${'h'.repeat(20_000)}`),
  'a long header': add(`x-long: ${'h'.repeat(12_000)}`),
  'many headers': add(...Array.from({ length: 900 }, (_, at) => `x-${at}: 1`)),
  'far too many headers': add(...Array.from({ length: 4000 }, (_, at) => `x-${at}: 1`)),
  'a folded header': add('x-folded: one', ' two', '\tthree'),
  'a folded token': ({ headers }) => ({
    headers: headers.flatMap((line) =>
      isNamed('authorization')(line) ? [line.slice(0, 21), ` ${line.slice(21)}`] : [line],
    ),
  }),
  'a name with a space': add('x bad: 1'),
  'a space before the colon': add('x-bad : 1'),
  'no name': add(': 1'),
  'no colon': add('nothing'),
  'a zero': add('x-zero: a\u0000b'),
  'a bare line feed': add('x-feed: a\nx-more: b'),
  'a bare return': add('x-return: a\rb'),
  'bytes above': add('x-bytes: \u0080\u00ff\u00fe'),
  'prototype names': add('__proto__: 1', 'constructor: 1', 'hasownproperty: 1', 'tostring: 1'),
  'an odd request id': put(
    'x-request-id',
    ...['', 'a'.repeat(65), 'a b', '<b>', '\u00ff', 'ok-1', '../..', '__proto__', "'; --"],
  ),
  'two request ids': add('x-request-id: one', 'x-request-id: two'),
  'an odd key': put('idempotency-key', '', 'k'.repeat(300), '\u00ff', '__proto__', '\u00e9', "'"),
  'two keys': add('idempotency-key: one', 'idempotency-key: two'),
  'a proxy that nobody trusts': add(
    ...['x-forwarded-for: 10.0.0.1, evil', 'x-forwarded-host: evil.example', 'x-real-ip: ::1'],
    ...[
      'x-forwarded-proto: javascript',
      'forwarded: for="_x";proto=http',
      'x-original-url: /metrics',
    ],
  ),
  'another method in a header': add('x-http-method-override: DELETE', 'x-method-override: PUT'),
  'something kept': addOne('if-none-match: *', 'if-none-match: "x", W/"y"', 'if-none-match: ,,,'),
  'a range': add('range: bytes=0-1,2-3,-9', 'if-modified-since: never'),
  'what it accepts': addOne(
    'accept: text/html',
    'accept: */*;q=9',
    'accept:',
    'accept-encoding: x',
  ),
  'wants to go on': add('expect: 100-continue'),
  'expects the impossible': add('expect: 200-ok'),
  'an upgrade': add('connection: upgrade', 'upgrade: websocket', 'sec-websocket-key: x'),
  'an upgrade to HTTP/2': add(
    'connection: upgrade, http2-settings',
    'upgrade: h2c',
    'http2-settings: x',
  ),
  'an odd connection': addOne('connection: close, authorization', 'connection: x', 'connection:'),
  'a body too short': ({ headers, body }) => ({
    headers: [...without(headers, 'content-length'), `content-length: ${body.length + 50}`],
    ...cutShort,
  }),
  'a body too long': ({ headers, body }) => ({
    headers: [...without(headers, 'content-length'), `content-length: ${body.length >> 1}`],
  }),
  'an odd length': (message, random) => ({
    ...put(
      'content-length',
      '-1',
      '+5',
      '0x10',
      '1e3',
      '',
      '5, 5',
      '9'.repeat(30),
      '٣',
    )(...([message, random] as const)),
    ...cutShort,
  }),
  'a length of a giant': (message, random) => ({
    ...put('content-length', '1048577', '99999999999')(message, random),
    ...cutShort,
  }),
  'two lengths': (message) => ({
    headers: [...message.headers, 'content-length: 7', 'content-length: 8'],
    ...{ mustRefuse: true, ...cutShort },
  }),
  'a length and chunks': ({ headers }) => ({
    headers: [
      ...without(headers, 'content-length'),
      'content-length: 5',
      'transfer-encoding: chunked',
    ],
    ...{ body: Buffer.from(smuggled), mustRefuse: true, ...cutShort },
  }),
  chunks: chunked((body) => `${sized(body)}0\r\n\r\n`),
  'chunks with more': chunked((body) => `${sized(body)}0\r\nx-trailer: 1\r\n\r\n`),
  'chunks with remarks': chunked(
    (body) => `${body.length.toString(16)};a=b\r\n${text(body)}\r\n0\r\n\r\n`,
  ),
  'chunks of garbage': chunked(() => 'zz\r\ngarbage\r\n', cutShort),
  'chunks of a giant': chunked(() => 'fffffffffffffffff\r\nx\r\n', cutShort),
  'chunks without an end': chunked(sized, cutShort),
  'an odd encoding': (message, random) => ({
    ...put(
      'transfer-encoding',
      'gzip',
      'chunked, chunked',
      'xchunked',
      ' chunked',
      'identity',
      '',
    )(...([message, random] as const)),
    ...cutShort,
  }),
  'an old version': () => ({ version: 'HTTP/1.0' }),
  'an odd version': (_message, random) => ({
    version: random.pick(['HTTP/2.0', 'HTTP/0.9', 'HTTP/9.9', 'HTP/1.1', 'HTTP/1.1 x', '']),
    ...cutShort,
  }),
  'another method': (_message, random) => ({
    method: random.pick(['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'POST', 'GET']),
  }),
  'a rare method': (_message, random) => ({
    method: random.pick(['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'LOCK', 'M-SEARCH', 'REPORT']),
  }),
  'a method that is none': (_message, random) => ({
    method: random.pick(['get', 'GETT', '', '__proto__', 'G\u0000T', 'X'.repeat(3000)]),
    ...cutShort,
  }),
  'a tunnel': () => ({ method: 'CONNECT', target: 'evil.example:443', ...cutShort }),
  'another protocol': () => ({ method: 'PRI', target: '*', version: 'HTTP/2.0', ...cutShort }),
  'headers twice': ({ headers }) => ({
    headers: [...headers, ...linesOf(headers, 'content-type')],
  }),
}

const names = Object.keys(tricks)

export function trickHeaders(
  message: Message,
  random: Random,
): { trick: string; message: Message } {
  const trick = random.pick(names)
  return { trick, message: { ...message, ...tricks[trick]!(message, random) } }
}
