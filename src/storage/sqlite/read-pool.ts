/**
 * The read workers of an embedded database: a lane per kind of work, each with workers of its own, so that a slow search never delays an
 * export, an evaluation or a checkpoint. Inside a lane applications take turns. Workers start when they are needed: an idle server has none.
 */
import { invariant } from '../../base/invariant.ts'
import type { Logger } from '../../base/log.ts'
import type { Queries, ReadCaller, ReadTask, TaskOptions } from '../db.ts'
import { ReadLane, turnsOf } from '../read-lane.ts'
import { ReadWorker, type ReadWorkerOptions } from './read-worker.ts'
import type { SearchIndexer } from './search-hooks.ts'
import { workerQueries } from './worker-queries.ts'

type PoolOptions = { file: string; entry: URL; log: Logger; indexer: SearchIndexer | undefined }

/** A statement blocks its worker: with two of them, an application with a slow statement leaves one to the others. */
const STATEMENT_WORKERS = 2
/** Tasks share a worker and yield to each other after each page. */
const TASKS = { runningMax: 4, runningMaxEach: 2 }

export class ReadPool {
  readonly #searches: StatementLane
  readonly #bulkReads: StatementLane
  readonly #taskLane = new ReadLane({ name: 'large reads', ...TASKS })
  readonly #taskWorker: ReadWorker
  readonly #checkpointWorker: ReadWorker
  readonly #indexer: SearchIndexer | undefined

  constructor({ indexer, ...options }: PoolOptions) {
    this.#searches = new StatementLane('search', {
      ...options,
      onIndexError: (failure) => indexer?.onReadError(failure),
    })
    this.#bulkReads = new StatementLane('read', options)
    this.#taskWorker = new ReadWorker(options)
    this.#checkpointWorker = new ReadWorker(options)
    this.#indexer = indexer
    indexer?.onOpened(() => {
      for (const worker of this.#searches.workers) worker.reopenIndex()
    })
  }

  search(caller: ReadCaller): Queries {
    if (!this.#indexer) return this.bulk(caller)
    this.#indexer.beforeSearch()
    return this.#searches.queries(caller)
  }

  bulk(caller: ReadCaller): Queries {
    return this.#bulkReads.queries(caller)
  }

  async run<Input, Output, Batch>(
    task: ReadTask<Input, Output, Batch>,
    input: Input,
    { application, signal, onBatch }: TaskOptions<Batch>,
  ): Promise<Output> {
    const leave = await this.#taskLane.enter({ application, signal, isAdmitted: true })
    try {
      return await this.#taskWorker.run(task, input, signal, onBatch)
    } finally {
      leave()
    }
  }

  checkpoint(): Promise<void> {
    return this.#checkpointWorker.checkpoint()
  }

  async stop(): Promise<void> {
    const workers = [...this.#searches.workers, ...this.#bulkReads.workers, this.#taskWorker, this.#checkpointWorker]
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}

class StatementLane {
  readonly workers: readonly ReadWorker[]
  readonly #kind: 'read' | 'search'
  readonly #lane: ReadLane
  readonly #free: ReadWorker[]

  constructor(kind: 'read' | 'search', options: ReadWorkerOptions) {
    const name = kind === 'search' ? 'searches' : 'large reads'
    this.#kind = kind
    this.#lane = new ReadLane({ name, runningMax: STATEMENT_WORKERS, runningMaxEach: 1 })
    this.workers = Array.from({ length: STATEMENT_WORKERS }, () => new ReadWorker(options))
    this.#free = [...this.workers]
  }

  queries(caller: ReadCaller): Queries {
    const enter = turnsOf(this.#lane, caller)
    return workerQueries(this.#kind, async (sql, parameters) => {
      const leave = await enter()
      // The most recently used worker, so that the other stays idle and ends.
      const worker = this.#free.pop()
      invariant(worker, 'as many statements run as there are workers')
      try {
        return await worker.query({ kind: this.#kind, sql, parameters }, caller.signal)
      } finally {
        this.#free.push(worker)
        leave()
      }
    })
  }
}
