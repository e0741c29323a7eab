import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../harness.ts'
import { type KeptProcess, keepProcess } from './keep-process.ts'
import type { Violation } from './violation.ts'
import { startWire, type Wire } from './wire.ts'

const askLimitMs = 3000
const tailLength = 3000

export type Role = 'api' | 'worker'

/** One process of the service, with its wires. */
export type Member = KeptProcess & {
  name: string
  role: Role
  /** Between it and PostgreSQL. */
  toDatabase: Wire
  /** Between callers and it. */
  toCallers: Wire
  isReady(): Promise<boolean>
}

export type Fleet = {
  members: readonly Member[]
  /** How often a process was started, and how often it ended before it was up. */
  counts: { starts: number; failedStarts: number }
  /** Ends every fault of the wires and wakes who is held. */
  calm(): void
  /** Asks all to end in good order. */
  stop(): Promise<void>
  abandon(): void
}

export type FleetOptions = {
  base: string
  databaseUrl: string
  members: Record<Role, number>
  env: Record<string, string>
  onViolation(violation: Violation): void
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const counts = { starts: 0, failedStarts: 0 }
  const wanted = (['api', 'worker'] as const).flatMap((role) =>
    Array.from({ length: options.members[role] }, (_, index) => ({ role, index: index + 1 })),
  )
  const members = await Promise.all(
    wanted.map(({ role, index }) => startMember(options, role, `${role}-${index}`, counts)),
  )
  return {
    members,
    counts,
    calm() {
      for (const { toDatabase, toCallers, wake } of members) {
        toDatabase.calm()
        toCallers.calm()
        wake()
      }
    },
    async stop() {
      await Promise.all(members.map((member) => stopMember(options, member)))
    },
    abandon() {
      for (const { abandon } of members) abandon()
    },
  }
}

async function startMember(
  { base, databaseUrl, env, onViolation }: FleetOptions,
  role: Role,
  name: string,
  counts: Fleet['counts'],
): Promise<Member> {
  const port = await freePort()
  const toCallers = await startWire(port)
  const url = new URL(databaseUrl)
  const toDatabase = await startWire(Number(url.port))
  url.port = String(toDatabase.port)
  const folder = join(base, name)
  mkdirSync(folder)
  const output = outputOf(base, name)
  const answers = (path: string) => async () =>
    (await statusOf(`http://127.0.0.1:${port}${path}`)) === 200
  const kept = keepProcess({
    role,
    output,
    env: {
      ...{ DATABASE_URL: url.href, MALIPO_DATA_DIR: folder, HOST: '127.0.0.1' },
      ...{ PORT: String(port), MALIPO_PUBLIC_URL: `http://127.0.0.1:${toCallers.port}`, ...env },
    },
    isAlive: answers('/healthz'),
    onStart: () => void counts.starts++,
    onEnd(ended, wasUp) {
      // One that finds no database at its start says so and ends; one that was up must stay.
      if (!wasUp) counts.failedStarts++
      else {
        const detail = { ended, said: tailOf(output) }
        onViolation({ kind: 'a process ended by itself', about: name, detail })
      }
    },
  })
  return { ...kept, name, role, toDatabase, toCallers, isReady: answers('/readyz') }
}

async function stopMember({ base, onViolation }: FleetOptions, member: Member): Promise<void> {
  const { name, toDatabase, toCallers } = member
  const ended = await member.stop()
  if (ended !== 0) {
    const detail = { ended, said: tailOf(outputOf(base, name)) }
    onViolation({ kind: 'a process did not end in good order', about: name, detail })
  }
  await Promise.all([toDatabase.close(), toCallers.close()])
}

const outputOf = (base: string, name: string) => join(base, name, 'output.log')

async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(askLimitMs) })
    await response.body?.cancel()
    return response.status
  } catch {
    return 0
  }
}

function tailOf(file: string): string {
  return readFileSync(file, 'utf8').slice(-tailLength)
}
