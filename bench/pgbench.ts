import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { Db } from '../src/db/pool.ts'
import { type Figure, median } from './report.ts'

const run = promisify(execFile)
const database = 'pgbench'
const debianFolder = '/usr/lib/postgresql'
const scale = 20

/**
 * PostgreSQL's own benchmark on the same server, as it is by default, with the client count that
 * suits it best.
 */
export async function pgbench(
  db: Db,
  url: string,
  { rounds, seconds, clientCounts }: { rounds: number; seconds: number; clientCounts: number[] },
): Promise<Figure | undefined> {
  const program = findProgram()
  if (program === undefined) return undefined
  await db.unsafe(`create database ${database}`)
  const { username, password, hostname, port } = new URL(url)
  const to = ['-h', hostname, '-p', port, '-U', decodeURIComponent(username), database]
  const options = { env: { ...process.env, PGPASSWORD: decodeURIComponent(password) } }
  await run(program, ['-i', '-q', '-s', String(scale), ...to], options)
  const tps = async (clients: number) => {
    const load = ['-c', String(clients), '-j', '2', '-T', String(seconds)]
    const { stdout } = await run(program, [...load, ...to], options)
    return Number(/tps = ([\d.]+)/.exec(stdout)![1])
  }
  const best: number[] = []
  for (const clients of clientCounts) {
    const seen: number[] = []
    for (let round = 0; round < rounds; round++) seen.push(await tps(clients))
    best.push(median(seen))
  }
  await db.unsafe(`drop database ${database}`)
  const value = Math.max(...best)
  const clients = clientCounts[best.indexOf(value)]
  return { number: '10', name: `pgbench (TPC-B-like), ${clients} clients`, value }
}

function findProgram(): string | undefined {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  return [
    ...(process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'pgbench')),
    ...versions.map((version) => join(debianFolder, version, 'bin', 'pgbench')),
  ].find((file) => existsSync(file))
}
