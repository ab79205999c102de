/** The thread of `SqliteSide`: answers one question after the other. It reads only. */
import { existsSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { codeOf } from '../../base/errors.ts'
import { type Failure, failureOf } from '../../base/thread-failure.ts'
import { isLaidOut, isProgressOf, layOutIndex, progressIn, searchFileOf } from './search-index.ts'
import type { Answer, Asked, SideData, Told } from './side.ts'

type Connection = {
  database: Database.Database
  statements: Map<string, Database.Statement<unknown[], unknown>>
  hasIndex: boolean
}

const STATEMENTS_MAX = 200
const CACHE = 'cache_size = -8000'

const { file, isUnwanted }: SideData = workerData
/** What is wrong with the index, from when it was met until the indexer has opened it again. */
let indexError: Failure | undefined
let isIndexErrorTold = false
let connection = connect()

parentPort?.on('message', (asked: Asked) => {
  if (asked.kind === 'query') {
    const told: Told = answer(asked)
    parentPort?.postMessage(isIndexErrorTold ? told : { ...told, indexError })
    isIndexErrorTold = indexError !== undefined
    return
  }
  indexError = undefined
  isIndexErrorTold = false
  reconnect(connect)
})

function answer({ sql, parameters }: Extract<Asked, { kind: 'query' }>): Answer {
  if (!connection.hasIndex && !indexError) reconnect(connect)
  const told = ask(sql, parameters)
  if ('rows' in told || !connection.hasIndex || isEnding()) return told
  // If it can be answered without the index, that is what is wrong; if not, the next question uses the index again.
  reconnect(connectWithoutIndex)
  const again = ask(sql, parameters)
  if ('rows' in again) indexError = told
  return again
}

function isEnding(): boolean {
  return Atomics.load(isUnwanted, 0) === 1
}

function ask(sql: string, parameters: readonly unknown[]): Answer {
  const { database, statements } = connection
  try {
    if (statements.size >= STATEMENTS_MAX) statements.clear()
    const statement = statements.get(sql) ?? database.prepare<unknown[], unknown>(sql)
    statements.set(sql, statement)
    return { rows: statement.all(parameters) }
  } catch (error) {
    return failureOf(error)
  }
}

function reconnect(how: () => Connection): void {
  connection.database.close()
  connection = how()
}

function connect(): Connection {
  return connectWithIndex() ?? connectWithoutIndex()
}

/** Undefined if there is no index of this database: none yet, an older one, or none that can be read. The next question tries again. */
function connectWithIndex(): Connection | undefined {
  const database = new Database(file, { readonly: true, timeout: 5_000 })
  try {
    database.prepare('attach database ? as search').run(searchFileOf(file))
    if (isLaidOut(database, 'search') && isProgressOf(database, progressIn(database, 'search'))) {
      database.pragma(`search.${CACHE}`)
      return prepared(database, { hasIndex: true })
    }
  } catch (error) {
    if (existsSync(searchFileOf(file)) && !codeOf(error).startsWith('SQLITE_BUSY')) indexError = failureOf(error)
  }
  database.close()
  return undefined
}

/** Can write, because what is attached to a connection that cannot is read-only too, and then stops to. */
function connectWithoutIndex(): Connection {
  const database = new Database(file, { fileMustExist: true, timeout: 5_000 })
  database.exec("attach database ':memory:' as search")
  layOutIndex(database, 'search')
  database.pragma('query_only = on')
  return prepared(database, { hasIndex: false })
}

function prepared(database: Database.Database, { hasIndex }: { hasIndex: boolean }): Connection {
  database.pragma(CACHE)
  // The driver has no way to break off a statement; one that calls this for every text breaks off by itself.
  database.function('still_wanted', () => {
    if (isEnding()) throw new Error('nobody waits for this any more')
    return 1
  })
  return { database, statements: new Map(), hasIndex }
}
