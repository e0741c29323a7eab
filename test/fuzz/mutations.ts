import type { Random } from '../simulate/random.ts'
import { oddNumber, oddText, oddValue, protoNames, Raw, writeJson } from './odd-values.ts'

type Parent = Record<string, unknown>
type Place = { parent: Parent; name: string }

/** Spoils a value in one to three places. The value is changed as it stands. */
export function spoil(value: unknown, random: Random): unknown {
  const root = { value }
  for (let left = random.between(1, 3); left > 0; left--) {
    const places = placesIn(root as Parent)
    if (places.length > 0) spoilAt(random.pick(places), random)
  }
  return root.value
}

function placesIn(parent: Parent, depth = 0): Place[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    const isParent = value !== null && typeof value === 'object' && !(value instanceof Raw)
    const inside = isParent && depth < 6 ? placesIn(value as Parent, depth + 1) : []
    return [{ parent, name }, ...inside]
  })
}

function spoilAt({ parent, name }: Place, random: Random): void {
  const value = parent[name]
  switch (random.int(8)) {
    case 0:
      delete parent[name]
      return
    case 1:
      parent[name] = oddValue(random)
      return
    case 2:
      parent[name] = otherType(value)
      return
    case 3:
      parent[name] = typeof value === 'string' ? withOddText(value, random) : oddText(random)
      return
    case 4:
      parent[name] = typeof value === 'string' ? stretched(value, random) : oddNumber(random)
      return
    case 5:
      parent[name] = random.pick([[value], { value }, [value, value], null, true])
      return
    case 6:
      parent[random.pick([`${name} `, name.toUpperCase(), `${name}[]`, 'extra', ''])] = value
      return
    default:
      parent[name] = oddNumber(random)
  }
}

/** The same as text where it was none, and the other way round. */
function otherType(value: unknown): unknown {
  if (typeof value === 'string') return value !== '' && !Number.isNaN(+value) ? +value : [value]
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return value === null ? 'null' : writeJson(value)
}

function withOddText(value: string, random: Random): string {
  const at = random.int(value.length + 1)
  return value.slice(0, at) + oddText(random) + value.slice(at)
}

const lengths = [1, 2, 3, 4, 36, 64, 65, 100, 101, 201, 202, 254, 255, 256, 2048, 2049, 20_000]

function stretched(value: string, random: Random): string {
  const length = random.pick(lengths)
  return (value === '' ? 'x' : value)
    .repeat(Math.ceil(length / (value.length || 1)))
    .slice(0, length)
}

/** Spoils the text of a body, where no value could say it. */
export function spoilText(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  switch (random.int(9)) {
    case 0:
      return bytes.subarray(0, random.int(bytes.length + 1))
    case 1:
      return Buffer.concat([bytes, Buffer.from(random.pick([',', '}', ' {}', '\u0000', '//']))])
    case 2:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
    case 3: {
      const broken = Buffer.from(bytes)
      if (broken.length > 0) broken[random.int(broken.length)] = random.pick([0xff, 0xc0, 0x80, 0])
      return broken
    }
    case 4:
      return Buffer.from(text.replace('{', `{"${random.pick(protoNames)}":{"a":1},`))
    case 5:
      return Buffer.from(withDuplicate(text, random))
    case 6:
      return Buffer.from(text, 'utf16le')
    case 7:
      return Buffer.from(' '.repeat(random.pick([1, 1000, 100_000])) + text)
    default:
      return Buffer.from(text.replaceAll('"', random.pick(["'", '', '""'])))
  }
}

/** One of its members again, with the same value or another one. */
function withDuplicate(text: string, random: Random): string {
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|[\d.]+)/g)]
  if (members.length === 0) return text
  const [member = '', name] = random.pick(members)
  const again = random.chance(0.5) ? member : `"${name}":${writeJson(oddValue(random))}`
  return text.replace('{', `{${again},`)
}
