/**
 * The read workers of an embedded database: a lane per kind of work, each with workers of its own, so that a slow search never delays an
 * export, an evaluation or a checkpoint. Inside a lane applications take turns. Workers start when they are needed: an idle server has none.
 */
import { type AppError, unavailable } from '../../base/errors.ts'
import type { Queries, ReadCaller, ReadTask, TaskOptions } from '../db.ts'
import { TurnLane, turnsOf } from '../turn-lane.ts'
import { ReadWorker, type ReadWorkerOptions } from './read-worker.ts'
import type { SearchIndexer } from './search-hooks.ts'
import { workerQueries } from './worker-queries.ts'

type PoolOptions = Omit<ReadWorkerOptions, 'onIndexError'> & { indexer: SearchIndexer | undefined }

/** A statement blocks its worker: with two of them, an application with a slow statement leaves one to the others. */
const STATEMENTS_MAX = 2
/** Workers that take the place of those whose statement has exceeded its time limit but still runs. */
const SPARE_WORKERS = 2
/** Tasks share a worker and yield to each other after each page. */
const TASKS = { runningMax: 4, runningMaxEach: 2 }

export class ReadPool {
  readonly #searches: StatementLane
  readonly #bulkReads: StatementLane
  readonly #taskLane = new TurnLane({ name: 'large reads', ...TASKS })
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

/**
 * A statement that exceeds its time limit is rejected, but its thread runs on until the statement returns, for minutes perhaps. Its worker
 * is used again only after that, so that the number of threads has a limit however many such statements are sent. Meanwhile its
 * application gets 503: it must not take the spare workers of the others.
 */
class StatementLane {
  readonly workers: readonly ReadWorker[]
  readonly #kind: 'read' | 'search'
  readonly #lane: TurnLane
  readonly #free: ReadWorker[]
  /** Whose statement still runs on the worker; the same application may have several, because jobs go on. */
  readonly #stuck = new Map<ReadWorker, string>()

  constructor(kind: 'read' | 'search', options: ReadWorkerOptions) {
    const name = kind === 'search' ? 'searches' : 'large reads'
    this.#kind = kind
    this.#lane = new TurnLane({ name, runningMax: STATEMENTS_MAX, runningMaxEach: 1 })
    this.workers = Array.from({ length: STATEMENTS_MAX + SPARE_WORKERS }, () => new ReadWorker(options))
    this.#free = [...this.workers]
  }

  queries(caller: ReadCaller): Queries {
    const enter = turnsOf(this.#lane, caller)
    return workerQueries(this.#kind, async (sql, parameters) => {
      const leave = await enter()
      try {
        return await this.#run(caller, sql, parameters)
      } finally {
        leave()
      }
    })
  }

  async #run({ application, signal, from }: ReadCaller, sql: string, parameters: readonly unknown[]) {
    // A job would have to be repeated, and needs one worker at a time.
    if (from === 'request' && [...this.#stuck.values()].includes(application)) throw stillReading()
    // The most recently used worker, so that the others stay idle and end.
    const worker = this.#free.pop()
    if (!worker) throw stillReading()
    try {
      return await worker.query({ kind: this.#kind, sql, parameters }, signal)
    } finally {
      if (worker.stuck) void this.#freeAfter(worker.stuck, worker, application)
      else this.#free.push(worker)
    }
  }

  async #freeAfter(end: Promise<void>, worker: ReadWorker, application: string): Promise<void> {
    this.#stuck.set(worker, application)
    await end
    this.#stuck.delete(worker)
    this.#free.push(worker)
  }
}

function stillReading(): AppError {
  return unavailable('An earlier read exceeded the time limit and is still being stopped; try again in a moment')
}
