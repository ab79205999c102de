/** The statements on the tables of the index file of `sqlite-index.ts`: segments, their lists of spans, and how far the index is. */
import type Database from 'better-sqlite3'
import { listId } from './list-ids.ts'
import type { TrigramRow } from './segment-builder.ts'

/** Increased when the content or the layout of the index changes: an index of another version is built again. */
export const FORMAT_VERSION = 5

/** The spans from `first` to `last`; a span's number in the segment is 1 for `first`. Bytes are those of its lists. */
export type Segment = { id: number; level: number; first: number; last: number; spans: number; bytes: number }
export type NewSegment = Omit<Segment, 'id' | 'bytes'>
export type TrigramRange = { from: number; to: number }
export type Progress = { form: number; position: number; span_id: string }
/** Whether the index is the database that a connection is to, or attached to it. */
type Schema = 'main' | 'search'

/** Creates the tables of an index that has no entries yet, so that searches compare every span, unless they exist. */
export function createIndexTables(database: Database.Database, schema: Schema): void {
  database.exec(`
    create table if not exists ${schema}.segments (id integer primary key, level integer not null, first integer not null,
      last integer not null, spans integer not null, bytes integer not null);
    create table if not exists ${schema}.span_lists (id integer primary key, spans blob not null);
    create table if not exists ${schema}.progress (form integer not null, position integer not null, span_id text not null);
    insert into ${schema}.progress select ${FORMAT_VERSION}, 0, '' where not exists (select 1 from ${schema}.progress)`)
}

/** The tables are created a moment after the file: a file without them is not broken, but not ready yet. */
export function hasIndexTables(database: Database.Database, schema: Schema): boolean {
  return database.prepare(`select 1 from ${schema}.sqlite_schema where name = 'progress'`).get() !== undefined
}

export function attachIndexFile(database: Database.Database, file: string): void {
  database.prepare('attach database ? as search').run(file)
}

export function attachEmptyIndex(database: Database.Database): void {
  database.exec("attach database ':memory:' as search")
  createIndexTables(database, 'search')
}

export function progressIn(database: Database.Database, schema: Schema): Progress {
  const progress = database.prepare<unknown[], Progress>(`select * from ${schema}.progress`).get()
  return progress ?? { form: 0, position: 0, span_id: '' }
}

export function updateProgress(index: Database.Database, position: number, spanId: string): void {
  index.prepare('update progress set position = ?, span_id = ?').run(position, spanId)
}

export function listSegments(index: Database.Database): Segment[] {
  return index.prepare<unknown[], Segment>('select * from segments order by first').all()
}

/** The rows may be read from the index while they are inserted. */
export function insertSegment(
  index: Database.Database,
  { level, first, last, spans }: NewSegment,
  rows: Iterable<TrigramRow>,
): void {
  const { lastInsertRowid: id } = index
    .prepare('insert into segments (level, first, last, spans, bytes) values (?, ?, ?, ?, 0)')
    .run(level, first, last, spans)
  const insert = index.prepare('insert into span_lists (id, spans) values (?, ?)')
  let bytes = 0
  for (const [trigram, list] of rows) {
    insert.run(listId(Number(id), trigram), list)
    bytes += list.length
  }
  index.prepare('update segments set bytes = ? where id = ?').run(bytes, id)
}

export function deleteSegment(index: Database.Database, id: number): void {
  index.prepare('delete from span_lists where id between ? and ?').run(listId(id, 0), listId(id + 1, 0) - 1)
  index.prepare('delete from segments where id = ?').run(id)
}

export function listSpanLists(index: Database.Database, segmentId: number, { from, to }: TrigramRange): TrigramRow[] {
  return index
    .prepare<unknown[], TrigramRow>('select id - ?, spans from span_lists where id between ? and ?')
    .raw()
    .all(listId(segmentId, 0), listId(segmentId, from), listId(segmentId, to))
}

/** What a search reads; prepared once per connection. */
export function prepareSearchStatements(index: Database.Database) {
  return {
    segments: index.prepare<unknown[], { id: number; first: number }>('select id, first from segments order by first'),
    listOf: index.prepare<unknown[], Uint8Array>('select spans from span_lists where id = ?').pluck(),
    // The length of a list is known without reading it.
    shortestFirst: index
      .prepare<unknown[], [id: number, length: number]>(
        'select id, length(spans) as length from span_lists where id in (select value from json_each(?)) order by length',
      )
      .raw(),
  }
}
