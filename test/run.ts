/** Runs the tests: those of the files or globs given, or all. Options go on to the test runner. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { livePostmaster, stopPostmaster } from '../src/db/embedded/processes.ts'
import { startTestServer, tempFolder } from './harness.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const everyTest = ['src/**/*.test.ts', 'test/**/*.test.ts', 'sdk/**/*.test.ts', 'web/*.test.ts']
// Each file is a process of its own, beside a PostgreSQL that works for all of them.
const concurrency = 2
const timeoutMs = 120_000
const interruptedCode = 130

const isOption = (argument: string): boolean => argument.startsWith('--')
const isInstalled = (path: string): boolean => path.includes('node_modules')

async function runTests(files: string[], options: string[]): Promise<number> {
  let interrupted = false
  let interrupt = (): void => {
    interrupted = true
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => interrupt())
  const server = await startTestServer()
  const temp = await tempFolder()
  try {
    if (interrupted) return interruptedCode
    // The user PostgreSQL runs as passes through it, where the tests are run by root.
    await chmod(temp, 0o711)
    const args = [
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${timeoutMs}`,
      '--test-reporter=spec',
      ...options,
      ...files,
    ]
    const env = {
      ...process.env,
      MALIPO_TEST_SERVER: server.adminUrl,
      MALIPO_TEST_TEMPLATE: server.template,
      TMPDIR: temp,
      // Most files load the same modules: compiling them once takes a minute off the whole.
      NODE_COMPILE_CACHE: join(temp, 'compiled'),
    }
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env })
    interrupt = (): void => {
      interrupted = true
      child.kill('SIGINT')
    }
    const [code] = (await once(child, 'exit')) as [number | null]
    return interrupted ? interruptedCode : (code ?? 1)
  } finally {
    await server.stop()
    await sweep(temp)
  }
}

/** Ends and removes what tests that were cut short have left in their temporary folder. */
async function sweep(temp: string): Promise<void> {
  for (const name of await readdir(temp)) {
    const live = await livePostmaster(join(temp, name, 'postgres'))
    if (live !== undefined) await stopPostmaster(live.pid, 'pg_ctl')
  }
  await rm(temp, { recursive: true, force: true, maxRetries: 5 })
}

const given = process.argv.slice(2)
const patterns = given.filter((argument) => !isOption(argument))
const files = globSync(patterns.length > 0 ? patterns : everyTest, { cwd: root })
  .filter((path) => !isInstalled(path))
  .sort()
if (files.length === 0) {
  console.error('No test file matches.')
  process.exitCode = 1
} else {
  process.exitCode = await runTests(files, given.filter(isOption))
}
