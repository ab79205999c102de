import { describe, expect, test } from 'vitest'
import { bootstrapMean } from '../../src/statistics/bootstrap/bootstrap-mean.ts'
import { type Kind, sumKinds, totalsInterval } from '../../src/statistics/bootstrap/bootstrap-totals.ts'
import { runSlices } from './in-one-go.ts'

const twentyKinds: Kind[] = Array.from({ length: 20 }, (_, kind) => ({ count: 1, adds: [[kind, 1]] }))

describe('totalsInterval', () => {
  test.each([
    { drawn: 'one by one', counts: [6, 5, 4, 8, 17] },
    { drawn: 'by number', counts: [60, 50, 40, 80, 170] },
  ])('the mean of a 1 to 5 scale, drawn $drawn, has the interval that the bootstrap of the mean has', ({ counts }) => {
    const kinds = counts.map(
      (count, place): Kind => ({
        count,
        adds: [
          [0, 1],
          [1, place + 1],
        ],
      }),
    )
    const meanOf = ([n = 0, sum = 0]: Float64Array) => sum / n
    const [low = NaN, high = NaN] = runSlices(totalsInterval({ kinds, totals: 2, evaluate: meanOf, seed: 'a' })) ?? []
    const scores = Float64Array.from(counts.flatMap((count, place) => new Array<number>(count).fill(place + 1)))
    const [meanLow = NaN, meanHigh = NaN] =
      runSlices(bootstrapMean(scores, { seed: 'b', resamples: 20_000 }))?.interval ?? []
    // Both move in steps of 1/n, and 5,000 resamples place an end to some hundredths of the width.
    const tolerance = 1 / scores.length + 0.04 * (meanHigh - meanLow)
    expect(Math.abs(low - meanLow)).toBeLessThan(tolerance)
    expect(Math.abs(high - meanHigh)).toBeLessThan(tolerance)
  })

  test('a statistic that every resample lowers, or raises, still has an interval of numbers that contains it', () => {
    const seen = (totals: Float64Array) => totals.filter((count) => count > 0).length / 20
    const lowered = runSlices(totalsInterval({ kinds: twentyKinds, totals: 20, evaluate: seen, seed: 'a' }))
    expect(lowered?.[0]).toBeLessThanOrEqual(1)
    expect(lowered?.[1]).toBe(1)
    const missed = (totals: Float64Array) => 1 - seen(totals)
    const raised = runSlices(totalsInterval({ kinds: twentyKinds, totals: 20, evaluate: missed, seed: 'a' }))
    expect(raised?.[0]).toBe(0)
    expect(raised?.[1]).toBeGreaterThanOrEqual(0)
  })

  test('has no interval if nothing varies, with one unit only, or if mostly undefined', () => {
    const evaluate = () => 0.5
    expect(runSlices(totalsInterval({ kinds: twentyKinds, totals: 20, evaluate, seed: 'a' }))).toBeUndefined()
    const one: Kind[] = [{ count: 1, adds: [[0, 1]] }]
    expect(runSlices(totalsInterval({ kinds: one, totals: 1, evaluate, seed: 'a' }))).toBeUndefined()
    const onlyInFull = (totals: Float64Array) => (totals.every((count) => count > 0) ? 1 : undefined)
    expect(
      runSlices(totalsInterval({ kinds: twentyKinds, totals: 20, evaluate: onlyInFull, seed: 'a' })),
    ).toBeUndefined()
    expect(runSlices(totalsInterval({ kinds: [], totals: 0, evaluate, seed: 'a' }))).toBeUndefined()
  })
})

describe('sumKinds', () => {
  test('adds the totals of each kind by its frequency', () => {
    const kinds: Kind[] = [
      { count: 3, adds: [[0, 2]] },
      {
        count: 1,
        adds: [
          [0, 1],
          [1, 5],
        ],
      },
    ]
    expect([...sumKinds(kinds, 3)]).toEqual([7, 5, 0])
  })
})
