import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import type { Config } from '../../src/config.ts'
import type { Db } from '../../src/db/pool.ts'
import { emptyDatabase, tempFolder } from '../harness.ts'
import { recordedKey } from './data.ts'
import { playRequests } from './play.ts'

// Records what a release asks of its database while it serves the suite of requests:
//   node test/upgrade/record.ts ../checkout-of-the-release
// The files in recorded/ are then what the next migrations must not disturb.

type Call = { text: string; values: unknown[]; isEmpty: boolean }

/** What grows with use or belongs to merchants. The reference lists come with the program. */
const tables = ['merchants', 'accounts', 'credentials', 'webhook_secrets', 'settings', 'wallets']
const appendOnly = ['transfers', 'audit_log']
/** A loop that finds nothing asks again and again: so many times are enough. */
const emptyPolls = 2
const settleMs = 1500

const calls: Call[] = []
let isRecording = false

/** Every statement goes through this, whoever sends it. */
function watchStatements(): void {
  const send = pg.Client.prototype.query as (...args: unknown[]) => unknown
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: unknown[]): unknown {
    const [config] = args as [{ text?: string; values?: unknown[] }]
    if (!isRecording || typeof config?.text !== 'string') return send.apply(this, args)
    const call: Call = {
      text: config.text,
      values: (config.values ?? []).map(plain),
      isEmpty: true,
    }
    calls.push(call)
    const note = (result?: pg.QueryResult): void => {
      call.isEmpty = (result?.rowCount ?? 0) === 0
    }
    const last = args.at(-1)
    if (typeof last !== 'function') {
      return (send.apply(this, args) as Promise<pg.QueryResult>).then((result) => {
        note(result)
        return result
      })
    }
    const told = (error: unknown, result: pg.QueryResult): void => {
      note(result)
      last(error, result)
    }
    return send.apply(this, [...args.slice(0, -1), told])
  } as typeof pg.Client.prototype.query
}

/** As JSON can keep it, and PostgreSQL reads it. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return Array.isArray(value) ? value.map(plain) : value
}

async function dump(db: Db): Promise<Record<string, unknown[]>> {
  const data: Record<string, unknown[]> = {}
  for (const table of [...tables, ...appendOnly]) {
    const [row] = await db.unsafe(`select coalesce(json_agg(t), '[]') as rows from ${table} t`)
    data[table] = row!.rows as unknown[]
  }
  return data
}

function withoutIdlePolls(all: Call[]): Call[] {
  const seen = new Map<string, number>()
  return all.filter(({ text, isEmpty }) => {
    if (!isEmpty || !/^\s*(with|select|update)\b/.test(text)) return true
    seen.set(text, (seen.get(text) ?? 0) + 1)
    return seen.get(text)! <= emptyPolls
  })
}

const linesOf = (parts: Record<string, unknown>): string =>
  Object.entries(parts)
    .map((part) => `${JSON.stringify(part)}\n`)
    .join('')

const write = (name: string, text: string): Promise<void> =>
  writeFile(new URL(`recorded/${name}`, import.meta.url), text)

const [checkout] = process.argv.slice(2)
if (checkout === undefined) throw new Error('Name the checkout of the release to be recorded.')
const load = (path: string) => import(pathToFileURL(join(resolve(checkout), path)).href)
const { startApp } = (await load('src/app.ts')) as typeof import('../../src/app.ts')
const { readConfig } = (await load('src/config.ts')) as typeof import('../../src/config.ts')
watchStatements()
const database = await emptyDatabase()
const config: Config = readConfig({
  ...{ DATABASE_URL: database.url, MALIPO_DATA_DIR: await tempFolder(), PORT: '0' },
  ...{ MALIPO_MASTER_KEY: recordedKey, MALIPO_DEMO: 'on', MALIPO_LOOPBACK_WEBHOOKS: 'on' },
  LOG_LEVEL: 'silent',
})
const app = await startApp(config, 'all', () => {})
const { publicKey, apiKey } = app.sandbox!
const data = { keys: { publicKey, apiKey }, ...(await dump(database.sql)) }
isRecording = true
const answers = await playRequests(app.url, data.keys, { run: 'recorded', pauseMs: 150 })
await delay(settleMs)
isRecording = false
const [account] = await database.sql<{ number: string }[]>`
  select account_number as number from virtual_accounts`
await app.stop()
await database.drop()

const kept = withoutIdlePolls(calls)
const texts = [...new Set(kept.map(({ text }) => text.trim()))]
const lines = kept.map(({ text, values }) =>
  JSON.stringify([texts.indexOf(text.trim()) + 1, values]).replaceAll(
    account!.number,
    '9900000001',
  ),
)
await write('data.jsonl', linesOf(data))
await write('answers.jsonl', linesOf(answers))
await write('statements.sql', texts.map((text, at) => `-- ${at + 1}\n${text}\n`).join('\n'))
await write('traffic.jsonl', `${lines.join('\n')}\n`)
console.log(`Recorded ${kept.length} calls of ${texts.length} statements.`)
