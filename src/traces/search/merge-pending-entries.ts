/**
 * Merges the entries of new spans into the search index on PostgreSQL.
 *
 * An insert only appends its entries to the pending list of the index, and every search reads that list from start to end. PostgreSQL lets
 * the insert that exceeds the list's limit merge all of it. Under load that insert reached the time limit of requests, so the limit is high
 * (`postgres-index-queries.ts`) and this merges instead. A merge that is interrupted keeps what it has done.
 */
import type pg from 'pg'
import { codeOf } from '../../base/errors.ts'
import { type IndexOptions, indexConnection } from './postgres-index.ts'
import {
  allowLongStatements,
  analyzeTraces,
  findUnanalyzedTraces,
  limitMergeMemory,
  mergePendingList,
} from './postgres-index-queries.ts'

/** Merging more entries at a time costs less; searches read fewer pending ones when it is done often. */
const MERGE_EVERY_MS = 2_000
/** Soon: what is stored meanwhile must stay below the limit of the list. */
const RETRY_AFTER_MS = 5_000

const NOT_OWNER = '42501'

/** Returns a function that closes the connection, even while a merge runs: the database server then finishes it by itself. */
export function startMerging({ url, log }: IndexOptions): () => void {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let hasFailed = false
  let isAnalyzed = false

  const close = () => {
    // The connection may be lost already; then there is nothing to close.
    client?.end().catch(() => {})
    client = undefined
  }

  async function connect(): Promise<pg.Client> {
    client = indexConnection({ url, log })
    await client.connect()
    await allowLongStatements(client)
    await limitMergeMemory(client)
    return client
  }

  /**
   * The first traces of a new database. Before PostgreSQL analyzes the table, up to a minute later, it looks up the trace of each span
   * among all traces of the application: storing 120,000 spans needed three times the CPU. At most once: without the right to do it, the
   * database only warns.
   */
  async function analyze(connected: pg.Client): Promise<void> {
    const table = await findUnanalyzedTraces(connected)
    isAnalyzed = !table || table.hasTraces
    if (table?.hasTraces) await analyzeTraces(connected)
  }

  async function merge(): Promise<void> {
    try {
      const connected = client ?? (await connect())
      await mergePendingList(connected)
      if (!isAnalyzed) await analyze(connected)
      hasFailed = false
      again(MERGE_EVERY_MS)
    } catch (error) {
      close()
      if (isStopped) return
      if (codeOf(error) === NOT_OWNER) {
        log.info('another user owns the index for searching text; its entries are merged by inserts')
        return
      }
      // Once, and not again and again while the database is away.
      if (!hasFailed)
        log.warn({ err: error }, 'the index for searching text could not be merged; it will be tried again')
      hasFailed = true
      again(RETRY_AFTER_MS)
    }
  }

  function again(ms: number): void {
    if (!isStopped) timer = setTimeout(() => void merge(), ms).unref()
  }

  again(MERGE_EVERY_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
    close()
  }
}
