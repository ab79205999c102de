import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { AppError, codeOf, DatabaseOutage, unavailable } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { ignoreBatch, type Queries, type ReadCaller } from '../db.ts'
import { lockInstallation } from '../dialect.ts'
import { rememberOutages } from '../remember-outages.ts'
import type { Storage, StorageOptions } from '../storage-handle.ts'
import type { Tables } from '../tables.ts'
import { overdue, transactionTimeoutMs } from '../transaction-limit.ts'
import { TurnLane, turnsOf } from '../turn-lane.ts'
import { countLostNodes } from './citus.ts'
import { pooledDialect } from './connection.ts'

const ATTEMPTS_MAX = 5
const CONNECT_TIMEOUT_MS = 4_000
const ANSWER_GRACE_MS = 250
/** The value that means "no limit" to PostgreSQL. */
const NO_LIMIT = 0

/** The large store: any number of servers and workers share it. */
export async function openPostgres(options: StorageOptions): Promise<Storage> {
  const pool = createPool(options)
  const transactionMsMax = transactionTimeoutMs(options.statementTimeoutMs)
  const onOverdue = (statement: string) =>
    options.log.error({ statement }, 'a transaction reached its time limit and was rolled back')
  const kysely = new Kysely<Tables>({ dialect: pooledDialect(pool, { transactionMsMax, onOverdue }) })
  const lanes = createLanes(options.poolSizeMax)
  const inLane = (lane: TurnLane, caller: ReadCaller): Queries =>
    new Kysely<Tables>({
      dialect: pooledDialect(pool, { statements: 'unnamed', enter: turnsOf(lane, caller), signal: caller.signal }),
    })
  const bulk = (caller: ReadCaller) => inLane(lanes.bulk, caller)
  const location = withoutPassword(options.url)
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    const detail = error instanceof Error ? error.message : String(error)
    throw new AppError(500, `The database ${location} cannot be reached: ${detail}`, { cause: error })
  }
  const outages = rememberOutages()
  const transaction: Storage['transaction'] = async (work, application = '') => {
    const leave = await lanes.writes.enter({ application, isAdmitted: true })
    const attempts = retried(() => inTime(transactionMsMax, kysely.transaction().execute(work)))
    return attempts.catch(outages.note).finally(leave)
  }
  return {
    engine: 'postgres',
    location,
    inTransaction: false,
    read: kysely,
    bulk,
    search: (caller) => inLane(lanes.search, caller),
    // The database does the reading. An installation whose tasks compute so much that requests are delayed runs separate workers.
    inReadWorker: (task, input, { application, signal, onBatch = ignoreBatch }) =>
      task.run(bulk({ application, from: 'job' }), input, signal, onBatch),
    isOnlyProcess: false,
    transaction,
    exclusiveTransaction: (work) => exclusiveTransaction(options, work),
    async checkWritable() {
      await kysely.transaction().execute(async (tx) => {
        const query = sql<{ mode: string }>`select current_setting('transaction_read_only') as mode`
        const { rows } = await query.execute(tx)
        if (rows[0]?.mode !== 'off') throw new DatabaseOutage('The database is read-only right now')
      })
      await outages.check(transaction)
    },
    checkNodes: () => checkNodes(kysely),
    async backup() {
      throw new AppError(500, 'A PostgreSQL database is backed up with pg_dump; `backup` is for the embedded one')
    },
    // Autovacuum reuses the space of deleted rows, and returns the space at the end of a table.
    releaseSpace: async () => {},
    readSize: () => readDatabaseSize(kysely),
    // The database server manages its log by itself.
    readLog: () => undefined,
    readVersion: () => readServerVersion(kysely),
    // Not `kysely.destroy`: it does not close a pool that was never used, and an idle connection keeps the process running.
    close: () => pool.end(),
  }
}

async function checkNodes(q: Queries): Promise<void> {
  const { lost, all } = await countLostNodes(q)
  if (lost > 0) throw new DatabaseOutage(`${lost} of the ${all} nodes of the database cannot be reached`)
}

/**
 * Searches and bulk reads have three tenths of the connections each, and one application not all of them: the rest is for other requests.
 * A pool too small for that has one lane for both. The transactions of one application, which may all wait for the same lock, leave
 * connections to the requests of others.
 */
