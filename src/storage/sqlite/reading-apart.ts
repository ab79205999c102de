/**
 * For an embedded database, a thread for work that reads much. It has a connection of its own: rows that are read on another thread
 * than the one that works with them are copied twice, and to work with many of them on the one that serves holds up requests.
 *
 * It starts when there is something to do and ends when there has been nothing for a while, with all that it held. Several pieces of
 * work take turns on it.
 */
import { Worker } from 'node:worker_threads'
import { unavailable } from '../../base/errors.ts'
import { setHeapGrowth } from '../../base/heap-growth.ts'
import type { Logger } from '../../base/log.ts'
import { errorOf, type Failure } from '../../base/thread-failure.ts'
import { type ReadingWork, type Take, takeNothing } from '../db.ts'
import { explain } from './connection.ts'
import { THREAD_LIMITS } from './thread-limits.ts'

/** `start`s a piece of work, wants `more` of what it tells on the way, or tells that its outcome is no longer wanted. */
export type ApartAsked<Input> =
  | { kind: 'start'; id: number; name: string; input: Input }
  | { kind: 'more' | 'abort'; id: number }
export type ApartTold = { id: number } & ({ outcome: unknown } | { failure: Failure } | { part: unknown })

type Piece = { succeed(outcome: unknown): void; fail(error: unknown): void; take(part: unknown): void }

const IDLE_MS_MAX = 10_000

type ApartOptions = { file: string; thread: URL; log: Logger; idleMsMax?: number }

export class ReadingApart {
  readonly #file: string
  readonly #source: URL
  readonly #log: Logger
  readonly #idleMsMax: number
  readonly #pieces = new Map<number, Piece>()
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  #isStopped = false

  constructor({ file, thread, log, idleMsMax = IDLE_MS_MAX }: ApartOptions) {
    this.#file = file
    this.#source = thread
    this.#log = log
    this.#idleMsMax = idleMsMax
  }

  get isRunning(): boolean {
    return this.#thread !== undefined
  }

  async run<Input, Output, Part = never>(
    { name }: ReadingWork<Input, Output, Part>,
    input: Input,
    signal: AbortSignal,
    take: Take<Part> = takeNothing,
  ): Promise<Output> {
    if (this.#isStopped) throw interrupted(new Error('the database has been closed'))
    clearTimeout(this.#idle)
    this.#thread ??= this.#start()
    const thread = this.#thread
    this.#lastId += 1
    const id = this.#lastId
    const send = (asked: ApartAsked<Input>) => thread.postMessage(asked)
    const abort = () => send({ kind: 'abort', id })
    const over = new AbortController()
    try {
      return await new Promise<Output>((resolve, reject) => {
        let taking = Promise.resolve()
        this.#pieces.set(id, {
          // One that was aborted may end while a part is still being taken.
          succeed: (outcome: Output) => void taking.then(() => resolve(outcome)),
          fail: reject,
          take: (part: Part) => {
            taking = take(part).then(
              () => send({ kind: 'more', id }),
              (error: unknown) => {
                abort()
                reject(error)
              },
            )
          },
        })
        send({ kind: 'start', id, name, input })
        // Nobody waits for the thread then: it gives way to everybody else, and on a busy machine would be long in noticing.
        const giveUp = async () => {
          abort()
          // Whoever takes a part may be the one who aborts: only then is it known that there is one.
          await Promise.resolve()
          await taking
          reject(signal.reason)
        }
        signal.addEventListener('abort', giveUp, { signal: over.signal })
        if (signal.aborted) void giveUp()
      })
    } finally {
      over.abort()
      this.#pieces.delete(id)
      if (this.#pieces.size === 0) this.#endWhenIdle()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#idle)
    await this.#end(new Error('the database is being closed'))
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#end(new Error('there was nothing to do')), this.#idleMsMax).unref()
  }

  async #end(reason: Error): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    setHeapGrowth('one heap')
    for (const { fail } of this.#pieces.values()) fail(interrupted(reason))
    await thread?.terminate()
  }

  #start(): Worker {
    setHeapGrowth('two heaps')
    const thread = new Worker(this.#source, {
      workerData: this.#file,
      resourceLimits: THREAD_LIMITS,
    })
    thread.unref()
    thread.on('message', (told: ApartTold) => {
      const piece = this.#pieces.get(told.id)
      if ('failure' in told) piece?.fail(explain(errorOf(told.failure)))
      else if ('part' in told) piece?.take(told.part)
      else piece?.succeed(told.outcome)
    })
    thread.on('error', (error) => {
      if (this.#thread !== thread) return
      this.#log.error({ err: error }, 'the thread for reading has failed; it is started anew when it is needed')
      void this.#end(error)
    })
    return thread
  }
}

function interrupted(cause: Error) {
  return unavailable('Reading was interrupted; try again', cause)
}
