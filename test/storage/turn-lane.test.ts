import { describe, expect, it } from 'vitest'
import type { ReadCaller } from '../../src/storage/db.ts'
import { TurnLane, turnsOf } from '../../src/storage/turn-lane.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

function setUp(runningMax: number, runningMaxEach: number) {
  const lane = new TurnLane({ name: 'searches', runningMax, runningMaxEach })
  const started: string[] = []
  const running: (() => void)[] = []
  const start = async (enter: ReturnType<typeof turnsOf>, application: string) => {
    const leave = await enter()
    started.push(application)
    running.push(leave)
  }
  const read = (application: string, options: Partial<ReadCaller> = {}) =>
    start(turnsOf(lane, { application, from: 'request', ...options }), application)
  return { lane, started, running, start, read }
}

describe('a lane of reads', () => {
  it('leaves a slot to another application, for any number of slow reads', async () => {
    const { started, read } = setUp(2, 1)
    const many = Array.from({ length: 66 }, () => read('greedy').catch((error: unknown) => error))
    void read('modest')
    await settle()
    expect(started).toEqual(['greedy', 'modest'])
    const rejected = await Promise.all(many.slice(9))
    for (const error of rejected) expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '1' } })
  })

  it('alternates between applications', async () => {
    const { started, running, read } = setUp(1, 1)
    for (const application of ['a', 'a', 'a', 'b', 'b', 'c']) void read(application)
    for (let count = 0; count < 6; count += 1) {
      await settle()
      running.shift()?.()
    }
    await settle()
    // The first two wait when no other application does.
    expect(started).toEqual(['a', 'a', 'b', 'c', 'a', 'b'])
  })

  it('drops a read whose client has disconnected before it started', async () => {
    const { started, running, read } = setUp(1, 1)
    void read('a')
    const leaving = new AbortController()
    const left = read('b', { signal: leaving.signal }).catch((error: unknown) => error)
    leaving.abort()
    expect(await left).toMatchObject({ status: 499 })
    void read('c')
    await settle()
    running.shift()?.()
    await settle()
    expect(started).toEqual(['a', 'c'])
  })

  it('rejects only the first turn of a request, and none of a job', async () => {
    const { lane, started, running, start, read } = setUp(1, 1)
    const admitted = turnsOf(lane, { application: 'a', from: 'request' })
    await start(admitted, 'first')
    for (let count = 0; count < 8; count += 1) void read('a')
    await expect(read('a')).rejects.toMatchObject({ status: 429 })
    void start(admitted, 'second')
    void read('a', { from: 'job' })
    for (let count = 0; count < 11; count += 1) {
      running.shift()?.()
      await settle()
    }
    expect(started).toEqual(['first', ...Array.from({ length: 8 }, () => 'a'), 'second', 'a'])
  })

  it('rejects with 503 when the queue of all applications is full', async () => {
    const { read } = setUp(1, 1)
    for (let count = 0; count < 65; count += 1) void read(`application ${count}`)
    await expect(read('one more')).rejects.toMatchObject({ status: 503 })
  })
})