function createLanes(poolSizeMax: number): { search: TurnLane; bulk: TurnLane; writes: TurnLane } {
  const runningMax = Math.max(1, Math.floor(poolSizeMax * 0.3))
  const limits = { runningMax, runningMaxEach: Math.max(1, runningMax - 1) }
  const search = new TurnLane({ name: 'searches', ...limits })
  const writes = new TurnLane({
    name: 'writes',
    runningMax: poolSizeMax,
    // At least one more than its batches may have, so that these do not delay its other writes.
    runningMaxEach: Math.max(Math.ceil(poolSizeMax / 2) + 1, Math.floor(poolSizeMax * 0.7)),
  })
  return { search, writes, bulk: poolSizeMax < 3 ? search : new TurnLane({ name: 'large reads', ...limits }) }
}

/** On a separate connection, because the pool's time limits are for requests: a migration has none. */
async function exclusiveTransaction<Result>(
  options: StorageOptions,
  work: (tx: Queries) => Promise<Result>,
): Promise<Result> {
  const pool = createPool({ ...options, poolSizeMax: 1, statementTimeoutMs: NO_LIMIT })
  const kysely = new Kysely<Tables>({ dialect: pooledDialect(pool) })
  try {
    return await kysely.transaction().execute(async (tx) => {
      await lockInstallation(tx)
      return work(tx)
    })
  } finally {
    await kysely.destroy()
  }
}

function createPool({ url, log, poolSizeMax, statementTimeoutMs }: StorageOptions): pg.Pool {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, wireTimestamp)
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSizeMax,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    // The server's own limit does not help if its response is lost in the network.
    ...(statementTimeoutMs === NO_LIMIT ? {} : { query_timeout: statementTimeoutMs + ANSWER_GRACE_MS }),
    // A process that was stopped inside a transaction must not hold its locks forever.
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    application_name: 'touchstone',
  })
  // Without listeners, a lost connection would end the process. The pool emits the errors of idle connections, a client its own.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      log.debug({ err: error }, 'a database connection was lost; its query reports it to the caller'),
    )
  })
  return pool
}

const SECONDS_LENGTH = '2026-11-14 09:30:00'.length

/** PostgreSQL writes `2026-11-14 09:30:00.5+00`, in the zone of the connection; we keep `2026-11-14T09:30:00.500Z`. */
function wireTimestamp(text: string): string {
  // Most connections use UTC. A date object for each time of a list costs more than the rest of reading it.
  const isPlain = text.endsWith('+00') && text.length >= SECONDS_LENGTH + 3 && text.length <= SECONDS_LENGTH + 7
  if (isPlain && text[4] === '-' && text[10] === ' ') {
    const fraction = text.slice(SECONDS_LENGTH + 1, -3).padEnd(3, '0')
    return `${text.slice(0, 10)}T${text.slice(11, SECONDS_LENGTH)}.${fraction}Z`
  }
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, (zone) => `${zone}:00`)).toISOString()
}

/** The connection is closed at the same time: the caller must not wait for work that waits for something else. */
async function inTime<Result>(ms: number, transaction: Promise<Result>): Promise<Result> {
  let deadline: NodeJS.Timeout | undefined
  const isTooLate = new Promise<never>((_, reject) => {
    deadline = setTimeout(() => reject(overdue()), ms + CONNECT_TIMEOUT_MS)
  })
  try {
    return await Promise.race([transaction, isTooLate])
  } finally {
    clearTimeout(deadline)
  }
}

/** The database rejects one of two transactions that cannot both succeed; its work is then retried. */
async function retried<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      const isContended = ['40001', '40P01'].includes(codeOf(error))
      if (!isContended) throw error
      if (attempts === ATTEMPTS_MAX) throw unavailable('The database is busy; try again in a moment', error)
      await yieldToEventLoop()
    }
  }
}

function withoutPassword(url: string): string {
  const shown = new URL(url)
  shown.password = ''
  // Says who connects, not where the data is.
  shown.searchParams.delete('application_name')
  return shown.href
}

async function readServerVersion(q: Queries): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(q)
  return rows[0]?.version ?? ''
}

async function readDatabaseSize(q: Queries): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(q)
  return rows[0]?.bytes ?? 0
}
