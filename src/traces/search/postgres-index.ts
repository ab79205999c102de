/**
 * The index for searching the texts of spans: trigrams, by the extension `pg_trgm`, which comes with the server but may be forbidden.
 * Without it, searches return the same and compare every text.
 */
import { Socket } from 'node:net'
import pg from 'pg'
import type { Logger } from '../../base/log.ts'

export const INDEX = 'spans_text'

export type IndexOptions = { url: string; log: Logger }

/**
 * What may be pending before an insert merges it: more than arrives between two merges of `merge-pending-entries.ts`, at 8 kB per span. A
 * search needs 0.3 s longer with as much.
 */
const PENDING = 'gin_pending_list_limit'
const PENDING_KB_MAX = 128 * 1024

/** The expressions are those of `containsText`: the engine uses an index only for the very same ones. */
const CREATE = `create index concurrently if not exists ${INDEX} on spans using gin (
  lower(name collate "C") gin_trgm_ops, lower(input collate "C") gin_trgm_ops, lower(output collate "C") gin_trgm_ops)`

/** Of the session, so that it ends with it. A migration takes another one, and must not wait for this. */
const LOCK = 7305802

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
    await client.query('set statement_timeout = 0')
    // Of two processes that build it at the same time, each would take the other's unfinished index for a broken one.
    const { rows } = await client.query<{ isFree: boolean }>(`select pg_try_advisory_lock(${LOCK}) as "isFree"`)
    if (!rows[0]?.isFree) {
      log.info('the index for searching text is being made by another process')
      return
    }
    await createIndex(client, log)
    await limitPendingList(client, log)
    await client.query(`select pg_advisory_unlock(${LOCK})`)
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
    keepAlive: true,
  })
  client.on('error', (error) => log.debug({ err: error }, 'the connection that makes the search index was lost'))
  return client
}

async function createIndex(client: pg.Client, log: Logger): Promise<void> {
  const { rows } = await client.query<{ isValid: boolean }>(
    `select i.indisvalid as "isValid" from pg_index i where i.indexrelid = to_regclass('${INDEX}')`,
  )
  const [known] = rows
  if (known?.isValid) return
  try {
    await client.query('create extension if not exists pg_trgm')
  } catch (error) {
    log.info({ err: error }, 'pg_trgm cannot be used; searching text looks at every span')
    return
  }
  // The server keeps an index whose build was interrupted, but never uses it.
  if (known) await client.query(`drop index concurrently if exists ${INDEX}`)
  await client.query(CREATE)
  log.info('the index for searching text has been made')
}

/** A database that is spread over nodes keeps the default: its lists are on the nodes, where only inserts merge them. */
async function limitPendingList(client: pg.Client, log: Logger): Promise<void> {
  const { rows } = await client.query<{ isSet: boolean; isSpread: boolean }>(
    `select coalesce(reloptions @> array['${PENDING}=${PENDING_KB_MAX}'], false) as "isSet",
      to_regclass('pg_dist_partition') is not null as "isSpread" from pg_class where oid = to_regclass('${INDEX}')`,
  )
  const [index] = rows
  if (!index || index.isSet !== index.isSpread) return
  const change = index.isSpread ? `reset (${PENDING})` : `set (${PENDING} = ${PENDING_KB_MAX})`
  try {
    // Changing it locks out inserts, which must not wait long for a search that has begun before.
    await client.query("set lock_timeout = '1s'")
    await client.query(`alter index ${INDEX} ${change}`)
  } catch (error) {
    log.info(
      { err: error },
      'the pending list of the index for searching text keeps its limit; the next start tries again',
    )
  }
}
