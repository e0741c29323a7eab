import { sep } from 'node:path'
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
  return (config && explainUnwritable(error, config)) ?? [message ?? String(error)]
}

const unwritable = ['EACCES', 'EROFS', 'EPERM', 'ENOSPC', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENOENT']

function explainUnwritable(error: unknown, { dataDir, logTo }: Config): string[] | undefined {
  const { code = '', path = '', message } = error as NodeJS.ErrnoException
  if (!unwritable.includes(code) || path === '') return undefined
  const isOnTheWay = (place: string) =>
    `${place}${sep}`.startsWith(`${path}${sep}`) || path.startsWith(`${place}${sep}`)
  if (isOnTheWay(dataDir)) {
    return [
      `The data folder ${dataDir} cannot be written: ${message}`,
      'Give this user the right to write there, or set MALIPO_DATA_DIR to another folder.',
    ]
  }
  if (!isOnTheWay(logTo)) return undefined
  return [
    `The log ${logTo} cannot be written: ${message}`,
    'Set MALIPO_LOG to stdout or to another file.',
  ]
}

/**
 * A signal during the start waits for its end, or the PostgreSQL it began would go on alone.
 * Answers whether one has come.
 */
function stopOnSignals(starting: Promise<RunningApp>, config: Config, screen: Screen) {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    screen.progress(signal === 'SIGINT' ? 'Stopping…' : 'Stopping, as asked…')
    setTimeout(() => {
      screen.problem(['What was running did not end in time; stopped without it.'])
      process.exit(1)
    }, config.shutdownTimeoutMs).unref()
    starting
      .then((app) => app.stop())
      .then(
        () => process.exit(0),
        (error) => {
          screen.problem(['The stop did not go well:', String(error)])
          process.exit(1)
        },
      )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return () => stopping
}

async function main(): Promise<void> {
  const screen = createScreen(process.stdout, process.stderr)
  let config: Config | undefined
  try {
    const role = readRole()
    config = readProcessConfig()
    const starting = startApp(config, role, screen.progress)
    const isStopping = stopOnSignals(starting, config, screen)
    const app = await starting
    if (!isStopping()) screen.ready(app, config, process.uptime())
  } catch (error) {
    screen.problem(explain(error, config))
    // Not only the code: what a start leaves half-way may hold the process for ever.
    process.exit(1)
  }
}

await main()
