import type { Random } from '../simulate/random.ts'

const long = 'x'.repeat(300)
const veryLong = 'y'.repeat(9000)

/** Ways to write a path that is nearly the right one. */
const tricks: Readonly<Record<string, (path: string, random: Random) => string>> = {
  'dots as escapes': (path) => path.replace(/\/([^/]*)$/, '/%2e%2e/$1'),
  'a way back': (path) => path.replace(/\/([^/]*)$/, '/x/../$1'),
  'a dot': (path) => path.replace(/\/([^/]*)$/, '/./$1'),
  'up and away': () => '/assets/..%2f..%2f..%2fetc/passwd',
  'up in plain': () => '/docs/static/../../../../package.json',
  'back slashes': (path) => path.replaceAll('/', '\\'),
  'an escaped slash': (path) => path.replace(/\/([^/]*)$/, '%2f$1'),
  'escaped twice': (path) => path.replace(/\/([^/]*)$/, '%252f$1'),
  'a zero': (path) => `${path}%00`,
  'a zero and an ending': (path) => `${path}%00.json`,
  'double slashes': (path) => path.replaceAll('/', '//'),
  'a slash at the end': (path) => `${path}/`,
  'dots at the end': (path, random) => path + random.pick(['.', '..', '/.', '/..', '...']),
  'a space at the end': (path) => `${path}%20`,
  'mixed case': (path) =>
    path.replaceAll(/[a-z]/g, (one, at) => (at % 2 ? one.toUpperCase() : one)),
  'all in capitals': (path) => path.toUpperCase(),
  'very long': (path) => `${path}/${veryLong}`,
  'a long part': (path) => path.replace(/[^/]*$/, long),
  'no valid escape': (path, random) => path + random.pick(['%', '%z', '%zz', '%u0041', '%e0%a4%a']),
  'bytes that are no text': (path, random) => path + random.pick(['%ff', '%c0%af', '%ed%a0%80']),
  'raw bytes': (path) => `${path}\u00ff\u00fe`,
  'a semicolon': (path) => `${path};jsessionid=1`,
  'a fragment': (path) => `${path}#fragment`,
  'another host': (path) => `http://evil.example${path}`,
  'another scheme': (path) => `file://${path}`,
  'no slash at all': (path) => path.slice(1),
  'two question marks': (path) => `${path}??&&=&=1`,
  'only a star': () => '*',
  nothing: () => '/',
  'a file of ours': (_path, random) =>
    random.pick(['/package.json', '/.git/config', '/.env', '/src/']),
  'a neighbour': (path) => path.replace(/[^/]*$/, '__proto__'),
  'proto as an id': (path) => path.replace(/[0-9a-f-]{36}/, 'constructor'),
  'the other prefix': (path) => path.replace(/^\/(api|dashboard)/, '/api/sandbox'),
}

const names = Object.keys(tricks)

export function trickPath(path: string, random: Random): { trick: string; path: string } {
  const trick = random.pick(names)
  return { trick, path: tricks[trick]!(path, random) }
}
