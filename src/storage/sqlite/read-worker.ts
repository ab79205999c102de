/**
 * The server's side of one worker thread that reads: statements, read-heavy tasks, checkpoints. `serve-read-worker.ts` is the other side.
 *
 * The thread starts with the first request and ends when it has been idle for a while, together with its memory. A statement that exceeds
 * its time limit ends with its thread; the next request starts another. The same happens when the thread fails.
 *
 * No thread can be stopped inside a statement: `terminate` waits until it returns. Until then the worker is `stuck`, so that the pool can
 * limit how many such threads run.
 */
import { Worker } from 'node:worker_threads'
import { type AppError, unavailable } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { errorOf, type Failure } from '../../base/thread-failure.ts'
import { ignoreBatch, type OnBatch, type ReadTask } from '../db.ts'
import { clientLeft } from '../turn-lane.ts'
import { explain } from './connection.ts'
import { THREAD_LIMITS } from './thread-limits.ts'
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-messages.ts'

export type ReadWorkerOptions = {
  file: string
  /** The module that calls `serveReadWorker`. */
  entry: URL
  log: Logger
  onIndexError?(failure: Failure): void
  idleMsMax?: number
  statementMsMax?: number
}

type Statement = { kind: 'read' | 'search'; sql: string; parameters: readonly unknown[] }

type Pending = {
  isStatement: boolean
  resolve(result: unknown): void
  reject(error: unknown): void
  onBatch?(batch: unknown): void
}

type Started = { thread: Worker; isCanceled: Int32Array }

const IDLE_MS_MAX = 30_000
const STATEMENT_MS_MAX = 30_000

export class ReadWorker {
  readonly #options: ReadWorkerOptions
  readonly #pending = new Map<number, Pending>()
  #started: Started | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  #isStopped = false
  #stuck: Promise<void> | undefined

  constructor(options: ReadWorkerOptions) {
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#started !== undefined
  }

  /** Resolves when the thread of a statement that has exceeded its time limit ends; undefined if there is none. */
  get stuck(): Promise<void> | undefined {
    return this.#stuck
  }

  /** One at a time. When `signal` is aborted it rejects as soon as the statement has stopped, which is when it compares the next text. */
  async query(statement: Statement, signal?: AbortSignal): Promise<unknown[]> {
    if (signal?.aborted) throw clientLeft()
    const { id, started, result } = this.#send(statement, { isStatement: true })
    const cancel = () => Atomics.store(started.isCanceled, 0, 1)
    const limit = setTimeout(() => this.#abandon(id, statement.sql), this.#options.statementMsMax ?? STATEMENT_MS_MAX)
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return asRows(await result)
    } catch (error) {
      throw signal?.aborted ? clientLeft() : error
    } finally {
      clearTimeout(limit)
      signal?.removeEventListener('abort', cancel)
      // Not for a thread that was replaced: its statement must still stop.
      if (this.#started === started) Atomics.store(started.isCanceled, 0, 0)
    }
  }

  /** Tasks share the thread. `onBatch` receives one batch at a time; the task waits until it has resolved. */
  async run<Input, Output, Batch = never>(
    { name }: Pick<ReadTask<Input, Output, Batch>, 'name'>,
    input: Input,
    signal: AbortSignal,
    onBatch: OnBatch<Batch> = ignoreBatch,
  ): Promise<Output> {
    let handled = Promise.resolve()
    const ended = new AbortController()
    const failed = Promise.withResolvers<never>()
    const { id, started, result } = this.#send(
      { kind: 'task', name, input },
      {
        isStatement: false,
        onBatch: (batch: Batch) => {
          handled = onBatch(batch).then(
            () => send({ kind: 'nextBatch', id }),
            (error: unknown) => {
              send({ kind: 'cancel', id })
              failed.reject(error)
            },
          )
        },
      },
    )
    const send = (request: WorkerRequest) => started.thread.postMessage(request)
    const abort = async () => {
      send({ kind: 'cancel', id })
      // `onBatch` itself may be what aborts: `handled` is set when it has returned.
      await Promise.resolve()
      await handled
      failed.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { signal: ended.signal })
    if (signal.aborted) void abort()
    try {
      const output = await Promise.race([result, failed.promise])
      // A task that was aborted may end while its last batch is still being handled.
      await handled
      // The output type belongs to the task, and the worker has run the task of this name.
      return output as Output
    } finally {
      ended.abort()
      this.#forget(id)
    }
  }

