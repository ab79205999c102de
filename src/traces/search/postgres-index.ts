/**
 * The index for searching the texts of spans: trigrams, by the extension `pg_trgm`, which comes with the server but may be forbidden.
 * Without it, searches return the same and compare every text.
 */
import { Socket } from 'node:net'
import pg from 'pg'
import type { Logger } from '../../base/log.ts'
import {
  allowLongStatements,
  analyzeSpans,
  changePendingLimit,
  createIndex,
  createTrigramExtension,
  dropIndex,
  findIndex,
  findPendingLimit,
  lockBuilding,
  unlockBuilding,
} from './postgres-index-queries.ts'

const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 10_000

export type IndexOptions = { url: string; log: Logger }

/**
 * Not a migration, because it may fail, and because it must not block writers while it is built. Never rejects.
 *
 * On a connection of its own: those of the pool have time limits, and closing the pool waits for them. Nothing waits for this one, not
 * even the end of the process; the server then finishes the index by itself, or the next start builds it again.
 */
export async function preparePostgresIndex({ url, log }: IndexOptions): Promise<void> {
  const client = indexConnection({ url, log })
  try {
    await client.connect()
    await allowLongStatements(client)
    // Of two processes that build it at the same time, each would take the other's unfinished index for a broken one.
    if (!(await lockBuilding(client))) {
      log.info('the index for searching text is being made by another process')
      return
    }
    await buildIndex(client, log)
    await limitPendingList(client, log)
    await unlockBuilding(client)
  } catch (error) {
    log.warn({ err: error }, 'the index for searching text was not made; the next start tries again')
  } finally {
    // The connection may be lost already; then there is nothing to close.
    await client.end().catch(() => {})
  }
}

/** It keeps neither the process alive nor its end waiting. */
export function indexConnection({ url, log }: IndexOptions): pg.Client {
  const stream = () => new Socket().unref()
  const client = new pg.Client({
    connectionString: url,
    stream,
    application_name: 'touchstone search index',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Its statements have no time limit, so only this ends the wait for a server that is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('error', (error) => log.debug({ err: error }, 'the connection that makes the search index was lost'))
  return client
}

async function buildIndex(client: pg.Client, log: Logger): Promise<void> {
  const known = await findIndex(client)
  if (known?.isValid) {
    // The process that built it may have ended before it read the statistics.
    if (!known.isAnalyzed) await analyzeSpans(client)
    return
  }
  try {
    await createTrigramExtension(client)
  } catch (error) {
    log.info({ err: error }, 'pg_trgm cannot be used; searching text looks at every span')
    return
  }
  // The server keeps an index whose build was interrupted, but never uses it.
  if (known) await dropIndex(client)
  await createIndex(client)
  await analyzeSpans(client)
  log.info('the index for searching text has been made')
}

/** A database that is spread over nodes keeps the default: its lists are on the nodes, where only inserts merge them. */
async function limitPendingList(client: pg.Client, log: Logger): Promise<void> {
  const limit = await findPendingLimit(client)
  if (!limit || limit.isSet !== limit.isSpread) return
  try {
    await changePendingLimit(client, limit.isSpread ? 'default' : 'our limit')
  } catch (error) {
    log.info(
      { err: error },
      'the pending list of the index for searching text keeps its limit; the next start tries again',
    )
  }
}
