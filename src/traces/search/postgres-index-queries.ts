/** The statements on the index of `postgres-index.ts` and on its pending list. */
import type pg from 'pg'

export const INDEX = 'spans_text'

/**
 * What may be pending before an insert merges it: more than arrives between two merges of `merge-pending-entries.ts`, at 8 kB per span. A
 * search needs 0.3 s longer with as much.
 */
const PENDING = 'gin_pending_list_limit'
const PENDING_KB_MAX = 128 * 1024

/** Of the session, so that it ends with it. A migration takes another one, and must not wait for this. */
const BUILD_LOCK = 7305802
/** Of the statement. One process merges at a time; the others look again later. */
const MERGE_LOCK = 7305803

/** A merge makes the list shorter each time that this much memory is full. */
const MERGE_MEMORY = '16MB'

export async function allowLongStatements(client: pg.Client): Promise<void> {
  await client.query('set statement_timeout = 0')
}

/** False if another process has the lock. */
export async function lockBuilding(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isFree: boolean }>(`select pg_try_advisory_lock(${BUILD_LOCK}) as "isFree"`)
  return rows[0]?.isFree ?? false
}

export async function unlockBuilding(client: pg.Client): Promise<void> {
  await client.query(`select pg_advisory_unlock(${BUILD_LOCK})`)
}

type KnownIndex = { isValid: boolean; isAnalyzed: boolean }

/** The coordinator of a database that is spread over nodes has no rows, and so no statistics of its own. */
export async function findIndex(client: pg.Client): Promise<KnownIndex | undefined> {
  const { rows } = await client.query<KnownIndex>(
    `select i.indisvalid as "isValid", to_regclass('pg_dist_partition') is not null
      or exists (select 1 from pg_stats where tablename = '${INDEX}') as "isAnalyzed"
      from pg_index i where i.indexrelid = to_regclass('${INDEX}')`,
  )
  return rows[0]
}

export async function createTrigramExtension(client: pg.Client): Promise<void> {
  await client.query('create extension if not exists pg_trgm')
}

/** The expressions are those of `containsText`: the engine uses an index only for the very same ones. */
export async function createIndex(client: pg.Client): Promise<void> {
  await client.query(`create index concurrently if not exists ${INDEX} on spans using gin (
    lower(name collate "C") gin_trgm_ops, lower(input collate "C") gin_trgm_ops, lower(output collate "C") gin_trgm_ops)`)
}

/** Only a table that is analyzed after its index was built has statistics of the indexed expressions. Without them, a common word is slow. */
export async function analyzeSpans(client: pg.Client): Promise<void> {
  await client.query('analyze spans')
}

export async function dropIndex(client: pg.Client): Promise<void> {
  await client.query(`drop index concurrently if exists ${INDEX}`)
}

type PendingLimit = { isSet: boolean; isSpread: boolean }

/** `isSpread` is true if the database is spread over nodes. Undefined without an index. */
export async function findPendingLimit(client: pg.Client): Promise<PendingLimit | undefined> {
  const { rows } = await client.query<PendingLimit>(
    `select coalesce(reloptions @> array['${PENDING}=${PENDING_KB_MAX}'], false) as "isSet",
      to_regclass('pg_dist_partition') is not null as "isSpread" from pg_class where oid = to_regclass('${INDEX}')`,
  )
  return rows[0]
}

/** Locks out inserts, which must not wait long for a search that has begun before. */
export async function changePendingLimit(client: pg.Client, to: 'our limit' | 'default'): Promise<void> {
  await client.query("set lock_timeout = '1s'")
  const change = to === 'default' ? `reset (${PENDING})` : `set (${PENDING} = ${PENDING_KB_MAX})`
  await client.query(`alter index ${INDEX} ${change}`)
}

export async function limitMergeMemory(client: pg.Client): Promise<void> {
  await client.query(`set maintenance_work_mem = '${MERGE_MEMORY}'`)
}

/** Without an index, or while it is built, it does nothing. */
export async function mergePendingList(client: pg.Client): Promise<void> {
  await client.query(`select gin_clean_pending_list(indexrelid) from pg_index
    where indexrelid = to_regclass('${INDEX}') and indisvalid and pg_try_advisory_xact_lock(${MERGE_LOCK})`)
}

/** Whether the table of traces has rows although it was never analyzed; undefined if it was. */
export async function findUnanalyzedTraces(client: pg.Client): Promise<{ hasTraces: boolean } | undefined> {
  const { rows } = await client.query<{ hasTraces: boolean }>(
    `select pg_relation_size(oid) > 64 * 1024 as "hasTraces" from pg_class
      where oid = to_regclass('traces') and reltuples < 0`,
  )
  return rows[0]
}

export async function analyzeTraces(client: pg.Client): Promise<void> {
  await client.query('analyze traces')
}
