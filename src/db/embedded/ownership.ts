import { realpath } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { superuser } from './cluster.ts'

export const database = 'malipo'
const host = '127.0.0.1'
// The letters of the name as a number. The lock says that a running Malipo has the folder.
const lockKey = '120265198104687'
const connectLimitMs = 5000
const closeLimitMs = 5000

export type Access = { port: number; password: string; cluster: string }

/** The open connection that holds the lock. PostgreSQL frees the lock when it ends. */
export type Ownership = { lost: Promise<void>; close: () => Promise<void> }

export type Claim =
  | { kind: 'owned'; ownership: Ownership }
  | { kind: 'taken' }
  | { kind: 'not yet'; busy: boolean }

export function urlOf(access: Access, name = database): string {
  return `postgres://${superuser}:${access.password}@${host}:${access.port}/${name}`
}

type Session = { client: pg.Client; ended: Promise<void> }

async function openSession(url: string): Promise<Session> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'malipo owner',
    connectionTimeoutMillis: connectLimitMs,
    statement_timeout: 0,
  })
  const ended = new Promise<void>((resolve) => {
    client.on('end', resolve)
    client.on('error', () => resolve())
  })
  await client.connect()
  return { client, ended }
}

async function withSession<Result>(
  url: string,
  run: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { client } = await openSession(url)
  try {
    return await run(client)
  } finally {
    await close(client)
  }
}

/** A server that dies just now may never say goodbye. */
async function close(client: pg.Client): Promise<void> {
  const limit = delay(closeLimitMs, undefined, { ref: false })
  await Promise.race([client.end().catch(() => {}), limit])
}

const noAnswer = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE'])
const answersLater = new Set([
  '57P01', // it is being stopped
  '57P02', // it is restarting after a crash
  '57P03', // it is starting, recovering or stopping
  '53300', // all connections are in use
])

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code)
}

/** Tries once to connect and to take the lock. */
export async function claim(access: Access): Promise<Claim> {
  try {
    const session = await openSession(urlOf(access))
    const held = await takeLock(session.client, access).catch(async (error) => {
      await close(session.client)
      throw error
    })
    if (held) return { kind: 'owned', ownership: keep(session) }
    await close(session.client)
    return { kind: 'taken' }
  } catch (error) {
    return await explain(error, access)
  }
}

async function explain(error: unknown, access: Access): Promise<Claim> {
  const code = codeOf(error)
  if (answersLater.has(code)) return { kind: 'not yet', busy: true }
  if (noAnswer.has(code) || isLost(error)) return { kind: 'not yet', busy: false }
  if (code === '3D000') {
    await createDatabase(access)
    return { kind: 'not yet', busy: true }
  }
  if (code === '28P01') {
    throw new Error(`PostgreSQL in ${access.cluster} does not accept the stored password.`, {
      cause: error,
    })
  }
  throw error
}

/** The driver says in words only that the server hung up or did not answer in time. */
function isLost(error: unknown): boolean {
  return error instanceof Error && /terminated|timeout/i.test(error.message)
}

async function takeLock(client: pg.Client, access: Access): Promise<boolean> {
  if ((await folderOf(client)) !== access.cluster) {
    throw new Error(`Another PostgreSQL answers in place of the one in ${access.cluster}.`)
  }
  const text = 'select pg_try_advisory_lock($1) as held'
  const { rows } = await client.query<{ held: boolean }>(text, [lockKey])
  return rows[0]?.held === true
}

async function folderOf(client: pg.Client): Promise<string> {
  const text = "select current_setting('data_directory') as folder"
  const { rows } = await client.query<{ folder: string }>(text)
  return await realpath(rows[0]!.folder)
}

function keep({ client, ended }: Session): Ownership {
  // Holding the lock is no reason to stay running.
  const { stream } = client.connection as unknown as { stream: Socket }
  stream.unref()
  return { lost: ended, close: () => close(client) }
}

async function createDatabase(access: Access): Promise<void> {
  await withSession(urlOf(access, 'postgres'), async (client) => {
    try {
      await client.query(`create database ${database}`)
    } catch (error) {
      // Another start may have made it at the same moment.
      if (!['42P04', '23505'].includes(codeOf(error))) throw error
    }
  })
}

/** Whether the PostgreSQL of this cluster works at this moment. */
export async function answers(access: Access): Promise<boolean> {
  try {
    return (await withSession(urlOf(access), folderOf)) === access.cluster
  } catch {
    return false
  }
}
