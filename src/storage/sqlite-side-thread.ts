/** The thread of `SqliteSideThread`: answers questions that take long, and between them keeps the search index up to date. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { codeOf } from '../base/errors.ts'
import { SqliteSearchIndex, searchFileOf } from './sqlite-search-index.ts'
import type { Asked, Told } from './sqlite-side.ts'

const { file }: { file: string } = workerData
const main = new Database(file, { readonly: true, timeout: 5_000 })
main.pragma('cache_size = -16000')
const index = new SqliteSearchIndex(main, file)
// Its own connection: a search should see the index as it was committed, not as it is being written.
const searching = new Database(file, { readonly: true, timeout: 5_000 })
searching.pragma('cache_size = -16000')
searching.prepare('attach database ? as search').run(searchFileOf(file))
const statements = new Map<string, Database.Statement<unknown[], unknown>>()
const STATEMENTS_MAX = 200
let isIndexing = false
let isSweeping = false

// What was stored while nobody indexed: by an earlier process, or before this thread was needed.
indexOn()

parentPort?.on('message', (asked: Asked) => {
  if (asked.kind === 'query') parentPort?.postMessage(answer(asked))
  else if (asked.kind === 'index') indexOn()
  else sweepOn()
})

function answer({ id, sql, parameters }: Extract<Asked, { kind: 'query' }>): Told {
  try {
    if (statements.size >= STATEMENTS_MAX) statements.clear()
    const statement = statements.get(sql) ?? searching.prepare<unknown[], unknown>(sql)
    statements.set(sql, statement)
    return { id, rows: statement.all(parameters) }
  } catch (error) {
    return { id, message: error instanceof Error ? error.message : String(error), code: codeOf(error) }
  }
}

/** One step a turn, so that a question waits for a step and not for all of them. */
function indexOn(): void {
  if (isIndexing) return
  isIndexing = true
  const turn = () => {
    if (index.step()) setImmediate(turn)
    else isIndexing = false
  }
  setImmediate(turn)
}

function sweepOn(): void {
  if (isSweeping) return
  isSweeping = true
  const turn = () => {
    if (index.sweep()) setImmediate(turn)
    else isSweeping = false
  }
  setImmediate(turn)
}
