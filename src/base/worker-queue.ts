/**
 * A worker thread that runs one task at a time within limits of processor time, elapsed time and memory. A task that
 * exceeds a limit is rejected with `TaskLimitError` and the thread is terminated, because nothing else stops a
 * computation; the next task starts another thread.
 *
 * Groups of tasks take turns, so that a thousand tasks of one caller do not delay the single task of another. The
 * thread starts with the first task and stops when it has been idle for a while, which frees its memory.
 */
import { Worker } from 'node:worker_threads'
import { codeOf } from './errors.ts'
import type { WorkerReply } from './serve-worker-queue.ts'
import { errorOf } from './thread-failure.ts'

const POLL_MS = 500

export type WorkerQueueOptions = {
  /** A module that calls `serveWorkerQueue`. */
  thread: URL
  /**
   * The maximum processor time, checked every half second, starting with the second check. On a busy machine the elapsed
   * time does not show how much a task has worked.
   */
  cpuMsMax: number
  /** The maximum elapsed time, for a task that waits, or a thread that does not report its processor time. */
  timeoutMs: number
  memoryMbMax: number
  idleMs: number
}

/** A task exceeded its time or memory; running it again would fail in the same way. */
export class TaskLimitError extends Error {}

type Entry<Task, Result> = { task: Task; resolve(result: Result): void; reject(error: unknown): void }

export class WorkerQueue<Task, Result> {
  readonly #options: WorkerQueueOptions
  /** By group, in the order of their turns. */
  readonly #waiting = new Map<string, Entry<Task, Result>[]>()
  #running: Entry<Task, Result> | undefined
  #thread: Worker | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(options: WorkerQueueOptions) {
    this.#options = options
  }

  get isThreadRunning(): boolean {
    return this.#thread !== undefined
  }

  countWaiting(group: string): number {
    return this.#waiting.get(group)?.length ?? 0
  }

  /** Rejects as soon as `signal` is aborted. A task that has started runs to its end, and its result is ignored. */
  async run(group: string, task: Task, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    const over = new AbortController()
    try {
      return await new Promise((resolve, reject) => {
        const entry = { task, resolve, reject }
        signal?.addEventListener('abort', () => this.#drop(group, entry, signal.reason), { signal: over.signal })
        this.#waiting.set(group, [...(this.#waiting.get(group) ?? []), entry])
        this.#startNext()
      })
    } finally {
      over.abort()
    }
  }

  /** Stops the thread. Another thread runs the tasks that wait. */
  async stop(): Promise<void> {
    await this.#end(new Error('the worker was stopped'))
  }

  #drop(group: string, entry: Entry<Task, Result>, reason: unknown): void {
    const others = (this.#waiting.get(group) ?? []).filter((other) => other !== entry)
    if (others.length === 0) this.#waiting.delete(group)
    else this.#waiting.set(group, others)
    entry.reject(reason)
  }

  #startNext(): void {
    if (this.#running) return
    clearInterval(this.#timer)
    const [next] = this.#waiting
    const { idleMs } = this.#options
    if (!next) {
      this.#timer = setTimeout(() => void this.#end(new Error('the worker was idle')), idleMs).unref()
      return
    }
    const [group, [entry, ...others]] = next
    // Moves the group to the end: the other groups come first.
    this.#waiting.delete(group)
    if (others.length > 0) this.#waiting.set(group, others)
    if (!entry) return
    this.#running = entry
    this.#thread ??= this.#start()
    this.#thread.postMessage(entry.task)
    this.#watch(entry, this.#thread)
  }

  #watch(entry: Entry<Task, Result>, thread: Worker): void {
    const { cpuMsMax, timeoutMs } = this.#options
    const startedAt = performance.now()
    let cpuMsBefore: number | undefined
    const check = async () => {
      if (performance.now() - startedAt >= timeoutMs)
        return this.#end(new TaskLimitError(`did not end within ${Math.ceil(timeoutMs / 1_000)} seconds`))
      const cpuMs = await thread.cpuUsage().then(
        ({ user, system }) => (user + system) / 1_000,
        // The thread has not started yet; the next check tries again.
        () => undefined,
      )
      if (this.#running !== entry) return
      cpuMsBefore ??= cpuMs
      if (cpuMs !== undefined && cpuMsBefore !== undefined && cpuMs - cpuMsBefore >= cpuMsMax)
        return this.#end(new TaskLimitError(`needs more than ${Math.ceil(cpuMsMax / 1_000)} seconds of processor time`))
    }
    this.#timer = setInterval(() => void check(), Math.min(POLL_MS, timeoutMs)).unref()
  }

  #start(): Worker {
    const { thread: source, memoryMbMax } = this.#options
    // Without a limit, short-lived objects can need tens of megabytes.
    const resourceLimits = { maxOldGenerationSizeMb: memoryMbMax, maxYoungGenerationSizeMb: 8 }
    const thread = new Worker(source, { resourceLimits })
    thread.unref()
    thread.on('message', (reply: WorkerReply<Result>) => {
      if (this.#thread !== thread) return
      if ('failure' in reply) this.#running?.reject(errorOf(reply.failure))
      else this.#running?.resolve(reply.result)
      this.#running = undefined
      this.#startNext()
    })
    thread.on('error', (error) => {
      if (this.#thread !== thread) return
      const isMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
      void this.#end(isMemory ? new TaskLimitError(`needs more than ${memoryMbMax} MB of memory`) : error)
    })
    return thread
  }

  async #end(reason: Error): Promise<void> {
    clearInterval(this.#timer)
    const thread = this.#thread
    this.#thread = undefined
    this.#running?.reject(reason)
    this.#running = undefined
    if (this.#waiting.size > 0) this.#startNext()
    await thread?.terminate()
  }
}
