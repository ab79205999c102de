/**
 * The index for searching the texts of spans: for every three characters that follow each other in a name, an input or an output, the
 * spans that contain them.
 *
 * It has its own file next to the database and is built from the database in a worker, because senders should not wait for it. Its position
 * is stored in the same file and transaction. A search compares the spans behind that position one by one, so that a span is found from the
 * moment it is stored. The file can be deleted at any time and is then built again. The index only narrows the search: candidates are
 * compared with the text itself, so that deleted spans do no harm.
 *
 * Each step writes a segment, which is never changed. Segments of the same level are merged into one of the next level, so that a search
 * reads few of them; those that are large enough stay as they are.
 */
import { rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { codeOf } from '../../base/errors.ts'
import { createPrivateFile } from '../../storage/sqlite/private-files.ts'
import {
  createIndexTables,
  deleteSegment,
  FORMAT_VERSION,
  insertSegment,
  listSegments,
  listSpanLists,
  type NewSegment,
  type Progress,
  progressIn,
  type Segment,
  type TrigramRange,
  updateProgress,
} from './index-file-queries.ts'
import {
  findSpanIdAt,
  type IndexedSpan,
  listSpanPositions,
  prepareLastPosition,
  prepareSpansAfter,
} from './indexed-spans-queries.ts'
import { isMark, LISTS_MAX } from './list-ids.ts'
import { SegmentBuilder, SPAN_NUMBER_MAX, type TrigramRow } from './segment-builder.ts'
import { decodeList, encodeList, joinLists, keepInRuns, runsOf } from './span-lists.ts'

/** A step is one transaction, and everything in it is in memory: large ones cost less per span, up to about here. */
const SPANS_PER_STEP = 4_000
const CHARACTERS_PER_STEP = 2 << 20
const SEGMENTS_PER_MERGE = 8
/** Segments of this size are not merged: it would cost more than searches gain. */
const MERGED_BYTES_MAX = 8 << 20
/** The lists of so many trigrams are in memory at a time: all lists of a few segments may be millions of small ones. */
const TRIGRAMS_PER_READ = 1 << 13
/** Less is soon used again by what is written next. */
const REMOVED_SHARE_MAX = 0.1
const FREE_SHARE_MAX = 0.1
/** Pages of shortening: a step of a few hundredths of a second. */
const PAGES_PER_STEP = 500

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
  readonly #spansAfter: Database.Statement<unknown[], IndexedSpan>
  #sweeping: Generator<void> | undefined

  /** `main` is a connection for reading to the database whose spans are indexed. Creates the file if there is none. */
  constructor(main: Database.Database, file: string) {
    this.#main = main
    this.#spansAfter = prepareSpansAfter(main)
    this.#index = attempt(() => openSearchFile(file))
    try {
      if (!isProgressOf(main, this.#progress()))
        throw new BrokenIndexError('the search index is of other spans or of another version')
    } catch (error) {
      this.#index.close()
      throw error
    }
  }

  /** Indexes some spans; true if there are more. */
  step(): boolean {
    const { builder, segment, lastSpanId, hasMore } = this.#nextSpans()
    if (segment.spans === 0) return false
    this.#write(() => {
      insertSegment(this.#index, segment, builder.rows())
      updateProgress(this.#index, segment.last, lastSpanId)
      this.#mergeLevels()
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

  #nextSpans() {
    const builder = new SegmentBuilder()
    const segment: NewSegment = { level: 0, first: 0, last: 0, spans: 0 }
    let lastSpanId = ''
    let characters = 0
    const spans = this.#spansAfter.iterate(this.#progress().position)
    for (const [position, workspaceId, spanId, name, input, output] of spans) {
      if (segment.spans === 0) segment.first = position
      const number = position - segment.first + 1
      characters += name.length + (input?.length ?? 0) + (output?.length ?? 0)
      const isFull = segment.spans === SPANS_PER_STEP || characters > CHARACTERS_PER_STEP || number > SPAN_NUMBER_MAX
      if (isFull && segment.spans > 0) return { builder, segment, lastSpanId, hasMore: true }
      builder.add(number, workspaceId, [name, input, output])
      segment.last = position
      segment.spans += 1
      lastSpanId = spanId
    }
    return { builder, segment, lastSpanId, hasMore: false }
  }

  #mergeLevels(): void {
    for (const segments of neighborsOfLevel(this.#segments())) {
      if (segments.length < SEGMENTS_PER_MERGE) continue
      const [{ first, level } = { first: 0, level: 0 }] = segments
      const rows = this.#mergedRows(segments)
      const spans = segments.reduce((sum, segment) => sum + segment.spans, 0)
      insertSegment(this.#index, { level: level + 1, first, last: segments.at(-1)?.last ?? first, spans }, rows)
      for (const { id } of segments) deleteSegment(this.#index, id)
    }
  }

  /** The lists of several segments, in ascending order, as those of one that starts with the first. */
  *#mergedRows(segments: readonly Segment[]): Generator<TrigramRow> {
    for (const range of trigramRanges()) {
      const partsOf = new Map<number, { list: Uint8Array; increase: number }[]>()
      for (const { id, first } of segments) {
        const increase = first - (segments[0]?.first ?? first)
        for (const [trigram, list] of listSpanLists(this.#index, id, range)) {
          const parts = partsOf.get(trigram)
          if (parts) parts.push({ list, increase })
          else partsOf.set(trigram, [{ list, increase }])
        }
      }
      for (const [trigram, parts] of [...partsOf].sort(([a], [b]) => a - b)) yield [trigram, joinLists(parts)]
    }
  }

  /** The lists of a segment, reduced to these spans. */
  *#rowsWith(numbers: readonly number[], segmentId: number): Generator<TrigramRow> {
    const isThere = new Set(numbers)
    for (const range of trigramRanges()) {
      for (const [trigram, list] of listSpanLists(this.#index, segmentId, range)) {
        const left = isMark(trigram)
          ? runsOf(keepInRuns(numbers, list))
          : decodeList(list).filter((number) => isThere.has(number))
        if (left.length > 0) yield [trigram, encodeList(left)]
      }
    }
  }

  *#sweepInParts(): Generator<void> {
    // Read again for each part: between two, a merge may replace the segments that are not swept yet.
    const next = (after: number) => this.#segments().find(({ first }) => first > after)
    for (let segment = next(0); segment; segment = next(segment.last)) {
      this.#removeMissing(segment)
      yield
    }
    while (this.#shorten() === 'more') yield
    // The file itself is cut when the log is folded into it.
    this.#index.pragma('wal_checkpoint(PASSIVE)')
  }

  /** Writes a segment again without its deleted spans, if they are many: a few do no harm. */
  #removeMissing(segment: Segment): void {
    const { first, last, level } = segment
    const there = listSpanPositions(this.#main, first, last)
    if (segment.spans - there.length <= segment.spans * REMOVED_SHARE_MAX) return
    const numbers = there.map((position) => position - first + 1)
    this.#write(() => {
      const rows = this.#rowsWith(numbers, segment.id)
      if (there.length > 0) insertSegment(this.#index, { level, first, last, spans: there.length }, rows)
      deleteSegment(this.#index, segment.id)
    })
  }

  /** In ascending order. */
  #segments(): Segment[] {
    const segments = attempt(() => listSegments(this.#index))
    const doOverlap = segments.some(({ first }, place) => first <= (segments[place - 1]?.last ?? 0))
    // Their lists cannot be joined.
    if (doOverlap) throw new BrokenIndexError('segments of the search index overlap')
    return segments
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

/** Small segments of a level that follow each other: only those can be merged, because their lists must ascend. */
function neighborsOfLevel(segments: readonly Segment[]): Segment[][] {
  const groups: Segment[][] = []
  let before: Segment | undefined
  for (const segment of segments) {
    const isSmall = segment.bytes < MERGED_BYTES_MAX
    const group = before?.level === segment.level ? groups.at(-1) : undefined
    if (isSmall && group) group.push(segment)
    else if (isSmall) groups.push([segment])
    before = isSmall ? segment : undefined
  }
  return groups
}

/** All trigrams, then the marks of applications. */
function* trigramRanges(): Generator<TrigramRange> {
  for (let from = 0; from < LISTS_MAX; from += TRIGRAMS_PER_READ) yield { from, to: from + TRIGRAMS_PER_READ - 1 }
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

/** A database that was restored from a backup counts on from an earlier number: its spans are not the ones that were indexed. */
export function isProgressOf(main: Database.Database, { form, position, span_id }: Progress): boolean {
  if (form !== FORMAT_VERSION) return false
  if (position === 0) return true
  if ((prepareLastPosition(main).get() ?? 0) < position) return false
  const indexed = findSpanIdAt(main, position)
  return indexed === undefined || indexed === span_id
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
