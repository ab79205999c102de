/** The thread of `WorkerQueue`. */
import { parentPort } from 'node:worker_threads'
import { type Failure, failureOf } from './thread-failure.ts'

export type WorkerReply<Result> = { result: Result } | { failure: Failure }

export function serveWorkerQueue<Task, Result>(run: (task: Task) => Promise<Result>): void {
  const reply = (message: WorkerReply<Result>) => parentPort?.postMessage(message)
  parentPort?.on('message', async (task: Task) => {
    try {
      reply({ result: await run(task) })
    } catch (error) {
      reply({ failure: failureOf(error) })
    }
  })
}
