import { parseArgs } from 'node:util'
import { type Role, type RunningApp, startApp } from './app.ts'
import { type Config, ConfigError, readProcessConfig } from './config.ts'
import { createScreen, type Screen } from './screen.ts'
import { readVersion } from './version.ts'

const usage = `Starts Malipo.

  npm start                    everything in one process
  npm start -- --role api      only the API
  npm start -- --role worker   only the work in the background

Settings are environment variables; docs/config.md lists them.`

class UsageError extends Error {}

function readRole(): Role {
  const { values } = parseArgs({
    options: {
      role: { type: 'string', default: 'all' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  })
  if (values.help || values.version) {
    process.stdout.write(`${values.help ? usage : readVersion()}\n`)
    process.exit(0)
  }
  const { role } = values
  if (role === 'all' || role === 'api' || role === 'worker') return role
  throw new UsageError(`--role is all, api or worker, not ${role}.`)
}

/** One clear message for what a person can mend; what is our fault keeps its stack. */
function explain(error: unknown, config: Config | undefined): string[] {
  if (error instanceof ConfigError) return ['The configuration has problems:', ...error.problems]
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return [
      `Port ${config?.port} is taken by another program.`,
      'Stop that program, or choose another port: PORT=4001 npm start',
    ]
  }
  if (code === 'EACCES' && (error as NodeJS.ErrnoException).syscall === 'listen') {
    return [`Port ${config?.port} may not be used by this user. Choose one above 1023.`]
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM' || code === 'ENOSPC') {
    return [
      `The data folder ${config?.dataDir} cannot be written: ${message}`,
      'Give this user the right to write there, or set MALIPO_DATA_DIR to another folder.',
    ]
  }
  return [message ?? String(error)]
}

function stopOnSignals(app: RunningApp, config: Config, screen: Screen): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    screen.progress(signal === 'SIGINT' ? 'Stopping…' : 'Stopping, as asked…')
    setTimeout(() => {
      screen.problem(['What was running did not end in time; stopped without it.'])
      process.exit(1)
    }, config.shutdownTimeoutMs).unref()
    app.stop().then(
      () => process.exit(0),
      (error) => {
        screen.problem(['The stop did not go well:', String(error)])
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

async function main(): Promise<void> {
  const screen = createScreen(process.stdout, process.stderr)
  let config: Config | undefined
  try {
    const role = readRole()
    config = readProcessConfig()
    const app = await startApp(config, role, screen.progress)
    screen.ready(app, config, process.uptime())
    stopOnSignals(app, config, screen)
  } catch (error) {
    screen.problem(explain(error, config))
    process.exitCode = 1
  }
}

await main()
