import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { superuser } from './cluster.ts'

export const database = 'malipo'
const host = '127.0.0.1'
// The letters of the name as a number. The lock says that a running Malipo has the folder.
const lockKey = '120265198104687'
const connectLimitSeconds = 5

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

type Session = { sql: postgres.Sql; socket: () => Socket | undefined; closed: Promise<void> }

function openSession(url: string): Session {
  const { hostname, port } = new URL(url)
  const closed = Promise.withResolvers<void>()
  let socket: Socket | undefined
  const options = {
    max: 1,
    // This one connection must stay: a new one in its place would not hold the lock.
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: connectLimitSeconds,
    fetch_types: false,
    onnotice: () => {},
    onclose: () => closed.resolve(),
    connection: { application_name: 'malipo owner', statement_timeout: 0 },
    socket: async () => {
      const opened = connect(Number(port), hostname)
      await once(opened, 'connect', { signal: AbortSignal.timeout(connectLimitSeconds * 1000) })
      socket = opened
      return opened
    },
  }
  return { sql: postgres(url, options), socket: () => socket, closed: closed.promise }
}

const noAnswer = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ABORT_ERR',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
])
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
  const session = openSession(urlOf(access))
  try {
    const held = await takeLock(session.sql, access)
    if (held) return { kind: 'owned', ownership: keep(session) }
    await session.sql.end({ timeout: 1 })
    return { kind: 'taken' }
  } catch (error) {
    await session.sql.end({ timeout: 0 })
    const code = codeOf(error)
    if (answersLater.has(code)) return { kind: 'not yet', busy: true }
    if (noAnswer.has(code)) return { kind: 'not yet', busy: false }
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
}

async function takeLock(sql: postgres.Sql, access: Access): Promise<boolean> {
  const [about] = await sql`select current_setting('data_directory') as folder`
  if ((await realpath(about?.folder)) !== access.cluster) {
    throw new Error(`Another PostgreSQL answers in place of the one in ${access.cluster}.`)
  }
  const [lock] = await sql`select pg_try_advisory_lock(${lockKey}::bigint) as held`
  return lock?.held === true
}

function keep(session: Session): Ownership {
  // Holding the lock is no reason to stay running.
  session.socket()?.unref()
  return { lost: session.closed, close: () => session.sql.end({ timeout: 1 }) }
}

async function createDatabase(access: Access): Promise<void> {
  const { sql } = openSession(urlOf(access, 'postgres'))
  try {
    await sql.unsafe(`create database ${database}`)
  } catch (error) {
    // Another start may have made it at the same moment.
    if (!['42P04', '23505'].includes(codeOf(error))) throw error
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Whether the PostgreSQL of this cluster works at this moment. */
export async function answers(access: Access): Promise<boolean> {
  const { sql } = openSession(urlOf(access))
  try {
    const [about] = await sql`select current_setting('data_directory') as folder`
    return (await realpath(about?.folder)) === access.cluster
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}
