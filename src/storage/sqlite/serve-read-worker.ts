/** The worker's side of `ReadWorker`: statements, tasks and checkpoints, each kind on a connection that is opened when first needed. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { invariant } from '../../base/invariant.ts'
import { failureOf } from '../../base/thread-failure.ts'
import type { Queries, ReadTask } from '../db.ts'
import { openForReading } from './open-for-reading.ts'
import { SearchConnection } from './search-connection.ts'
import type { SearchAttachment } from './search-hooks.ts'
import { StatementCache } from './statement-cache.ts'
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-messages.ts'

const LOCK_TIMEOUT_MS = 5_000

/** By name, how to load a task: a worker that only searches does without their modules. */
type TaskLoaders = Record<string, () => Promise<ReadTask<never, unknown, unknown>>>

/** Without an attachment, the worker cannot search. */
type Served = { tasks?: TaskLoaders; searchAttachment?: SearchAttachment }

type RunningTask = { abort: AbortController; next(): void }

export function serveReadWorker({ tasks: loaders = {}, searchAttachment }: Served): void {
  const { file, isCanceled }: WorkerStart = workerData
  const tasks = new Map<number, RunningTask>()
  let reading: StatementCache | undefined
  let queries: Queries | undefined
  let search: SearchConnection | undefined
  let checkpoints: Database.Database | undefined

  const openReading = () => {
    reading ??= new StatementCache(openForReading(file, LOCK_TIMEOUT_MS))
    return reading
  }
  const reply = (message: WorkerReply) => parentPort?.postMessage(message)
  const replyWith = (id: number, work: () => unknown) => {
    try {
      const result = work()
      reply({ id, result, indexError: search?.takeIndexError() })
    } catch (error) {
      reply({ id, failure: failureOf(error), indexError: search?.takeIndexError() })
    }
  }

  async function runTask({ id, name, input }: Extract<WorkerRequest, { kind: 'task' }>): Promise<void> {
    const abort = new AbortController()
    const running: RunningTask = { abort, next: () => {} }
    tasks.set(id, running)
    const onBatch = (batch: unknown) =>
      new Promise<void>((resolve) => {
        running.next = resolve
        if (abort.signal.aborted) resolve()
        else reply({ id, batch })
      })
    try {
      const [task, { queriesOn }] = await Promise.all([loaders[name]?.(), import('./connection.ts')])
      if (!task) throw new Error(`The worker has no task ${name}`)
      queries ??= queriesOn(openReading().database)
      // The input type belongs to the task of this name, which `ReadWorker.run` has checked.
      reply({ id, result: await task.run(queries, input as never, abort.signal, onBatch) })
    } catch (error) {
      reply({ id, failure: failureOf(error) })
    } finally {
      tasks.delete(id)
    }
  }

  parentPort?.on('message', (request: WorkerRequest) => {
    switch (request.kind) {
      case 'read':
        return replyWith(request.id, () => openReading().all(request.sql, request.parameters))
      case 'search':
        invariant(searchAttachment, 'a worker that searches has an index to attach')
        search ??= new SearchConnection(file, searchAttachment, isCanceled)
        return replyWith(request.id, () => search?.all(request.sql, request.parameters))
      case 'reopenIndex':
        return search?.reopenIndex()
      case 'checkpoint':
        checkpoints ??= new Database(file, { timeout: 1_000 })
        // PASSIVE copies what it can without waiting for locks; the next checkpoint copies the rest.
        return replyWith(request.id, () => void checkpoints?.pragma('wal_checkpoint(PASSIVE)'))
      case 'task':
        return void runTask(request)
      case 'nextBatch':
        return tasks.get(request.id)?.next()
      case 'cancel':
        tasks.get(request.id)?.abort.abort()
        // The task waits for this call, and then sees that it was aborted.
        return tasks.get(request.id)?.next()
    }
  })
}
