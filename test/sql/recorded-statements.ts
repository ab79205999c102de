/** What is sent to a database while something is done: recorded at the two drivers, so that nothing in between can hide a statement. */
import Database from 'better-sqlite3'
import pg from 'pg'
import { ReadWorker } from '../../src/storage/sqlite/read-worker.ts'
import type { Engine } from '../harness/each-engine.ts'

export type Recorder = { during(work: () => Promise<unknown>): Promise<string[]>; stop(): void }

export function recordStatements(engine: Engine): Recorder {
  let statements: string[] | undefined
  const note = (sql: unknown) => statements?.push(String(sql))
  const stop = engine === 'sqlite' ? recordSqlite(note) : recordPostgres(note)
  return {
    async during(work) {
      const recorded: string[] = []
      statements = recorded
      await work()
      statements = undefined
      return recorded.filter((sql) => /^\s*(select|insert|update|delete|with)\b/i.test(sql) && !IN_BACKGROUND.test(sql))
    },
    stop,
  }
}

/** Written some time after a request, and not by it: when a key was used, and how far the search index is. */
const IN_BACKGROUND = /update "api_keys" set "last_used_at"|sqlite_sequence/

function recordSqlite(note: (sql: unknown) => void): () => void {
  const database = new Database(':memory:')
  const prototype = Object.getPrototypeOf(database.prepare('select 1'))
  database.close()
  const restore = replaceMethods(prototype, ['all', 'get', 'run', 'iterate'], (statement) =>
    note(Object(statement).source),
  )
  // What workers read is sent to them.
  const restoreWorkers = replaceMethods(Object(ReadWorker.prototype), ['query'], (_worker, [sent]) =>
    note(Object(sent).sql),
  )
  return () => {
    restore()
    restoreWorkers()
  }
}

function recordPostgres(note: (sql: unknown) => void): () => void {
  return replaceMethods(Object(pg.Client.prototype), ['query'], (_client, [query]) =>
    note(typeof query === 'string' ? query : Object(query).text),
  )
}

function replaceMethods(
  prototype: Record<string, unknown>,
  names: readonly string[],
  note: (receiver: unknown, given: unknown[]) => void,
): () => void {
  const originals = names.map((name) => [name, prototype[name]] as const)
  for (const [name, original] of originals) {
    if (typeof original !== 'function') throw new Error(`The driver has no method ${name}`)
    prototype[name] = function replaced(...given: unknown[]) {
      note(this, given)
      return original.apply(this, given)
    }
  }
  return () => {
    for (const [name, original] of originals) prototype[name] = original
  }
}
