/** A thread for the tests of `WorkerQueue`. */
import { serveWorkerQueue } from '../../src/base/serve-worker-queue.ts'

export type TestTask = { kind: 'echo'; text: string } | { kind: 'fail' | 'loop' | 'allocate' }

serveWorkerQueue(async (task: TestTask): Promise<string> => {
  if (task.kind === 'echo') return task.text
  if (task.kind === 'fail') throw new TypeError('this task fails')
  const held: number[][] = []
  for (;;) if (task.kind === 'allocate') held.push(Array.from({ length: 10_000 }, () => Math.random()))
})
