import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, type TestContext, test } from 'node:test'
import { fastSettings as settings, tempFolder, waitFor } from '../../test/harness.ts'
import { isAlive } from './embedded/processes.ts'
import {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  type ExitInfo,
  findEmbeddedServer,
  startEmbeddedServer,
} from './embedded-server.ts'
import { connect, type Db } from './pool.ts'

let prototype: string | undefined

/** A data folder whose cluster is made already: one is made and then copied, which is faster. */
async function madeFolder(t: TestContext): Promise<string> {
  if (prototype === undefined) {
    prototype = await tempFolder()
    const server = await startEmbeddedServer({ dataDir: prototype, settings })
    await server.stop()
  }
  const dataDir = await emptyFolder(t)
  // With "cp", because a copy must keep its owners.
  const copy = spawn('cp', ['-a', `${prototype}/.`, dataDir], { stdio: 'inherit' })
  assert.deepEqual(await once(copy, 'exit'), [0, null])
  return dataDir
}

after(async () => {
  if (prototype !== undefined) await rm(prototype, { recursive: true, force: true })
})

async function emptyFolder(t: TestContext): Promise<string> {
  const dataDir = await tempFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }))
  return dataDir
}

/** A server of this process. It is stopped with the test even where the test fails. */
async function start(
  t: TestContext,
  dataDir: string,
  options: Partial<EmbeddedServerOptions> = {},
): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ dataDir, settings, ...options })
  t.after(() => server.stop())
  return server
}

function open(t: TestContext, url: string): Db {
  const sql = connect(url, { maxConnections: 2 })
  t.after(() => sql.end({ timeout: 1 }))
  return sql
}

type Service = { child: ChildProcess; url: string; pid: number }

/** A service in a process of its own, to be killed. */
async function startService(t: TestContext, dataDir: string): Promise<Service> {
  const module = new URL('./embedded-server.ts', import.meta.url).href
  const options = JSON.stringify({ dataDir, settings })
  const program = `
    const { startEmbeddedServer } = await import('${module}')
    const server = await startEmbeddedServer(${options})
    console.log(JSON.stringify({ url: server.url, pid: server.pid }))
    setInterval(() => {}, 1000)
  `
  const args = ['--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  const line = once(createInterface(child.stdout), 'line').then(([text]) => JSON.parse(text))
  const end = once(child, 'close').then(() => Promise.reject(new Error(complaint)))
  end.catch(() => {})
  return { child, ...(await Promise.race([line, end])) }
}

async function lockHolders(sql: Db): Promise<number> {
  const [row] = await sql<{ holders: number }[]>`
    select count(*)::int as holders from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and application_name = 'malipo owner'
  `
  return row!.holders
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Every living process that works in the cluster, found where the system shows them. */
async function processesOf(dataDir: string): Promise<number[]> {
  if (!existsSync('/proc')) return []
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && isAlive(pid))
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => folders[index] === join(dataDir, 'postgres'))
}

async function stopAndCheck(server: EmbeddedServer, dataDir: string): Promise<void> {
  const { pid } = server
  await Promise.all([server.stop(), server.stop()])
  assert.equal(isAlive(pid), false)
  assert.deepEqual(await processesOf(dataDir), [])
  assert.equal(await findEmbeddedServer(dataDir), undefined)
}

test('a first start makes a durable server for this machine and its password only', async (t) => {
  const dataDir = await emptyFolder(t)
  const told: string[] = []
  const server = await start(t, dataDir, { settings: {}, onProgress: (text) => told.push(text) })
  const sql = open(t, server.url)
  const [row] = await sql`
    select current_user, current_database(), current_setting('listen_addresses') as listens,
      current_setting('unix_socket_directories') as sockets, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commits,
      current_setting('server_encoding') as encoding,
      array(select x from unnest(array['b', 'A', 'a', 'B', 'é']) x order by x) as sorted
  `
  assert.deepEqual(
    { ...row },
    {
      current_user: 'malipo',
      current_database: 'malipo',
      listens: '127.0.0.1',
      sockets: '',
      fsync: 'on',
      commits: 'on',
      encoding: 'UTF8',
      sorted: ['A', 'B', 'a', 'b', 'é'],
    },
  )
  const stranger = open(t, server.url.replace(/:[0-9a-f]{64}@/, ':wrong@'))
  await assert.rejects(stranger`select 1`, { code: '28P01' })
  assert.match(told.join(), /Preparing a new PostgreSQL/)
  assert.equal(server.adopted, false)
  assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600)
  assert.equal(await findEmbeddedServer(dataDir), server.url)
  await stopAndCheck(server, dataDir)
})

test('a second start finds the data of the first', async (t) => {
  const dataDir = await madeFolder(t)
  const first = await start(t, dataDir)
  await open(t, first.url)`create table kept as select 42 as answer`
  await stopAndCheck(first, dataDir)
  const second = await start(t, dataDir)
  assert.equal((await open(t, second.url)`select answer from kept`)[0]?.answer, 42)
  await stopAndCheck(second, dataDir)
})

test('the server of a killed service is adopted, and stopped like any other', async (t) => {
  const dataDir = await madeFolder(t)
  const service = await startService(t, dataDir)
  await kill(service.child)
  assert.equal(isAlive(service.pid), true)
  const server = await start(t, dataDir)
  assert.deepEqual([server.adopted, server.pid, server.url], [true, service.pid, service.url])
  await open(t, server.url)`select 1`
  await stopAndCheck(server, dataDir)
})

