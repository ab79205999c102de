import { expect, it } from 'vitest'
import { timeLeft } from '../../web/src/api/time-left.ts'

const steady = (count: number, msPerCall: number) =>
  Array.from({ length: count + 1 }, (_, finished) => ({ atMs: finished * msPerCall, finished }))

it('a trial whose calls end evenly has a range that is one number', () => {
  const { seconds, range = [] } = timeLeft(steady(100, 500), 200) ?? {}
  expect(seconds).toBeCloseTo(50)
  expect(range[0]).toBeCloseTo(50)
  expect(range[1]).toBeCloseTo(50)
})

it('the more the speed changes, the wider the range around what is expected', () => {
  let atMs = 0
  const uneven = Array.from({ length: 101 }, (_, finished) => {
    atMs += finished % 25 < 12 ? 200 : 800
    return { atMs, finished }
  })
  const { seconds = 0, range: [low = 0, high = 0] = [] } = timeLeft(uneven, 200) ?? {}
  expect(low).toBeLessThan(0.9 * seconds)
  expect(high).toBeGreaterThan(1.1 * seconds)
  expect(low + high).toBeCloseTo(2 * seconds)
})

it('after a few calls there is an estimate without a range, and none after fewer', () => {
  expect(timeLeft(steady(10, 500), 200)).toEqual({ seconds: 95, range: undefined })
  expect(timeLeft(steady(2, 500), 200)).toBeUndefined()
})
