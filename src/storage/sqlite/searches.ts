/** The threads that answer searches: few, each with one search at a time. */
import { invariant } from '../../base/invariant.ts'
import type { Logger } from '../../base/log.ts'
import type { Queries, SearchCaller } from '../db.ts'
import { SearchGate } from '../search-gate.ts'
import type { SqliteIndexer } from './indexer.ts'
import { queriesBeside, SqliteSide } from './side.ts'

const THREADS = 2

export class SqliteSearches {
  readonly #gate = new SearchGate({ runningMax: THREADS, runningMaxEach: 1 })
  readonly #sides: SqliteSide[]
  readonly #free: SqliteSide[]

  constructor(options: { file: string; log: Logger; indexer: SqliteIndexer }) {
    // A thread starts with its first question: one is enough until two applications search at the same time.
    this.#sides = Array.from({ length: THREADS }, () => new SqliteSide(options))
    this.#free = [...this.#sides]
  }

  run<Result>({ application, signal }: SearchCaller, work: (q: Queries) => Promise<Result>): Promise<Result> {
    return this.#gate.run(application, signal, async () => {
      const side = this.#free.shift()
      invariant(side, 'as many searches run as there are threads')
      try {
        return await work(queriesBeside(side, signal))
      } finally {
        this.#free.unshift(side)
      }
    })
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sides.map((side) => side.stop()))
  }
}
