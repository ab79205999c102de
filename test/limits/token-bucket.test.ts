import { describe, expect, it } from 'vitest'
import { createRateLimiter, rateLimitHeaders } from '../../src/auth/caller-limits.ts'

function limiterOf(rate: { perSecond: number; burst: number }) {
  const time = { ms: 0 }
  return { ...createRateLimiter(rate, () => time.ms), time }
}

describe('a token bucket', () => {
  it('allows a burst, then the refill rate, and never more than a burst', () => {
    const { take, time } = limiterOf({ perSecond: 2, burst: 3 })
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1])
    time.ms = 500
    expect([take('a'), take('a')]).toEqual([0, 1])
    time.ms = 1_000_000
    expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1])
  })

  it('is separate for each key', () => {
    const { take } = limiterOf({ perSecond: 1, burst: 1 })
    expect([take('a'), take('b'), take('a'), take('b')]).toEqual([0, 0, 1, 1])
  })

  it('returns how long to wait: after that there is a token', () => {
    const { take, wait, time } = limiterOf({ perSecond: 0.1, burst: 1 })
    take('a')
    expect(wait('a')).toBe(10)
    time.ms = 10_000
    expect([wait('a'), take('a'), wait('a')]).toEqual([0, 0, 10])
  })

  it('consumes nothing when read, and stores nothing about uncounted keys', () => {
    const { wait, take } = limiterOf({ perSecond: 1, burst: 1 })
    for (let time = 0; time < 10; time += 1) expect(wait('a')).toBe(0)
    expect(take('a')).toBe(0)
  })

  it('drops some keys at its capacity, and stays correct for the others', () => {
    const { take } = limiterOf({ perSecond: 1, burst: 1 })
    for (let place = 0; place < 60_000; place += 1) take(`key ${place}`)
    expect(take('key 59999')).toBe(1)
  })
})

it('describes a bucket as a quota and its window', () => {
  expect(rateLimitHeaders('requests', { perSecond: 1_000, burst: 5_000 }, 1)).toEqual({
    'retry-after': '1',
    'ratelimit-policy': '"requests";q=5000;w=5',
    ratelimit: '"requests";r=0;t=1',
  })
})
