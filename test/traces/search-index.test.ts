import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { containsText } from '../../src/storage/dialect.ts'
import { migrate } from '../../src/storage/migrate.ts'
import { ReadPool } from '../../src/storage/sqlite/read-pool.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { searchAttachment } from '../../src/traces/search/attach-search-index.ts'
import { countCandidates, mayContain } from '../../src/traces/search/candidate-queries.ts'
import { createSearchIndexer } from '../../src/traces/search/indexer.ts'
import { removeSearchFile, SqliteSearchIndex, searchFileOf } from '../../src/traces/search/sqlite-index.ts'
import { insertWorkspace } from '../../src/workspaces/workspace-queries.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'
import { openTestStorage } from '../harness/test-storage.ts'
import { until } from '../harness/wait-for.ts'
import { storeTrace } from './stored-traces.ts'

const clock = systemClock()
const workspaceId = idGenerator(clock)()
const CALLER = { application: workspaceId, from: 'request' } as const

describe('the search index of an embedded database', () => {
  let database: TestDatabase
  let storage: Storage
  let file: string

  beforeEach(async () => {
    database = await createTestDatabase('sqlite')
    file = database.url.slice('file:'.length)
    await openHere()
    await migrate(storage, clock)
    const createdAt = timestamp(clock.now())
    await storage.transaction((tx) => insertWorkspace(tx, { id: workspaceId, name: 'w', description: null, createdAt }))
  })

  afterEach(async () => {
    await storage.close()
    database.remove()
  })

  async function openHere(): Promise<void> {
    storage = await openTestStorage(database.url)
  }

  /** The indexer of a server would add steps of its own whenever the test needs longer than a second. */
  async function openWithoutIndexer(): Promise<void> {
    await storage.close()
    storage = await openTestStorage(database.url, 'command')
  }

  async function storeSpans(names: readonly string[]): Promise<void> {
    await storeTrace(storage, { workspaceId, atMs: clock.now(), spans: names.map((name) => ({ name })) })
  }

  async function countFound(text: string): Promise<number> {
    const q = storage.search(CALLER)
    const name = sql.ref<string>('name')
    const query = q
      .selectFrom('spans')
      .select('position')
      .where(containsText(q, name, text))
    const candidates = mayContain(q, 'position', { workspaceId, texts: [text] })
    return (await (candidates ? query.where(candidates) : query).execute()).length
  }

  /** How many spans the index returns; none while searches run without it. */
  async function countNamed(text: string): Promise<number> {
    return countCandidates(storage.search(CALLER), { workspaceId, texts: [text] }, 100_000)
  }

  function untilNamed(text: string, count: number): Promise<void> {
    return until(async () => expect(await countNamed(text)).toBe(count))
  }

  function indexedUntil(): number {
    const index = new Database(searchFileOf(file), { readonly: true })
    const position = index.prepare<unknown[], number>('select position from progress').pluck().get()
    index.close()
    return position ?? 0
  }

  describe('built step by step', () => {
    let main: Database.Database
    let index: SqliteSearchIndex

    beforeEach(async () => {
      await openWithoutIndexer()
      main = new Database(file, { readonly: true })
      index = new SqliteSearchIndex(main, file)
    })

    afterEach(() => {
      index.close()
      main.close()
    })

    it('indexes at most about two megabytes of text at a time, so that a step is short for any spans', async () => {
      await storeSpans(Array.from({ length: 160 }, (_, place) => `${place} ${'x'.repeat(30_000)}`))
      const steps: number[] = []
      while (index.step()) steps.push(indexedUntil())
      expect(steps).toEqual([69, 138])
      expect(indexedUntil()).toBe(160)
    })

    it('takes a span that is larger than a step by itself', async () => {
      await storeSpans(['small', 'x'.repeat(3 << 20), 'small too'])
      const steps: number[] = []
      while (index.step()) steps.push(indexedUntil())
      expect(steps).toEqual([1, 2])
      expect(indexedUntil()).toBe(3)
    })

    it('takes many small spans in one step', async () => {
      await storeSpans(Array.from({ length: 4_001 }, () => 'x'))
      expect(index.step()).toBe(true)
      expect(indexedUntil()).toBe(4_000)
      expect(index.step()).toBe(false)
    })
  })

  it('merges the segments of many small steps, and returns the same spans as before', { tags: 'deep' }, async () => {
    await openWithoutIndexer()
    const main = new Database(file, { readonly: true })
    const index = new SqliteSearchIndex(main, file)
    for (let step = 0; step < 44; step += 1) {
      await storeSpans([`a needle ${step}`, 'hay'])
      index.step()
    }
    index.close()
    main.close()
    const direct = new Database(searchFileOf(file), { readonly: true })
    const levels = direct.prepare('select level, count(*) as count from segments group by level order by level').all()
    direct.close()
    expect(levels).toEqual([
      { level: 0, count: 4 },
      { level: 1, count: 5 },
    ])
    await storage.close()
    await openHere()
    expect(await countNamed('needle')).toBe(44)
    expect(await countNamed('needle 17')).toBe(1)
    expect(await countFound('needle')).toBe(44)
  })

  it('returns every span that contains a text, in any script, letter case and punctuation', async () => {
    const names = [
      'Straße NACH Rom',
      '東京タワーの写真',
      'emoji 🎉🎊 party',
      '{"a":[1,2,3]}',
      'x\u0000y'.replace('\u0000', ' '),
      'ΑΒΓ αβγ',
    ]
    await storeSpans(names)
    await untilNamed('party', 1)
    for (const name of names) {
      for (let start = 0; start + 3 <= name.length; start += 1) {
        const part = name.slice(start, start + 3).toWellFormed()
        const isWhole = name.includes(part)
        expect({ part, count: await countNamed(part) }).toEqual({ part, count: isWhole ? 1 : 0 })
      }
    }
    expect(await countNamed('nach rom')).toBe(1)
  })

  it('is written and read by a started server', async () => {
    await storage.close()
    const app = await startTestApp(database.url)
    storage = app.storage
    await storeSpans(['a needle', 'hay'])
    await untilNamed('needle', 1)
    await app.close()
    await openHere()
  })

  it('does not block searches while nothing can be written to the index', async () => {
    await storeSpans(['a needle', 'hay'])
    const other = new Database(searchFileOf(file))
    other.pragma('journal_mode = WAL')
    other.exec('begin immediate')
    other.exec('create table other (id)')
    expect(await countFound('needle')).toBe(1)
    other.exec('rollback')
    other.close()
    await untilNamed('needle', 1)
  })

  it('is rebuilt when its file is not an index at all', async () => {
    await storeSpans(['a needle', 'hay'])
    writeFileSync(searchFileOf(file), 'garbage '.repeat(10_000))
    expect(await countFound('needle')).toBe(1)
    await untilNamed('needle', 1)
    expect(await countFound('needle')).toBe(1)
  })

  it('that is being created is not used by searches, and no error is logged', async () => {
    // Its file is there a moment before its tables are.
    const begun = new Database(searchFileOf(file))
    begun.pragma('journal_mode = WAL')
    const warned: unknown[] = []
    const log = Object.assign(createLogger('silent'), { warn: (...line: unknown[]) => warned.push(line) })
    const main = new Database(file, { readonly: true })
    const indexer = createSearchIndexer(main, log)
    const entry = new URL('../../src/read-worker-tasks.ts', import.meta.url)
    const pool = new ReadPool({ file, entry, log, indexer })
    try {
      expect(await countCandidates(pool.search(CALLER), { workspaceId, texts: ['needle'] }, 100)).toBe(0)
      expect(warned).toEqual([])
    } finally {
      await Promise.all([pool.stop(), indexer.stop()])
      main.close()
      begun.close()
    }
  })

  it('is rebuilt when its file is damaged while it is in use, and searches then use the new one', {
    tags: 'deep',
  }, async () => {
    await storeSpans(['a needle', 'hay'])
    await untilNamed('needle', 1)
    writeFileSync(searchFileOf(file), 'garbage '.repeat(10_000))
    writeFileSync(`${searchFileOf(file)}-wal`, 'garbage '.repeat(10_000))
    await storeSpans(['another needle'])
    expect(await countFound('needle')).toBe(2)
    await untilNamed('needle', 2)
    expect(await countFound('needle')).toBe(2)
  })

  it('that is built again while a search opens it is not used', async () => {
    await storeSpans(['a needle', 'hay'])
    await untilNamed('needle', 1)
    await openWithoutIndexer()
    const reader = new Database(file, { readonly: true })
    const main = new Database(file, { readonly: true })
    let rebuilt: SqliteSearchIndex | undefined
    const prepare = reader.prepare.bind(reader)
    vi.spyOn(reader, 'prepare').mockImplementation((source: string) => {
      // After the index was attached, and before it is opened for reading its lists.
      if (source.includes('sqlite_sequence') && !rebuilt) {
        removeSearchFile(file)
        rebuilt = new SqliteSearchIndex(main, file)
      }
      return prepare(source)
    })
    expect(searchAttachment.attach(reader)).toBeUndefined()
    expect(rebuilt).toBeDefined()
    rebuilt?.close()
    main.close()
    reader.close()
  })

  it('is rebuilt when it belongs to another database, such as one restored from a backup', async () => {
    await storeSpans(['a needle', 'hay', 'hay'])
    await untilNamed('needle', 1)
    await storage.transaction((tx) => tx.deleteFrom('spans').execute())
    await storage.transaction((tx) => sql`update sqlite_sequence set seq = 0 where name = 'spans'`.execute(tx))
    await storage.close()
    await openHere()
    await storeSpans(['hay', 'a needle'])
    expect(await countFound('needle')).toBe(1)
    await untilNamed('needle', 1)
    expect(await countFound('needle')).toBe(1)
  })

  it('can be missing: searches find the same without it, and it is built as soon as possible', async () => {
    mkdirSync(searchFileOf(file))
    await storeSpans(['a needle', 'hay'])
    expect(await countFound('needle')).toBe(1)
    expect(await countNamed('needle')).toBe(0)
    rmdirSync(searchFileOf(file))
    await untilNamed('needle', 1)
    expect(await countFound('needle')).toBe(1)
  })

  it('is not swept while nothing is deleted: an idle server starts no thread', async () => {
    await storeSpans(['hay'])
    await storage.close()
    await openHere()
    const started = vi.fn()
    process.on('worker', started)
    await storage.releaseSpace()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('worker', started)
    expect(started).not.toHaveBeenCalled()
    expect(existsSync(searchFileOf(file))).toBe(false)
  })

  it('removes spans that were deleted, and its file becomes smaller', { tags: 'deep' }, async () => {
    const words = Array.from({ length: 4_000 }, (_, place) => `needle ${textOf(place)}`)
    await storeSpans(words)
    await untilNamed('needle', 4_000)
    const direct = new Database(searchFileOf(file))
    direct.pragma('wal_checkpoint(PASSIVE)')
    direct.close()
    const full = statSync(searchFileOf(file)).size
    await storage.transaction((tx) => tx.deleteFrom('spans').where('position', '>', 100).execute())
    await storage.releaseSpace()
    await untilNamed('needle', 100)
    await until(() => expect(statSync(searchFileOf(file)).size).toBeLessThan(full / 4))
    expect(await countFound('needle')).toBe(100)
    await storeSpans(['one more needle'])
    await untilNamed('needle', 101)
  })
})

/** Different for every number, so that the index of many is large. */
function textOf(place: number): string {
  return Array.from({ length: 40 }, (_, word) => ((place * 7_919 + word * 104_729) % 999_983).toString(36)).join(' ')
}
