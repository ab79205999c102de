import { mkdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { AppError, codeOf } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import { workerFile } from '../../base/worker-file.ts'
import { ignoreBatch } from '../db.ts'
import { rememberOutages } from '../remember-outages.ts'
import type { Storage, StorageOptions } from '../storage-handle.ts'
import { transactionTimeoutMs } from '../transaction-limit.ts'
import { SqliteCheckpointer } from './checkpointer.ts'
import { queriesOn } from './connection.ts'
import { openForReading } from './open-for-reading.ts'
import { createPrivateFile, tightenDatabaseFiles } from './private-files.ts'
import { ReadPool } from './read-pool.ts'
import { configureNewFile, convertOlderFile, shortenFile } from './space.ts'
import { NO_LIMIT_MS, SqliteLogFile, SqliteWriter } from './writer.ts'

const OPEN_TIMEOUT_MS = 5_000
const DEFAULT_READ_WORKER = workerFile(new URL('./default-read-worker.ts', import.meta.url))

/** The embedded store: one file, one writing connection with group commit, one reading connection that sees only commits. */
export async function openSqlite({
  url,
  use,
  log,
  onFatal,
  embedded,
  statementTimeoutMs,
}: StorageOptions): Promise<Storage> {
  const file = resolve(url.slice('file:'.length))
  makeFolder(dirname(file))
  rejectNetworkFolder(dirname(file))
  const { tightened, failed } = tightenDatabaseFiles(file)
  if (tightened.length > 0) log.info({ files: tightened }, 'other users could read these files; now only this user can')
  if (failed.length > 0)
    log.warn({ files: failed }, 'other users can read these files, and this user may not change that')
  const release = use === 'server' ? lockForServer(file) : () => {}
  try {
    const writing = openWriting(file)
    if (use === 'server') convertOlderFile(writing, log)
    const reading = openForReading(file, 50)
    const read = queriesOn(reading)
    const indexer = use === 'server' ? embedded?.createSearchIndexer(writing, log) : undefined
    const entry = embedded?.readWorkerEntry ?? DEFAULT_READ_WORKER
    const pool = use === 'server' ? new ReadPool({ file, entry, log, indexer }) : undefined
    const copy = () => pool?.checkpoint() ?? Promise.resolve()
    const checkpointer = use === 'server' ? new SqliteCheckpointer({ database: writing, copy, log }) : undefined
    const logFile = new SqliteLogFile(file)
    const afterCommit = () => {
      indexer?.afterCommit()
      return checkpointer?.afterCommit()
    }
    const writer = new SqliteWriter(writing, {
      workMsMax: transactionTimeoutMs(statementTimeoutMs),
      onOverdue: (statement) => log.error({ statement }, 'a transaction reached its time limit and was rolled back'),
      toDisk: () => logFile.sync(),
      afterCommit,
      onFatal,
    })
    const outages = rememberOutages()
    const transaction: Storage['transaction'] = (work, application) => writer.run(work, application).catch(outages.note)
    return {
      engine: 'sqlite',
      location: file,
      inTransaction: false,
      read,
      bulk: (caller) => pool?.bulk(caller) ?? read,
      search: (caller) => pool?.search(caller) ?? read,
      inReadWorker: (task, input, options) =>
        pool && embedded
          ? pool.run(task, input, options)
          : task.run(read, input, options.signal, options.onBatch ?? ignoreBatch),
      isOnlyProcess: use === 'server',
      transaction,
      exclusiveTransaction: (work) => writer.run(work, '', NO_LIMIT_MS),
      async checkWritable() {
        await writer.run(async () => {})
        await outages.check(transaction)
      },
      checkNodes: async () => {},
      backup: (target) => backUp(file, resolve(target)),
      async releaseSpace() {
        // The file itself is truncated by the next checkpoint.
        if ((await shortenFile(writing, writer)) === 'shorter') checkpointer?.checkpoint()
        indexer?.releaseSpace()
      },
      readSize: async () => bytesOf(file) + bytesOf(`${file}-wal`),
      readLog: () => ({ bytes: bytesOf(`${file}-wal`), checkpoints: checkpointer?.count ?? 0 }),
      readVersion: async () => String(reading.prepare('select sqlite_version()').pluck().get()),
      async close() {
        // Nothing may be between its commit and what follows it when the file is closed.
        await writer.close()
        checkpointer?.stop()
        await Promise.all([pool?.stop(), indexer?.stop()])
        reading.close()
        logFile.close()
        // Copies the write-ahead log into the file, so that the file alone is the database.
        writing.pragma('wal_checkpoint(TRUNCATE)')
        writing.close()
        release()
        log.debug({ file }, 'database closed')
      },
    }
  } catch (error) {
    release()
    throw startError(`The database ${file} cannot be opened`, error)
  }
}

/**
 * Copies one snapshot, regardless of concurrent writes: it is read in one transaction, because a plain copy would start again with
 * each commit. The copy gets its name when it is complete, so that an incomplete one is not mistaken for a backup.
 */
async function backUp(file: string, target: string): Promise<void> {
  const partial = `${target}.partial`
  const snapshot = new Database(file, { readonly: true, timeout: OPEN_TIMEOUT_MS })
  try {
    snapshot.exec('begin')
    snapshot.prepare('select count(*) from sqlite_schema').get()
    createPrivateFile(partial)
    await snapshot.backup(partial)
    renameSync(partial, target)
  } finally {
    snapshot.close()
  }
}

function openWriting(file: string): Database.Database {
  createPrivateFile(file)
  const database = new Database(file, { timeout: OPEN_TIMEOUT_MS })
  configureNewFile(database)
  database.pragma('journal_mode = WAL')
  // Preserves the order of writes; `SqliteWriter` waits for the disk itself, while other requests are served.
  database.pragma('synchronous = NORMAL')
  database.pragma('foreign_keys = ON')
  database.pragma('cache_size = -8000')
  database.pragma('journal_size_limit = 4194304')
  // Every 2xx promises durability: do not start without it.
  invariant(database.pragma('journal_mode', { simple: true }) === 'wal', 'the journal must be a write-ahead log')
  invariant(
    database.pragma('synchronous', { simple: true }) === 1,
    'the log must be on the disk before it is folded back',
  )
  invariant(database.pragma('foreign_keys', { simple: true }) === 1, 'foreign keys must be enforced')
  // From here on the driver must not wait for locks, which would block the event loop. SqliteWriter waits instead.
  database.pragma('busy_timeout = 0')
  return database
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw startError(`The folder ${folder} cannot be made`, error)
  }
}

