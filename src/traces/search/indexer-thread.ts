/** The thread of `SqliteIndexer`: one small transaction per turn, so that it receives requests in between. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { IndexerMessage, IndexWork } from './indexer.ts'
import { BrokenIndexError, removeSearchFile, SqliteSearchIndex } from './sqlite-index.ts'

const RETRY_AFTER_MS = [1_000, 5_000, 60_000]

const file = String(workerData)
const wanted = new Set<IndexWork>()
let main: Database.Database | undefined
let index: SqliteSearchIndex | undefined
let failures = 0
let isAtWork = false

parentPort?.on('message', (work: IndexWork) => {
  wanted.add(work)
  if (isAtWork) return
  isAtWork = true
  setImmediate(turn)
})

function turn(): void {
  try {
    doSome()
    if (wanted.size === 0) failures = 0
  } catch (error) {
    close()
    failures += 1
    const isBroken = error instanceof BrokenIndexError
    report({ kind: isBroken ? 'rebuilding' : 'failed', reason: reasonOf(error) })
    if (isBroken) wanted.add('rebuild')
    // A damaged file is rebuilt at once; if that one is damaged too, something is wrong with the disk.
    const retryMs = RETRY_AFTER_MS[Math.min(failures, RETRY_AFTER_MS.length) - 1]
    setTimeout(turn, isBroken && failures === 1 ? 0 : retryMs)
    return
  }
  isAtWork = wanted.size > 0
  if (isAtWork) setImmediate(turn)
}

function doSome(): void {
  if (wanted.has('rebuild') || wanted.has('reopen')) close()
  if (wanted.has('rebuild')) {
    removeSearchFile(file)
    wanted.add('index')
  }
  if (!index) {
    main ??= openMain()
    index = new SqliteSearchIndex(main, file)
    report({ kind: 'opened' })
  }
  wanted.delete('rebuild')
  wanted.delete('reopen')
  if (wanted.has('index') && !index.step()) wanted.delete('index')
  if (wanted.has('sweep') && !index.sweep()) wanted.delete('sweep')
}

function openMain(): Database.Database {
  const database = new Database(file, { readonly: true, timeout: 5_000 })
  // Every page is read once: there is nothing to keep.
  database.pragma('cache_size = -2000')
  return database
}

function close(): void {
  index?.close()
  index = undefined
}

function report(news: IndexerMessage): void {
  parentPort?.postMessage(news)
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