  async checkpoint(): Promise<void> {
    await this.#send({ kind: 'checkpoint' }, { isStatement: false }).result
  }

  /** The indexer has replaced the file of the index. */
  reopenIndex(): void {
    this.#started?.thread.postMessage({ kind: 'reopenIndex' } satisfies WorkerRequest)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#end(new Error('the database is being closed'))
  }

  #send(
    request: Statement | { kind: 'task'; name: string; input: unknown } | { kind: 'checkpoint' },
    { isStatement, onBatch }: Pick<Pending, 'isStatement' | 'onBatch'>,
  ): { id: number; started: Started; result: Promise<unknown> } {
    if (this.#isStopped) throw interrupted(new Error('the database has been closed'))
    clearTimeout(this.#idle)
    this.#started ??= this.#start()
    const { thread } = this.#started
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#pending.set(id, { isStatement, resolve, reject, ...(onBatch && { onBatch }) })
    thread.ref()
    thread.postMessage({ ...request, id } satisfies WorkerRequest)
    return { id, started: this.#started, result: promise }
  }

  #forget(id: number): void {
    this.#pending.delete(id)
    if (this.#pending.size > 0) return
    this.#started?.thread.unref()
    clearTimeout(this.#idle)
    const idleMsMax = this.#options.idleMsMax ?? IDLE_MS_MAX
    this.#idle = setTimeout(() => void this.#end(new Error('the worker was idle')), idleMsMax).unref()
  }

  #abandon(id: number, sql: string): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#options.log.warn({ sql }, 'a statement exceeded its time limit and was canceled')
    pending.reject(unavailable('Reading exceeded the time limit; request fewer rows or a shorter period'))
    this.#stuck = this.#end(new Error('a statement exceeded its time limit')).then(() => {
      this.#stuck = undefined
    })
  }

  /**
   * Ends the thread. `terminate` does not stop a statement, and keeps it from seeing that it was canceled: a thread that runs one is
   * terminated after its reply.
   */
  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#idle)
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(interrupted(reason))
    const started = this.#started
    if (!started) return
    this.#started = undefined
    const { thread, isCanceled } = started
    const exit = new Promise((resolve) => thread.once('exit', resolve))
    thread.unref()
    if (pending.some(({ isStatement }) => isStatement)) {
      Atomics.store(isCanceled, 0, 1)
      thread.once('message', () => void thread.terminate())
    } else void thread.terminate()
    await exit
  }

  #start(): Started {
    const { file, entry, log, onIndexError } = this.#options
    const isCanceled = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const workerData: WorkerStart = { file, isCanceled }
    const thread = new Worker(entry, { workerData, resourceLimits: THREAD_LIMITS })
    thread.on('message', (reply: WorkerReply) => {
      if (this.#started?.thread !== thread) return
      const pending = this.#pending.get(reply.id)
      if (reply.indexError) onIndexError?.(reply.indexError)
      if ('batch' in reply) return pending?.onBatch?.(reply.batch)
      this.#forget(reply.id)
      if ('failure' in reply) pending?.reject(explain(errorOf(reply.failure)))
      else pending?.resolve(reply.result)
    })
    thread.on('error', (error) => {
      if (this.#started?.thread !== thread) return
      log.error({ err: error }, 'a read worker has failed; the next read starts another')
      this.#started = undefined
      void this.#end(error)
    })
    return { thread, isCanceled }
  }
}

function interrupted(cause: unknown): AppError {
  return unavailable('Reading was interrupted; try again', cause)
}

/** The reply to a statement. */
function asRows(result: unknown): unknown[] {
  return Array.isArray(result) ? result : []
}
