import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export type Child = ChildProcessByStdio<null, Readable, Readable>
export type Ended = { code: number | null; out: string; err: string }
export type Settings = Record<string, string>

export const commandLine = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
// Reading the sources anew would be most of the time a command takes.
const compiled = fileURLToPath(new URL('../node_modules/.cache/malipo-test', import.meta.url))
const limitMs = 30_000

/** Settings under which commands work on the database of a test, and on nothing else. */
export function settingsFor(databaseUrl: string) {
  return { DATABASE_URL: databaseUrl, MALIPO_MASTER_KEY: randomBytes(32).toString('base64') }
}

/** The settings of whoever runs the tests must not reach the command. */
function environment(settings: Settings): NodeJS.ProcessEnv {
  const foreign = /^(MALIPO_|DATABASE_URL$|LOG_LEVEL$|PORT$|HOST$|NODE_TEST_CONTEXT$)/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(kept), NODE_COMPILE_CACHE: compiled, ...settings }
}

/** A command as a person runs it: a process of its own. */
export function startCommand(settings: Settings, args: string[], entry = commandLine): Child {
  return spawn(process.execPath, [entry, ...args], {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  })
}

export async function endOf(child: Child): Promise<Ended> {
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, out, err }
}

export function runCommand(settings: Settings, args: string[], entry?: string): Promise<Ended> {
  return endOf(startCommand(settings, args, entry))
}
