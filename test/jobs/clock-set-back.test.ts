// @module-tag sql
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { elapsedMs, systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import { hasDueJobOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import { createHostLimits } from '../../src/llm/host-limits.ts'
import { describeEachStorage } from '../harness/test-storage.ts'

const HOUR_MS = 3_600_000

describe('when the time of the system is set back an hour', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('times are those of the system, and durations stay correct', () => {
    const clock = systemClock()
    const [now, elapsed] = [clock.now(), elapsedMs(clock)]
    vi.setSystemTime(now - HOUR_MS)
    expect(clock.now()).toBe(now - HOUR_MS)
    expect(elapsedMs(clock)).toBeGreaterThanOrEqual(elapsed)
  })

  it('a pause of a provider ends at its time', async () => {
    let elapsed = 0
    let wake = () => {}
    const clock = { now: () => Date.now(), elapsed: () => elapsed }
    const timer = (_ms: number, then: () => void) => {
      wake = then
      return () => {}
    }
    const limits = createHostLimits({ clock, timer })
    limits.pause('host', 5_000)
    vi.setSystemTime(Date.now() - HOUR_MS)
    const turn = { host: 'host', owner: 'x', limits: { concurrency: 1, requestsPerMinute: null } }
    const begun = limits.run({ ...turn, signal: new AbortController().signal }, async () => 'begun')
    elapsed = 5_000
    wake()
    expect(await begun).toBe('begun')
  })
})

describeEachStorage('a job that was put off before the time was set back', (storage) => {
  it('is due at once', async () => {
    const clock = systemClock()
    const parts = { clock, newId: idGenerator(clock) }
    const workspaceId = '0199d2a0-0000-7000-8000-000000000001'
    await storage().transaction((tx) => enqueueJob(tx, parts, { workspaceId, kind: 'work', payload: {} }))
    const put = (ms: number) =>
      storage().transaction((tx) =>
        tx
          .updateTable('jobs')
          .set({ run_at: timestamp(clock.now() + ms) })
          .execute(),
      )
    await put(60_000)
    expect(await hasDueJobOfAnyWorkspace(storage().read, clock)).toBe(false)
    await put(HOUR_MS)
    expect(await hasDueJobOfAnyWorkspace(storage().read, clock)).toBe(true)
  })
})