test('a second service on a folder is refused, and the first is not disturbed', async (t) => {
  const dataDir = await madeFolder(t)
  const server = await start(t, dataDir)
  await assert.rejects(
    startEmbeddedServer({ dataDir, settings }),
    /Another Malipo is running on the folder/,
  )
  await open(t, server.url)`select 1`
  await stopAndCheck(server, dataDir)
})

test('of two first starts at once one gets the folder and the other is refused', async (t) => {
  const dataDir = await emptyFolder(t)
  const starts = await Promise.allSettled([startService(t, dataDir), startService(t, dataDir)])
  const won = starts.filter((start) => start.status === 'fulfilled')
  const lost = starts.filter((start) => start.status === 'rejected')
  assert.equal(won.length, 1)
  assert.match(String(lost[0]?.reason), /Another Malipo is running on the folder/)
  await kill(won[0]!.value.child)
  const server = await start(t, dataDir)
  await stopAndCheck(server, dataDir)
})

test('a killed PostgreSQL comes back on its port, with its data and its owner', async (t) => {
  const dataDir = await madeFolder(t)
  const exits: ExitInfo[] = []
  const server = await start(t, dataDir, { onExit: (info) => exits.push(info) })
  const { url, pid } = server
  const sql = open(t, url)
  await sql`create table kept as select 42 as answer`
  process.kill(pid, 'SIGKILL')
  await waitFor(() => server.pid !== pid, { timeoutMs: 10_000 })
  assert.equal(server.url, url)
  assert.equal((await sql`select answer from kept`)[0]?.answer, 42)
  assert.equal(await lockHolders(sql), 1)
  assert.deepEqual(exits, [
    { message: 'PostgreSQL ended unexpectedly. Bringing it back.', restarting: true },
  ])
  await stopAndCheck(server, dataDir)
})

test('a crash inside PostgreSQL does not cost the ownership of the folder', async (t) => {
  const dataDir = await madeFolder(t)
  const server = await start(t, dataDir)
  const sql = open(t, server.url)
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  const { pid } = server
  process.kill(backend!.pid, 'SIGKILL')
  await waitFor(async () => (await lockHolders(sql).catch(() => 0)) === 1, { timeoutMs: 10_000 })
  assert.equal(server.pid, pid)
  await stopAndCheck(server, dataDir)
})

test('a start after service and PostgreSQL were both killed just works', async (t) => {
  const dataDir = await madeFolder(t)
  const service = await startService(t, dataDir)
  await open(t, service.url)`create table kept as select 42 as answer`
  process.kill(service.pid, 'SIGKILL')
  await kill(service.child)
  const server = await start(t, dataDir)
  assert.equal((await open(t, server.url)`select answer from kept`)[0]?.answer, 42)
  await stopAndCheck(server, dataDir)
})

test('a stale pid file whose number a stranger has got does not prevent a start', async (t) => {
  const dataDir = await madeFolder(t)
  const cluster = join(dataDir, 'postgres')
  const first = await start(t, dataDir)
  const pidFile = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  await stopAndCheck(first, dataDir)
  // As the user of PostgreSQL, because it takes only processes of that user for its own.
  const { uid, gid } = await stat(cluster)
  const stranger = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
  t.after(() => stranger.kill())
  await writeFile(join(cluster, 'postmaster.pid'), pidFile.replace(/^\d+/, String(stranger.pid)))
  assert.equal(await findEmbeddedServer(dataDir), undefined)
  const server = await start(t, dataDir)
  assert.equal(stranger.exitCode, null)
  await stopAndCheck(server, dataDir)
})

test('a first start that was killed half-way does not spoil the next', async (t) => {
  const dataDir = await emptyFolder(t)
  await mkdir(join(dataDir, 'postgres.new'))
  await writeFile(join(dataDir, 'postgres.new', 'PG_VERSION'), '18\n')
  const starting = startService(t, dataDir)
  starting.catch(() => {})
  const fresh = await waitFor(async () =>
    (await readdir(dataDir)).find((name) => existsSync(join(dataDir, name, 'base'))),
  )
  assert.match(fresh, /^postgres\.new-\d+$/)
  process.kill(Number(fresh.split('-')[1]), 'SIGKILL')
  await assert.rejects(starting)
  const server = await start(t, dataDir)
  await open(t, server.url)`select 1`
  await stopAndCheck(server, dataDir)
  const names = (await readdir(dataDir)).sort()
  assert.deepEqual(names, ['postgres', 'postgres-password', 'postgres.log'])
})

test('a cluster of another major version is refused in words', async (t) => {
  const dataDir = await emptyFolder(t)
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n')
  await assert.rejects(startEmbeddedServer({ dataDir }), /was made by PostgreSQL 14/)
})

test('a server that cannot start says why, in the words of its log', async (t) => {
  const dataDir = await madeFolder(t)
  const wrong = { ...settings, shared_buffers: 'many' }
  await assert.rejects(
    startEmbeddedServer({ dataDir, settings: wrong }),
    /invalid value for parameter "shared_buffers": "many"/,
  )
  assert.deepEqual(await processesOf(dataDir), [])
})

test('a large log is put aside at a start, and one old one is kept', async (t) => {
  const dataDir = await madeFolder(t)
  const log = join(dataDir, 'postgres.log')
  await writeFile(log, Buffer.alloc(21 * 1024 * 1024, '\n'))
  const server = await start(t, dataDir)
  await stopAndCheck(server, dataDir)
  assert.equal((await stat(`${log}.old`)).size, 21 * 1024 * 1024)
  assert.match(await readFile(log, 'utf8'), /ready to accept connections/)
})
