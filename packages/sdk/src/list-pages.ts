export interface Page<Entry> {
  data: Entry[]
  /** The number of all entries; undefined for lists that the server does not count. */
  total: number | undefined
  /** Of a search of traces that was limited to those that started at this time or later. */
  searchedSince?: string
  /** Undefined after the last page. */
  next: (() => Promise<Page<Entry>>) | undefined
}

/**
 * A list, to be read entry by entry with `for await`, or page by page with `page()`. Nothing is requested before.
 *
 * Most lists are newest first and read by offset: an entry that is created meanwhile is not returned, one that is deleted meanwhile
 * can hide another one.
 */
export class Pages<Entry> implements AsyncIterable<Entry> {
  readonly #first: () => Promise<Page<Entry>>

  constructor(first: () => Promise<Page<Entry>>) {
    this.#first = first
  }

  /** The first page. Its `next` reads the one after it. */
  page(): Promise<Page<Entry>> {
    return this.#first()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Entry, void, undefined> {
    let before = new Set<unknown>()
    for (let page: Page<Entry> | undefined = await this.#first(); page; page = await page.next?.()) {
      const ids = new Set<unknown>()
      for (const entry of page.data) {
        const id = idOf(entry)
        // Entries that were created since the last page have moved its end to the start of this one.
        if (id === undefined || !before.has(id)) yield entry
        ids.add(id)
      }
      before = ids
    }
  }

  /** All entries, at most `max` of them. */
  async toArray({ max = Number.POSITIVE_INFINITY }: { max?: number } = {}): Promise<Entry[]> {
    const entries: Entry[] = []
    if (max <= 0) return entries
    for await (const entry of this) {
      entries.push(entry)
      if (entries.length >= max) break
    }
    return entries
  }
}

function idOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined
}
