import { afterEach, describe, expect, it } from 'vitest'
import { TaskLimitError, WorkerQueue, type WorkerQueueOptions } from '../../src/base/worker-queue.ts'
import { until } from './evaluating.ts'
import type { TestTask } from './limited-thread.ts'

const thread = new URL('./limited-thread.ts', import.meta.url)
const LOOP = { kind: 'loop' } as const
const echo = (text: string) => ({ kind: 'echo', text }) as const

describe('a queue of tasks for a worker', () => {
  let queue: WorkerQueue<TestTask, string> | undefined
  const open = (options: Partial<WorkerQueueOptions> = {}) => {
    queue = new WorkerQueue<TestTask, string>({
      thread,
      cpuMsMax: 30_000,
      timeoutMs: 60_000,
      memoryMbMax: 64,
      idleMs: 30_000,
      ...options,
    })
    return queue
  }
  afterEach(() => queue?.stop())

  it('ends a task that never ends at its limit of processor time, and runs the next one in another thread', async () => {
    const tasks = open({ cpuMsMax: 500 })
    const endless = tasks.run('a', LOOP)
    const next = tasks.run('a', echo('next'))
    await expect(endless).rejects.toEqual(new TaskLimitError('needs more than 1 seconds of processor time'))
    expect(await next).toBe('next')
  })

  it('ends a task that never ends at its limit of elapsed time', async () => {
    await expect(open({ timeoutMs: 500 }).run('a', LOOP)).rejects.toEqual(
      new TaskLimitError('did not end within 1 seconds'),
    )
  })

  it('aborts a task that needs too much memory, and the process continues', async () => {
    const tasks = open()
    await expect(tasks.run('a', { kind: 'allocate' })).rejects.toEqual(
      new TaskLimitError('needs more than 64 MB of memory'),
    )
    expect(await tasks.run('a', echo('next'))).toBe('next')
  })

  it('rejects with the error of a task that fails, in the same thread as the next one', async () => {
    const tasks = open()
    await expect(tasks.run('a', { kind: 'fail' })).rejects.toThrow('this task fails')
    expect(await tasks.run('a', echo('next'))).toBe('next')
  })

  it('alternates between groups: one task of a group does not wait for all of another', async () => {
    const tasks = open()
    const done: string[] = []
    const run = (group: string, text: string) => tasks.run(group, echo(text)).then((reply) => done.push(reply))
    await Promise.all([run('a', 'a1'), run('a', 'a2'), run('a', 'a3'), run('b', 'b1'), run('c', 'c1'), run('b', 'b2')])
    expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('rejects at once when it is aborted, whether the task waits or runs', async () => {
    const tasks = open()
    const over = new AbortController()
    const running = tasks.run('a', LOOP, over.signal)
    const waiting = tasks.run('a', LOOP, over.signal)
    over.abort(new Error('stopped'))
    await expect(running).rejects.toThrow('stopped')
    await expect(waiting).rejects.toThrow('stopped')
    expect(tasks.countWaiting('a')).toBe(0)
    await expect(tasks.run('a', LOOP, over.signal)).rejects.toThrow('stopped')
  })

  it('ends its thread when there is nothing to do, and starts another one when there is', async () => {
    const tasks = open({ idleMs: 1 })
    expect(await tasks.run('a', echo('first'))).toBe('first')
    await until(() => expect(tasks.isThreadRunning).toBe(false))
    expect(await tasks.run('a', echo('second'))).toBe('second')
  })
})
