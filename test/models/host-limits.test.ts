import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { settle } from './fake-time.ts'
import { ONE, setUp } from './limited-work.ts'

describe('the limits of a host', () => {
  it('no more run at the same time than the host may have, and the next begins when one ends', async () => {
    const { work } = setUp()
    const rules = { concurrency: 2, requestsPerMinute: null }
    const all = ['one', 'two', 'three'].map((label) => work.ask(label, { rules }))
    await settle()
    expect(work.labels()).toEqual(['one', 'two'])
    work.ends.shift()?.()
    await settle()
    expect(work.labels()).toEqual(['one', 'two', 'three'])
    await work.endAll()
    expect(await Promise.all(all)).toEqual(['one', 'two', 'three'])
    expect(work.runningMax()).toBe(2)
  })

  it('a host that hangs does not affect other hosts', async () => {
    const { work } = setUp()
    const hung = work.ask('hung', { host: 'slow', rules: ONE })
    const behind = work.ask('behind', { host: 'slow', rules: ONE })
    const other = work.ask('other', { host: 'quick', rules: ONE })
    await settle()
    expect(work.labels()).toEqual(['hung', 'other'])
    await work.endAll()
    await Promise.all([hung, behind, other])
  })

  it('work that fails releases its slot', async () => {
    const { limits, work } = setUp()
    const signal = new AbortController().signal
    const turn = { host: 'a', owner: 'x', limits: ONE, signal }
    await expect(limits.run(turn, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    const next = work.ask('next', { rules: ONE })
    await settle()
    await work.endAll()
    expect(await next).toBe('next')
  })

  it('an evaluation with ten thousand questions delays another by one question', async () => {
    const { work } = setUp()
    const many = Array.from({ length: 10_000 }, (_, index) => work.ask(`big ${index}`, { owner: 'big', rules: ONE }))
    const few = [1, 2, 3].map((index) => work.ask(`small ${index}`, { owner: 'small', rules: ONE }))
    for (let count = 0; count < 7; count += 1) {
      await settle()
      work.ends.shift()?.()
    }
    await settle()
    expect(work.labels().slice(0, 8)).toEqual([
      ...['big 0', 'big 1', 'small 1', 'big 2', 'small 2', 'big 3', 'small 3', 'big 4'],
    ])
    await work.endAll()
    await Promise.all([...many, ...few])
  })

  it('a minute has at most the allowed requests and those of one second, for any arrival pattern', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 40 }),
        async (requestsPerMinute, pauses) => {
          const { time, limits, work } = setUp()
          const rules = { concurrency: 1_000, requestsPerMinute }
          const signal = new AbortController().signal
          for (const ms of pauses) {
            for (let count = 0; count < 5; count += 1) {
              const turn = { host: 'a', owner: 'x', limits: rules, signal }
              void limits.run(turn, async () => work.begun.push({ label: 'x', at: time.clock.now() }))
            }
            await time.pass(ms)
          }
          await time.pass(200 * 60_000)
          const times = work.times()
          expect(times).toHaveLength(pauses.length * 5)
          for (const from of times) {
            const inMinute = times.filter((at) => at >= from && at < from + 60_000).length
            expect(inMinute).toBeLessThanOrEqual(requestsPerMinute + Math.max(1, requestsPerMinute / 60))
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('sixty a minute are one a second, and not sixty at once', async () => {
    const { time, work } = setUp()
    const rules = { concurrency: 10, requestsPerMinute: 60 }
    const all = [1, 2, 3].map((index) => work.ask(`${index}`, { rules }))
    await time.pass(10_000)
    expect(work.times()).toEqual([0, 1_000, 2_000])
    await work.endAll()
    await Promise.all(all)
  })

  it('after a Retry-After of a provider no other request is sent before that time', async () => {
    const { time, limits, work } = setUp()
    limits.pause('a', 20_000)
    // A shorter wait does not undo a longer one.
    limits.pause('a', 1_000)
    const waiting = work.ask('waiting')
    const elsewhere = work.ask('elsewhere', { host: 'b' })
    await time.pass(19_999)
    expect(work.labels()).toEqual(['elsewhere'])
    await time.pass(1)
    expect(work.labels()).toEqual(['elsewhere', 'waiting'])
    await work.endAll()
    await Promise.all([waiting, elsewhere])
  })

  it('an aborted request leaves the queue with the reason, and without a timer', async () => {
    const { time, limits, work } = setUp()
    limits.pause('a', 60_000)
    const stop = new AbortController()
    const waiting = work.ask('waiting', { signal: stop.signal })
    await settle()
    expect(time.timersSet).toBe(1)
    stop.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    expect(time.timersSet).toBe(0)
    await expect(work.ask('late', { signal: stop.signal })).rejects.toThrow('cancelled')
    await time.pass(120_000)
    expect(work.labels()).toEqual([])
  })

  it('a request that leaves the queue keeps no slot', async () => {
    const { work } = setUp()
    const first = work.ask('first', { rules: ONE })
    const stop = new AbortController()
    const leaving = work.ask('leaving', { rules: ONE, signal: stop.signal })
    const last = work.ask('last', { rules: ONE })
    await settle()
    stop.abort(new Error('cancelled'))
    await expect(leaving).rejects.toThrow('cancelled')
    await work.endAll()
    expect(await Promise.all([first, last])).toEqual(['first', 'last'])
    expect(work.labels()).toEqual(['first', 'last'])
  })

  it('a signal that outlives thousands of requests retains nothing of them', async () => {
    const { limits } = setUp()
    const { signal } = new AbortController()
    for (let count = 0; count < 20; count += 1) {
      await limits.run({ host: 'a', owner: 'x', limits: ONE, signal }, async () => count)
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('raised limits apply to requests that already wait', async () => {
    const { work } = setUp()
    const all = [work.ask('one', { rules: ONE }), work.ask('two', { rules: ONE })]
    await settle()
    expect(work.labels()).toEqual(['one'])
    all.push(work.ask('three'))
    await settle()
    expect(work.labels()).toEqual(['one', 'two', 'three'])
    await work.endAll()
    await Promise.all(all)
  })

  it('for any interleaving everything that may begin does, and never more at once than allowed', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('ask' as const), owner: fc.constantFrom('x', 'y', 'z') }),
      fc.record({ kind: fc.constant('end' as const) }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 5_000 }) }),
      fc.record({ kind: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: 5_000 }) }),
      fc.record({ kind: fc.constant('abort' as const), index: fc.nat({ max: 20 }) }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, concurrency) => {
          const { time, limits, work } = setUp()
          const rules = { concurrency, requestsPerMinute: 120 }
          const stops: AbortController[] = []
          const outcomes: Promise<unknown>[] = []
          for (const one of steps) {
            if (one.kind === 'ask') {
              const stop = new AbortController()
              stops.push(stop)
              outcomes.push(work.ask('x', { owner: one.owner, rules, signal: stop.signal }).catch(() => 'left'))
            }
            if (one.kind === 'end') work.ends.shift()?.()
            if (one.kind === 'pass') await time.pass(one.ms)
            if (one.kind === 'pause') limits.pause('a', one.ms)
            if (one.kind === 'abort') stops[one.index]?.abort()
            await settle()
          }
          for (let count = 0; count < steps.length + 1; count += 1) {
            await time.pass(60_000)
            await work.endAll()
          }
          await Promise.all(outcomes)
          expect(work.runningMax()).toBeLessThanOrEqual(concurrency)
          expect(time.timersSet).toBe(0)
        },
      ),
      { numRuns: 60 },
    )
  })
})
