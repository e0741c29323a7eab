import pg from 'pg'
import { isConnectionFault } from './faults.ts'
import { type ListenHandle, listen } from './listen.ts'
import { Json, NewRows, Query, type Row, type Rows, type Run } from './query.ts'
import { statementNames } from './statement-names.ts'

/** Runs statements, each whole by itself or all inside one transaction. */
export type Sql = {
  <Result extends Rows = Row[]>(strings: TemplateStringsArray, ...values: unknown[]): Query<Result>
  /** The columns and values of rows to insert. */
  (rows: Readonly<object> | readonly Readonly<object>[]): NewRows
  json(value: unknown): Json
  /** Text as it is: as a part of a query, or awaited, when it may hold several statements. */
  unsafe(text: string): Query
}
/** A connection inside a transaction. Who is given one opens no other, and no network. */
export type Tx = Sql & { readonly transaction: true }
/** One connection kept for a while, for what belongs to a session. */
export type ReservedSql = Sql & { release(): void }
/** A pool of connections. */
export type Db = Sql & {
  begin<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result>
  begin<Result>(mode: string, run: (tx: Tx) => Promise<Result>): Promise<Result>
  reserve(): Promise<ReservedSql>
  listen(
    channel: string,
    onMessage: (payload: string) => void,
    onListening: () => void,
    silenceLimitMs: number,
  ): Promise<ListenHandle>
  end(options?: { timeout?: number }): Promise<void>
}
/** A piece of SQL with its parameters, to be put into a statement. */
export type Fragment = Query

export type PoolOptions = {
  maxConnections: number
  applicationName?: string
  statementTimeoutMs?: number
  /** How much later than PostgreSQL's own limit an answer may come. */
  answerMarginMs?: number
}

const connectTimeoutMs = 5000
const idleTimeoutMs = 60_000
const defaultStatementTimeoutMs = 30_000
const defaultAnswerMarginMs = 5_000
const int8 = 20

/**
 * A plan made while a table is young is kept while it grows. Sorting a little on top of an index in
 * the wrong order looks cheap then and reads everything later, so that way is closed.
 */
const sessionSettings = '-c TimeZone=UTC -c enable_incremental_sort=off'

/** Whole numbers of 64 bits are money or counters here: a double would round them. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text')) as never,
}

export function connect(url: string, options: PoolOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs
  const settings: pg.PoolConfig = {
    connectionString: url,
    max: options.maxConnections,
    idleTimeoutMillis: idleTimeoutMs,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    application_name: options.applicationName ?? 'malipo',
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    options: sessionSettings,
    types,
  }
  const pool = new pg.Pool(settings)
  const open = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    open.add(client)
    // A break shows as the fault of a query, or the idle connection leaves the pool. That it is
    // also an event must not end the process, not even when it comes after the connection is gone.
    client.on('error', () => {})
  })
  pool.on('remove', (client) => void open.delete(client))
  pool.on('error', () => {})
  const nameOf = statementNames()
  // A connection can die without a word. PostgreSQL ends what takes too long, so where nothing has
  // come by then nothing will, and whoever waits would wait for ever.
  const answerLimitMs = statementTimeoutMs + (options.answerMarginMs ?? defaultAnswerMarginMs)

  return Object.assign(sqlOver(runOn(pool, nameOf, answerLimitMs)), {
    begin: (...given: [never] | [string, never]) => begin(pool, nameOf, answerLimitMs, given),
    async reserve() {
      const client = await borrow(pool)
      return Object.assign(sqlOver(runOn(client, nameOf)), {
        release: () => client.release(),
      })
    },
    listen: (
      channel: string,
      onMessage: (text: string) => void,
      onListening: () => void,
      silenceLimitMs: number,
    ) => listen(settings, channel, { onMessage, onListening, silenceLimitMs }),
    end: ({ timeout }: { timeout?: number } = {}) => endPool(pool, open, timeout),
  }) as Db
}

function sqlOver(run: Run): Sql {
  function tag(first: TemplateStringsArray | object, ...values: unknown[]): Query | NewRows {
    if (Object.hasOwn(first, 'raw')) return new Query(run, first as TemplateStringsArray, values)
    return new NewRows([first].flat() as Row[])
  }
  return Object.assign(tag, {
    json: (value: unknown) => new Json(value),
    unsafe: (text: string) => new Query(run, [text], []),
  }) as Sql
}

/** A transaction that lifts the limit of PostgreSQL lifts ours with it. */
const liftsLimit = /\bstatement_timeout = 0\b/

function runOn(
  client: Pick<pg.ClientBase, 'query'>,
  nameOf: (text: string) => string,
  answerLimitMs?: number,
): Run {
  let limit = answerLimitMs === undefined ? {} : { query_timeout: answerLimitMs }
  return async ({ text, values, reusable }) => {
    try {
      if (values.length === 0 && liftsLimit.test(text)) limit = {}
      const name = reusable && values.length > 0 ? nameOf(text) : undefined
      const query = name ? { name, text, values } : { text, values }
      const result = await client.query({ ...query, ...limit })
      return rowsOf(result)
    } catch (error) {
      throw withCode(error)
    } finally {
      // Finished queries of the driver hang on each other until a great collection of garbage, and
      // what they held grew to a hundred megabytes by then.
      values.length = 0
    }
  }
}

/** Several statements in one text give several results; the last one counts. */
function rowsOf(result: pg.QueryResult | pg.QueryResult[]): object[] {
  return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? []
}

const lostInWords =
  /terminated|timeout exceeded when trying to connect|read timeout|not queryable|closed/

/** The driver names some lost connections in words only. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || 'code' in error) return error
  return lostInWords.test(error.message)
    ? Object.assign(error, { code: 'CONNECTION_CLOSED' })
    : error
}

async function borrow(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw withCode(error)
  }
}

async function begin(
  pool: pg.Pool,
  nameOf: (text: string) => string,
  answerLimitMs: number,
  given: [run: unknown] | [mode: string, run: unknown],
): Promise<unknown> {
  const [mode, run] = given.length === 1 ? ['', given[0]] : given
  const client = await borrow(pool)
  const execute = runOn(client, nameOf, answerLimitMs)
  const say = (text: string) => execute({ text, values: [], reusable: false })
  let broken = false
  try {
    await say(`begin ${mode}`)
    const result = await (run as (tx: Tx) => Promise<unknown>)(
      Object.assign(sqlOver(execute), { transaction: true as const }),
    )
    await say('commit')
    return result
  } catch (error) {
    // Nothing can be said any more on a connection that is lost: PostgreSQL undoes it by itself.
    broken = isConnectionFault(error)
    if (!broken) {
      await say('rollback').catch(() => {
        broken = true
      })
    }
    throw error
  } finally {
    client.release(broken)
  }
}

async function endPool(pool: pg.Pool, open: Set<pg.PoolClient>, timeout?: number): Promise<void> {
  if (pool.ended) return
  const ending = pool.end()
  if (timeout === undefined) return await ending
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      for (const client of open) client.connection.stream.destroy()
      resolve()
    }, timeout * 1000)
  })
  await Promise.race([ending, late])
  clearTimeout(timer)
}
