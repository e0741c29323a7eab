import { existsSync, mkdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const gibibyte = 1024 ** 3
const fewBytes = 5 * gibibyte
const tooFewBytes = gibibyte
const askMs = 2000

/** Settings that are allowed, and that hardly anybody means. */
export function settingsFindings(config: Config): Finding[] {
  const isOwn = config.databaseUrl === undefined
  const isOpen = !/^(localhost|127\.|::1)/.test(config.host)
  const found: Finding[] = []
  if (!isOwn && config.masterKeys === undefined) {
    found.push(
      warn(
        'configuration',
        'MALIPO_MASTER_KEY is not set: the key lies in a file on this machine only',
        'Set it on every node; docs/operating/running.md says how.',
      ),
    )
  }
  if (isOpen && config.publicUrl?.startsWith('https:') && config.trustProxy.length === 0) {
    found.push(
      warn(
        'configuration',
        'MALIPO_TRUST_PROXY is not set: limits and allow-lists see the address of the proxy',
        'Set it to the address of the proxy in front.',
      ),
    )
  }
  return found.length > 0 ? found : [ok('configuration', 'every setting can be read')]
}

export function diskFinding({ dataDir }: Config): Finding {
  mkdirSync(dataDir, { recursive: true })
  const { bavail, bsize } = statfsSync(dataDir)
  const bytes = bavail * bsize
  const found = `${Math.floor(bytes / gibibyte)} GiB free for ${dataDir}`
  const advice = 'Make room: a database without any stops, and so does everything else.'
  if (bytes < tooFewBytes) return fail('disk', found, advice)
  return bytes < fewBytes ? warn('disk', found, advice) : ok('disk', found)
}

export const keyFileOf = ({ dataDir }: Config): string => join(dataDir, 'master-key')

/** Others on the machine must not read the key. */
export function keyFileFinding(config: Config): Finding | undefined {
  const file = keyFileOf(config)
  if (config.masterKeys !== undefined || !existsSync(file)) return undefined
  if (process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return undefined
  return fail('master key', `${file} can be read by others`, `chmod 600 ${file}`)
}

/** The process that would be running on this machine with these settings. */
export async function serviceFindings(config: Config): Promise<Finding[]> {
  if (config.port === 0) return []
  const host = /^(0\.0\.0\.0|::)$/.test(config.host) ? 'localhost' : config.host
  const base = `http://${host}:${config.port}`
  const advice = 'Start it, or see its log.'
  try {
    const ready = await ask(`${base}/readyz`)
    if (ready.status !== 200)
      return [fail('service', `${base} is not ready: ${ready.text}`, advice)]
    return [
      ok('service', `${base} is ready`),
      ...commitFindings((await ask(`${base}/metrics`)).text),
    ]
  } catch {
    return [warn('service', `nothing answers at ${base}`, `${advice} It may run elsewhere.`)]
  }
}

async function ask(url: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(askMs) })
  return { status: response.status, text: await response.text() }
}

export function commitFindings(metrics: string): Finding[] {
  const faults = sumOf(metrics, 'malipo_group_commit_faults_total')
  const queued = sumOf(metrics, 'malipo_group_commit_queued')
  const found = `${faults} failed since the start, ${queued} waiting`
  return [
    faults === 0
      ? ok('group commit', found)
      : warn('group commit', found, 'See the log: the database was away, or there is a fault.'),
  ]
}

function sumOf(metrics: string, name: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
