/**
 * The index for searching the texts of spans: every three characters that follow each other in a name, an input or an output.
 *
 * It has its own file next to the database and is built from the database in a worker, because writing it needs as long as storing the
 * spans, and senders should not wait for that. Its position is stored in the same file and transaction. A search compares the spans behind
 * that position one by one, so that a span is found from the moment it is stored. The file can be deleted at any time and is then built
 * again. The index only narrows the search: candidates are compared with the text itself, so that deleted spans do no harm.
 */
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { codeOf } from '../../base/errors.ts'
import { createPrivateFile } from '../../storage/sqlite/private-files.ts'
import { markOf, withoutMarks } from './search-marks.ts'

/** A step is one transaction, and everything in it is in memory: large ones cost half as much per span, up to about here. */
const SPANS_PER_STEP = 2_000
const CHARACTERS_PER_STEP = 1 << 20
const SWEPT_PER_STEP = 1_000
/** Less is soon used again by what is written next. */
const REMOVED_SHARE_MAX = 0.1
const FREE_SHARE_MAX = 0.1
/** Pages of a merge or of shortening: each is a step of a few hundredths of a second. */
const PAGES_PER_STEP = 500

/** Increased when the content or the layout of the index changes: an index of another version is built again. */
const FORMAT_VERSION = 3

/** It stores neither the text nor the positions in it, which needs a third of the space and half the time. */
const SPAN_TEXT = "fts5(text, tokenize='trigram', content='', contentless_delete=1, detail=none)"

type Span = {
  position: number
  workspace_id: string
  span_id: string
  name: string
  input: string | null
  output: string | null
}
/** Whether the index is the database that a connection is to, or attached to it. */
type Schema = 'main' | 'search'
type Progress = { form: number; position: number; span_id: string }

export function searchFileOf(file: string): string {
  return `${file}-search`
}

