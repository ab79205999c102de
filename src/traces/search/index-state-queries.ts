/** How far the search index is, for admins. Reads sizes of files and a few rows, so that it can be polled. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { hasIndexTables, progressIn } from './index-file-queries.ts'
import { INDEX } from './postgres-index-queries.ts'
import { searchFileOf } from './sqlite-index.ts'

/** `none`: not built yet, or not possible. `spansBehind` counts spans that are not indexed, deleted ones included; null if unknown. */
export type SearchIndexState = {
  state: 'none' | 'building' | 'ready'
  bytes: number | null
  spansBehind: number | null
}

type IndexedStorage = { readonly engine: 'sqlite' | 'postgres'; readonly location: string; readonly read: Queries }

export async function readSearchIndexState({ engine, location, read }: IndexedStorage): Promise<SearchIndexState> {
  return engine === 'sqlite' ? await readSqliteState(location, read) : await readPostgresState(read)
}

async function readSqliteState(file: string, q: Queries): Promise<SearchIndexState> {
  const searchFile = searchFileOf(file)
  const bytes = bytesOf(searchFile) + bytesOf(`${searchFile}-wal`)
  const position = bytes === 0 ? undefined : indexedPosition(searchFile)
  // It is built from the first search on.
  if (position === undefined) return { state: 'none', bytes: null, spansBehind: null }
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'spans'`.execute(q)
  const spansBehind = Math.max(0, (rows[0]?.seq ?? 0) - position)
  return { state: spansBehind === 0 ? 'ready' : 'building', bytes, spansBehind }
}

/** Undefined while the file is being created or built again. */
function indexedPosition(searchFile: string): number | undefined {
  try {
    const index = new Database(searchFile, { readonly: true, timeout: 0 })
    try {
      return hasIndexTables(index, 'main') ? progressIn(index, 'main').position : undefined
    } finally {
      index.close()
    }
  } catch {
    // Removed or locked at this moment: the index is then not ready, which is what is reported.
    return undefined
  }
}

type IndexRow = { indexBytes: number | null; isValid: boolean | null }

/** The database updates its index with each write, so that no span is ever behind. */
async function readPostgresState(q: Queries): Promise<SearchIndexState> {
  const { rows } = await sql<IndexRow>`select pg_relation_size(to_regclass(${INDEX})) as "indexBytes",
      (select indisvalid from pg_index where indexrelid = to_regclass(${INDEX})) as "isValid"`.execute(q)
  const { indexBytes = null, isValid = null } = rows[0] ?? {}
  const state = isValid === null ? 'none' : isValid ? 'ready' : 'building'
  return { state, bytes: indexBytes, spansBehind: state === 'ready' ? 0 : null }
}

function bytesOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