const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
])

/** A write-ahead log needs memory that all processes with the file share, which network file systems do not have. */
function rejectNetworkFolder(folder: string): void {
  const name = NETWORK_FILE_SYSTEMS.get(statfsSync(folder).type)
  if (name) throw startError(`The database cannot be kept on a network folder (${name}): ${folder}. Choose a local one`)
}

/**
 * Prevents a second server on the same file. The lock is the operating system's, held through a small separate database, so it ends
 * with the process; a second file has the id of the process that holds the lock.
 */
function lockForServer(file: string): () => void {
  let lock: Database.Database | undefined
  try {
    createPrivateFile(`${file}.lock`)
    lock = new Database(`${file}.lock`, { timeout: 0 })
    lock.pragma('journal_mode = DELETE')
    lock.exec('begin exclusive')
    writeFileSync(`${file}.pid`, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    lock?.close()
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw startError(`The folder of ${file} cannot be written to`, error)
    throw new AppError(500, `The database ${file} is in use by process ${holderOf(file)}. Stop that server first`)
  }
  const held = lock
  return () => {
    rmSync(`${file}.pid`, { force: true })
    held.exec('rollback')
    held.close()
  }
}

function holderOf(file: string): string {
  try {
    return readFileSync(`${file}.pid`, 'utf8').trim()
  } catch {
    // The holder has not written its process id yet.
    return '(unknown)'
  }
}

function startError(message: string, cause?: unknown): AppError {
  const detail = cause instanceof Error ? `: ${cause.message}` : ''
  return cause instanceof AppError ? cause : new AppError(500, `${message}${detail}`, { cause })
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
