/** The statements on the spans that `sqlite-index.ts` indexes, in the database itself. */
import type Database from 'better-sqlite3'

export type IndexedSpan = [
  position: number,
  workspaceId: string,
  spanId: string,
  name: string,
  input: string | null,
  output: string | null,
]

/** The spans behind a position. */
export function prepareSpansAfter(main: Database.Database): Database.Statement<unknown[], IndexedSpan> {
  return main
    .prepare<unknown[], IndexedSpan>(
      'select position, workspace_id, span_id, name, input, output from spans where position > ? order by position',
    )
    .raw()
}

export function listSpanPositions(main: Database.Database, first: number, last: number): number[] {
  return main
    .prepare<unknown[], number>('select position from spans where position between ? and ? order by position')
    .pluck()
    .all(first, last)
}

/** The highest position ever used, also by a span that was deleted. No row if there never was a span. */
export function prepareLastPosition(main: Database.Database): Database.Statement<unknown[], number> {
  return main.prepare<unknown[], number>("select seq from sqlite_sequence where name = 'spans'").pluck()
}

export function findSpanIdAt(main: Database.Database, position: number): string | undefined {
  return main.prepare<unknown[], string>('select span_id from spans where position = ?').pluck().get(position)
}

export function hasSpansTable(database: Database.Database): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'spans'").get() !== undefined
}

/** Calls the listener for each span that this connection deletes. */
export function onSpanDeleted(database: Database.Database, listener: () => void): void {
  database.function('note_deleted_span', () => {
    listener()
    return null
  })
  // Only this connection has it, and nothing of it is stored. Counting the spans instead would be slow.
  database.exec(`create temp trigger note_deleted_span after delete on main.spans
    begin select note_deleted_span(); end`)
}