/** No thread may be writing to the file. Open readers keep reading the old content. */
export function removeSearchFile(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${searchFileOf(file)}${end}`, { force: true })
}

/** Thrown when the file is no index, or a damaged one, and not merely out of reach. */
export class BrokenIndexError extends Error {}

export class SqliteSearchIndex {
  readonly #index: Database.Database
  readonly #main: Database.Database
  readonly #next: Database.Statement<unknown[], Span>
  #sweeping: Generator<void> | undefined

  /** `main` is a connection for reading to the database whose spans are indexed. Creates the file if there is none. */
  constructor(main: Database.Database, file: string) {
    this.#main = main
    this.#next = main.prepare(
      'select position, workspace_id, span_id, name, input, output from spans where position > ? order by position',
    )
    this.#index = attempt(() => openSearchFile(file))
    try {
      if (!isProgressOf(main, this.#progress())) throw new BrokenIndexError('the search index is of other spans')
    } catch (error) {
      this.#index.close()
      throw error
    }
  }

  /** Indexes some spans; true if there are more. */
  step(): boolean {
    const { spans, hasMore } = this.#nextSpans()
    const last = spans.at(-1)
    if (!last) return false
    this.#write(() => {
      const insert = this.#index.prepare('insert into span_text (rowid, text) values (?, ?)')
      for (const span of spans) insert.run(span.position, textOf(span))
      this.#index.prepare('update progress set position = ?, span_id = ?').run(last.position, last.span_id)
    })
    return hasMore
  }

  /** Removes some of the entries whose spans were deleted; true if there are more. */
  sweep(): boolean {
    this.#sweeping ??= this.#sweepInParts()
    if (!this.#sweeping.next().done) return true
    this.#sweeping = undefined
    return false
  }

  close(): void {
    this.#index.close()
  }

  #nextSpans(): { spans: Span[]; hasMore: boolean } {
    const { position } = this.#progress()
    const spans: Span[] = []
    let characters = 0
    for (const span of this.#next.iterate(position)) {
      characters += textOf(span).length
      const isFull = spans.length === SPANS_PER_STEP || characters > CHARACTERS_PER_STEP
      if (isFull && spans.length > 0) return { spans, hasMore: true }
      spans.push(span)
    }
    return { spans, hasMore: false }
  }

  *#sweepInParts(): Generator<void> {
    let seen = 0
    let removed = 0
    for (let known = this.#known(0); known.length > 0; known = this.#known(known.at(-1) ?? 0)) {
      seen += known.length
      removed += this.#removeMissing(known)
      yield
    }
    // Removed entries are only marked until their part of the index is written again.
    if (removed > seen * REMOVED_SHARE_MAX) {
      for (let pages = -PAGES_PER_STEP; this.#merge(pages) === 'more'; pages = PAGES_PER_STEP) yield
    }
    while (this.#shorten() === 'more') yield
    // The file itself is cut when the log is folded into it.
    this.#index.pragma('wal_checkpoint(PASSIVE)')
  }

  #known(after: number): number[] {
    return attempt(() =>
      this.#index
        .prepare<unknown[], number>(
          'select rowid from span_text where rowid > ? order by rowid limit cast(? as integer)',
        )
        .pluck()
        .all(after, SWEPT_PER_STEP),
    )
  }

  #removeMissing(known: readonly number[]): number {
    const there = this.#main
      .prepare<unknown[], number>('select position from spans where position between ? and ?')
      .pluck()
      .all(known[0], known.at(-1))
    const positions = new Set(there)
    const missing = known.filter((position) => !positions.has(position))
    if (missing.length === 0) return 0
    this.#write(() => {
      const remove = this.#index.prepare('delete from span_text where rowid = ?')
      for (const position of missing) remove.run(position)
    })
    return missing.length
  }

  /** As FTS5 defines it: a negative number starts to merge all segments into one, and a merge that changed nothing was the last. */
  #merge(pages: number): 'more' | 'done' {
    const changes = this.#index.prepare<unknown[], number>('select total_changes()').pluck()
    const before = changes.get() ?? 0
    this.#write(() => this.#index.prepare("insert into span_text (span_text, rank) values ('merge', ?)").run(pages))
    return (changes.get() ?? 0) - before >= 2 ? 'more' : 'done'
  }

  #shorten(): 'more' | 'done' {
    const free = Number(this.#index.pragma('freelist_count', { simple: true }))
    if (free <= Number(this.#index.pragma('page_count', { simple: true })) * FREE_SHARE_MAX) return 'done'
    attempt(() => this.#index.pragma(`incremental_vacuum(${PAGES_PER_STEP})`))
    return Number(this.#index.pragma('freelist_count', { simple: true })) < free ? 'more' : 'done'
  }

  #write(work: () => void): void {
    attempt(() => this.#index.transaction(work).immediate())
  }

  #progress(): Progress {
    return attempt(() => progressIn(this.#index, 'main'))
  }
}

/** Creates the tables of an index that has no entries yet, so that searches compare every span, unless they exist. */
export function createIndexTables(database: Database.Database, schema: Schema): void {
  database.exec(`
    create virtual table if not exists ${schema}.span_text using ${SPAN_TEXT};
    create table if not exists ${schema}.progress (form integer not null, position integer not null, span_id text not null);
    insert into ${schema}.progress select ${FORMAT_VERSION}, 0, '' where not exists (select 1 from ${schema}.progress)`)
}

function openSearchFile(file: string): Database.Database {
  createPrivateFile(searchFileOf(file))
  const index = new Database(searchFileOf(file), { timeout: 5_000 })
  try {
    // Must come before anything is written: so that the file can become smaller.
    index.pragma('auto_vacuum = incremental')
    index.pragma('journal_mode = WAL')
    // A power failure may cost the last steps, never the file's consistency; they are then done again.
    index.pragma('synchronous = NORMAL')
    index.pragma('cache_size = -8000')
    index.transaction(() => createIndexTables(index, 'main')).immediate()
    return index
  } catch (error) {
    index.close()
    throw error
  }
}

/** The tables are created a moment after the file: a file without them is not broken, but not ready yet. */
export function hasIndexTables(database: Database.Database, schema: Schema): boolean {
  return database.prepare(`select 1 from ${schema}.sqlite_schema where name = 'progress'`).get() !== undefined
}

export function progressIn(database: Database.Database, schema: Schema): Progress {
  const progress = database.prepare<unknown[], Progress>(`select * from ${schema}.progress`).get()
  return progress ?? { form: 0, position: 0, span_id: '' }
}

/** A database that was restored from a backup counts on from an earlier number: its spans are not the ones that were indexed. */
export function isProgressOf(main: Database.Database, { form, position, span_id }: Progress): boolean {
  if (form !== FORMAT_VERSION) return false
  if (position === 0) return true
  const last = main.prepare<unknown[], { seq: number }>("select seq from sqlite_sequence where name = 'spans'").get()
  if ((last?.seq ?? 0) < position) return false
  const indexed = main
    .prepare<unknown[], { span_id: string }>('select span_id from spans where position = ?')
    .get(position)
  return indexed === undefined || indexed.span_id === span_id
}

/** With the mark of its application, so that a search finds entries of that application only. */
function textOf({ workspace_id, name, input, output }: Span): string {
  return `${withoutMarks([name, input, output].join('\n'))}\n${markOf(workspace_id)}`
}

/** Distinguishes a file that must be built again from one that cannot be used right now. For the index only: the database may be damaged, too. */
function attempt<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))) throw error
    throw new BrokenIndexError('the search index is damaged', { cause: error })
  }
}
