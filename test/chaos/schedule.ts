import type { Random } from './random.ts'

export type FaultKind =
  | 'kill api'
  | 'kill worker'
  | 'kill postgres'
  | 'shut postgres down'
  | 'kill a backend'
  | 'cut database'
  | 'lose database answers'
  | 'stall database'
  | 'swallow database'
  | 'cut callers'
  | 'lose answers to callers'
  | 'stall callers'
  | 'pause api'
  | 'pause worker'
  | 'pause past leases'
  | 'fill disk'

/** What happens when; where it may hit one of several, chance has already drawn which. */
export type Fault = {
  atMs: number
  kind: FaultKind
  /** Of those it may hit, by their number modulo how many there are. */
  target: number
  /** How long it lasts, or how long what was killed stays away. */
  forMs: number
}

export const kills: ReadonlySet<FaultKind> = new Set<FaultKind>([
  ...(['kill api', 'kill worker', 'kill postgres', 'shut postgres down'] as const),
  'kill a backend',
])

/** So often each is drawn, out of all of its group. */
const killShares: [FaultKind, number][] = [
  ['kill api', 40],
  ['kill worker', 42],
  ['kill postgres', 6],
  ['shut postgres down', 6],
  ['kill a backend', 6],
]
const otherShares: [FaultKind, number][] = [
  ['cut database', 14],
  ['lose database answers', 16],
  ['stall database', 12],
  ['swallow database', 8],
  ['cut callers', 10],
  ['lose answers to callers', 14],
  ['stall callers', 8],
  ['pause api', 6],
  ['pause worker', 12],
]
/** These happen at their own, evenly spread times, because chance may leave them out. */
const rare: { kind: FaultKind; everyMs: number; forMs: [number, number] }[] = [
  { kind: 'pause past leases', everyMs: 120_000, forMs: [62_000, 70_000] },
  { kind: 'fill disk', everyMs: 75_000, forMs: [1500, 5000] },
]
const lasting: Partial<Record<FaultKind, [number, number]>> = {
  'stall database': [500, 7000],
  'stall callers': [500, 7000],
  'pause api': [1000, 9000],
  'pause worker': [7500, 12_000],
}
const awayMs: [number, number] = [50, 1500]
/** Two hundred kills in ten minutes, and some to spare for those that find nobody. */
const killEveryMs = 2500
const otherEveryMs = 5000

/** All faults of a run, the same for the same seed. */
export function drawSchedule(random: Random, forMs: number): Fault[] {
  const regular = (everyMs: number, shares: [FaultKind, number][]): Fault[] =>
    Array.from({ length: Math.floor(forMs / everyMs) }, (_, index) =>
      fault(random, drawKind(random, shares), (index + random.next()) * everyMs),
    )
  const spread = rare.flatMap(({ kind, everyMs, forMs: [least, most] }) => {
    const count = Math.max(1, Math.floor(forMs / everyMs))
    return Array.from({ length: count }, (_, index) => ({
      ...{ kind, target: random.between(0, 999), forMs: random.between(least, most) },
      atMs: ((index + 0.2 + 0.4 * random.next()) * forMs) / count,
    }))
  })
  return [...regular(killEveryMs, killShares), ...regular(otherEveryMs, otherShares), ...spread]
    .filter(({ kind, forMs: lasts }) => kind !== 'pause past leases' || lasts < forMs)
    .sort((one, other) => one.atMs - other.atMs)
}

function fault(random: Random, kind: FaultKind, atMs: number): Fault {
  const [least, most] = lasting[kind] ?? awayMs
  return { atMs, kind, target: random.between(0, 999), forMs: random.between(least, most) }
}

function drawKind(random: Random, shares: [FaultKind, number][]): FaultKind {
  let left = random.next() * shares.reduce((sum, [, share]) => sum + share, 0)
  for (const [kind, share] of shares) {
    left -= share
    if (left < 0) return kind
  }
  return shares[0]![0]
}

/** A handful of each kind close together, for those who cannot wait. */
const quickKinds: FaultKind[] = [
  ...(['kill worker', 'kill api', 'lose answers to callers', 'shut postgres down'] as const),
  ...(['lose database answers', 'kill worker', 'cut callers', 'kill api', 'fill disk'] as const),
  ...(['kill a backend', 'pause worker', 'cut database', 'kill postgres', 'kill api'] as const),
  ...(['stall callers', 'kill worker', 'stall database', 'swallow database'] as const),
]
const quickStartMs = 1500
const quickEveryMs = 700

export function quickSchedule(random: Random): Fault[] {
  return quickKinds.map((kind, index) => ({
    ...{ kind, target: random.between(0, 999), forMs: random.between(300, 2000) },
    atMs: quickStartMs + index * quickEveryMs,
  }))
}
