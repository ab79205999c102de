/**
 * The index for searching the texts of spans: every three characters that follow each other in a name, an input or an output.
 *
 * It lives in a file of its own beside the database and is made from it, on a thread of its own: writing it takes as long as storing
 * the spans, and nobody who sends spans should wait for that. How far it has come is kept in the same file and transaction; whoever
 * searches looks at the spans behind that point one by one, so that a span is found from the moment it is stored. The file may be
 * deleted at any time: it is then made anew. It tells only where to look, and what it finds is compared with the text itself, so that
 * spans which have been deleted since do no harm.
 */
import Database from 'better-sqlite3'

/** A step is one transaction: a large one costs half as much per span, and a search waits for it a tenth of a second at most. */
const SPANS_PER_STEP = 2_000
const SWEPT_PER_STEP = 1_000

/** Changed when what is indexed changes: an index of another form is made anew. */
const FORM = 1

type Span = { position: number; span_id: string; name: string; input: string | null; output: string | null }

export function searchFileOf(file: string): string {
  return `${file}-search`
}

export class SqliteSearchIndex {
  readonly #index: Database.Database
  readonly #main: Database.Database
  readonly #insert: Database.Statement
  readonly #next: Database.Statement<unknown[], Span>
  #sweptUntil = 0

  /** `main` is a connection for reading to the database whose spans are indexed. */
  constructor(main: Database.Database, file: string) {
    this.#main = main
    this.#index = new Database(searchFileOf(file), { timeout: 5_000 })
    this.#index.pragma('journal_mode = WAL')
    // A power failure may cost the last steps, never the file's consistency; they are then done again.
    this.#index.pragma('synchronous = NORMAL')
    this.#index.pragma('cache_size = -16000')
    this.#create()
    if (!this.#isOfThisDatabase()) {
      this.#index.exec('drop table span_text; drop table progress')
      this.#create()
    }
    this.#insert = this.#index.prepare('insert into span_text (rowid, text) values (?, ?)')
    this.#next = main.prepare(
      'select position, span_id, name, input, output from spans where position > ? order by position limit ?',
    )
  }

  /** Indexes some spans; true if there are more. */
  step(): boolean {
    const { position } = this.#progress()
    const spans = this.#next.all(position, SPANS_PER_STEP)
    const last = spans.at(-1)
    if (!last) return false
    this.#index.exec('begin immediate')
    try {
      for (const span of spans) this.#insert.run(span.position, [span.name, span.input, span.output].join('\n'))
      this.#index.prepare('update progress set position = ?, span_id = ?').run(last.position, last.span_id)
      this.#index.exec('commit')
    } catch (error) {
      this.#index.exec('rollback')
      throw error
    }
    return spans.length === SPANS_PER_STEP
  }

  /** Forgets some spans that are gone; true if there is more to look at. Begins anew when it has seen all. */
  sweep(): boolean {
    const known = this.#index
      .prepare<unknown[], { rowid: number }>('select rowid from span_text where rowid > ? order by rowid limit ?')
      .all(this.#sweptUntil, SWEPT_PER_STEP)
    const last = known.at(-1)
    if (!last) {
      this.#sweptUntil = 0
      return false
    }
    const there = this.#main
      .prepare<unknown[], { position: number }>('select position from spans where position > ? and position <= ?')
      .all(this.#sweptUntil, last.rowid)
    const positions = new Set(there.map(({ position }) => position))
    const remove = this.#index.prepare('delete from span_text where rowid = ?')
    this.#index.exec('begin immediate')
    for (const { rowid } of known) if (!positions.has(rowid)) remove.run(rowid)
    this.#index.exec('commit')
    this.#sweptUntil = last.rowid
    return known.length === SWEPT_PER_STEP
  }

  close(): void {
    this.#index.close()
  }

  #create(): void {
    // Neither the text nor the places inside it are kept, which makes it a third of the size and half the work.
    this.#index.exec(`
      create virtual table if not exists span_text using fts5(text, tokenize='trigram', content='', contentless_delete=1, detail=none);
      create table if not exists progress (form integer not null, position integer not null, span_id text not null);
      insert into progress select ${FORM}, 0, '' where not exists (select 1 from progress)`)
  }

  #progress(): { form: number; position: number; span_id: string } {
    const progress = this.#index
      .prepare<unknown[], { form: number; position: number; span_id: string }>('select * from progress')
      .get()
    return progress ?? { form: 0, position: 0, span_id: '' }
  }

  /** A database that was restored from a backup counts on from an earlier number: its spans are not the ones that were indexed. */
  #isOfThisDatabase(): boolean {
    const { form, position, span_id } = this.#progress()
    if (form !== FORM) return false
    if (position === 0) return true
    const last = this.#main
      .prepare<unknown[], { seq: number }>("select seq from sqlite_sequence where name = 'spans'")
      .get()
    if ((last?.seq ?? 0) < position) return false
    const indexed = this.#main
      .prepare<unknown[], { span_id: string }>('select span_id from spans where position = ?')
      .get(position)
    return indexed === undefined || indexed.span_id === span_id
  }
}
