import postgres from 'postgres'

const types = { bigint: postgres.BigInt }

/** A pool of connections. Written as a tagged template, a query reads as SQL. */
export type Db = postgres.Sql<{ bigint: bigint }>
/** A connection inside a transaction. Whoever is given one does not open another, nor the network. */
export type Tx = postgres.TransactionSql<{ bigint: bigint }>
/** Either: for statements that are whole by themselves. */
export type Sql = postgres.ISql<{ bigint: bigint }>
/** A piece of SQL with its parameters, to be put into a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

export type PoolOptions = {
  maxConnections: number
  applicationName?: string
  statementTimeoutMs?: number
}

const connectTimeoutSeconds = 5
const idleTimeoutSeconds = 60
const defaultStatementTimeoutMs = 30_000

export function connect(url: string, options: PoolOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultStatementTimeoutMs
  return postgres(url, {
    max: options.maxConnections,
    idle_timeout: idleTimeoutSeconds,
    connect_timeout: connectTimeoutSeconds,
    // After an outage the first request must not wait for a long pause to end.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1),
    types,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'malipo',
      TimeZone: 'UTC',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
    },
  })
}
