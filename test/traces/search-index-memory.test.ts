// @module-tag deep
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { searchFileOf } from '../../src/traces/search/sqlite-index.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { until } from '../harness/wait-for.ts'

const SIGNS = 'abcdefghijklmnopqrstuvwxyz0123456789+/'
/** A merge with all rows of its segments in memory needs more than twice as much. */
const HEAP_MB_MAX = 48

it('merging the index of texts with very many trigrams needs little memory', async () => {
  const random = randomOfTest()
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-test-'))
  const file = join(folder, 'test.db')
  const main = new Database(file)
  main.pragma('journal_mode = WAL')
  main.exec(`create table spans (position integer primary key autoincrement, workspace_id text, span_id text, name text,
    input text, output text)`)
  const insert = main.prepare("insert into spans (workspace_id, span_id, name) values ('w', 's', ?)")
  const thread = new Worker(new URL('../../src/traces/search/indexer-thread.ts', import.meta.url), {
    workerData: file,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  const failed = new Promise<never>((_, reject) => thread.on('error', reject))
  try {
    for (let segment = 1; segment <= 8; segment += 1) {
      insert.run(Array.from({ length: 150_000 }, () => SIGNS[random(SIGNS.length)]).join(''))
      thread.postMessage('index')
      await Promise.race([failed, until(() => expect(indexedUntil(file)).toBe(segment))])
    }
    const index = new Database(searchFileOf(file), { readonly: true })
    expect(index.prepare('select level, spans from segments').all()).toEqual([{ level: 1, spans: 8 }])
    index.close()
  } finally {
    await thread.terminate()
    main.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

function indexedUntil(file: string): unknown {
  const index = new Database(searchFileOf(file), { readonly: true })
  try {
    return index.prepare('select position from progress').pluck().get()
  } finally {
    index.close()
  }
}
