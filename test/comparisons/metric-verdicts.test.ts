import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePairs, judgeTogether } from './compare-pairs.ts'

type Shape = { name: string; role?: 'quality' | 'reported'; changes: readonly (readonly [number, number])[] }

/** So many items of each kind: from which value to which. */
function itemsOf(...kinds: readonly { times: number; from: number; to: number }[]): [number, number][] {
  return kinds.flatMap(({ times, from, to }) => Array.from({ length: times }, (): [number, number] => [from, to]))
}

async function verdictsOf(shapes: readonly Shape[], options: { candidates?: number } = {}) {
  const judged = await Promise.all(
    shapes.map(async ({ name, role = 'quality', changes }) => {
      const kind = role === 'quality' ? null : ('numeric' as const)
      const metric = {
        name,
        role,
        kind,
        scale: role === 'quality' ? ([0, 1] as const) : null,
        isRatio: role === 'reported',
      }
      const pairs = changes.map(([baseline, candidate], place) => ({ itemId: `i${1000 + place}`, baseline, candidate }))
      return { evidence: await comparePairs(pairs, { ...metric, higherIsBetter: true }), metric }
    }),
  )
  return judgeTogether(judged, options)
}

const LOST_SEVEN = { name: 'helpful', changes: itemsOf({ times: 7, from: 1, to: 0 }, { times: 40, from: 1, to: 1 }) }
const GREW = itemsOf(...Array.from({ length: 47 }, (_, place) => ({ times: 1, from: 1 + place, to: 2 + place })))
const [P7, P6, P5] = [1 / 2 ** 7, 1 / 2 ** 6, 1 / 2 ** 5]

describe('several metrics', () => {
  it('that are merely reported do not hide what an evaluator found', async () => {
    const [alone] = await verdictsOf([LOST_SEVEN])
    const [withReported, ...reported] = await verdictsOf([
      LOST_SEVEN,
      ...['durationMs', 'costUsd', 'totalTokens'].map((name) => ({ name, role: 'reported' as const, changes: GREW })),
    ])
    expect(alone).toMatchObject({ verdict: 'regressed', alone: null, test: { pAdjusted: expect.closeTo(P7, 10) } })
    expect(withReported).toEqual(alone)
    // They are corrected for each other.
    for (const { test } of reported) expect(test?.pAdjusted).toBeCloseTo(3 * (test?.p ?? 0), 15)
  })

  it('whose test cannot be significant are not corrected for, for any value', async () => {
    for (const value of [0, 1, 0.5]) {
      const constant = { name: 'error', changes: itemsOf({ times: 47, from: value, to: value }) }
      expect((await verdictsOf([LOST_SEVEN, constant]))[0]).toMatchObject({
        test: { pAdjusted: expect.closeTo(P7, 10) },
      })
    }
    const fourLost = { name: 'error', changes: itemsOf({ times: 4, from: 1, to: 0 }, { times: 43, from: 1, to: 1 }) }
    const [helpful, error] = await verdictsOf([LOST_SEVEN, fourLost])
    expect(helpful).toMatchObject({ test: { pAdjusted: expect.closeTo(P7, 10) } })
    expect(error).toMatchObject({ verdict: 'noClearDifference', alone: null })
  })

  it('of one role are corrected for each other, and the row shows the corrected interval with the plain one as `alone`', async () => {
    const fiveLost = { name: 'error', changes: itemsOf({ times: 5, from: 1, to: 0 }, { times: 42, from: 1, to: 1 }) }
    const [helpful, error] = await verdictsOf([LOST_SEVEN, fiveLost, { ...LOST_SEVEN, name: 'third' }])
    expect(helpful).toMatchObject({ verdict: 'regressed', test: { pAdjusted: expect.closeTo(3 * P7, 10) } })
    expect(helpful?.confidence).toBeCloseTo(1 - 0.05 / 3, 10)
    expect(helpful?.alone?.ci?.[1]).toBeLessThan(helpful?.ci?.[1] ?? NaN)
    expect(helpful?.summary).toContain('corrected for 3 metrics')
    // The last one of Holm’s procedure is not corrected.
    expect(error).toMatchObject({ test: { p: expect.closeTo(P5, 10) }, alone: null })
    expect(error?.verdict).toBe('regressed')
    const [, , six] = await verdictsOf([fiveLost, { ...fiveLost, name: 'second' }, { ...fiveLost, name: 'third' }])
    expect(six).toMatchObject({ verdict: 'noClearDifference', test: { pAdjusted: expect.closeTo(3 * P5, 10) } })
    expect(six?.ci?.[1]).toBeGreaterThan(0)
    expect(six?.alone?.ci?.[1]).toBeLessThan(0)
    expect(six?.summary).toContain('p is 0.031 alone, which does not hold when corrected for 3 metrics')
  })

  it('have a smaller level if there are several candidates', async () => {
    const [one] = await verdictsOf([LOST_SEVEN], { candidates: 10 })
    expect(one).toMatchObject({ verdict: 'noClearDifference', test: { pAdjusted: expect.closeTo(10 * P7, 10) } })
    expect(one?.confidence).toBeCloseTo(0.995, 10)
    expect(P6).toBeLessThan(0.05)
  })

  it('never contradict their own row: a verdict is an interval without 0 is a corrected p below 0.05', async () => {
    const change = fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 }))
    const metric = fc.array(change, { minLength: 10, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.array(metric, { minLength: 1, maxLength: 4 }), async (metrics) => {
        const shapes = metrics.map((changes, index) => ({
          name: `m${index}`,
          changes: changes.map(([from, to]): [number, number] => [from / 10, to / 10]),
        }))
        for (const { ci, test, verdict, alone } of await verdictsOf(shapes)) {
          const side = ci === null ? 0 : ci[0] > 0 ? 1 : ci[1] < 0 ? -1 : 0
          expect(side !== 0).toBe((test?.pAdjusted ?? 1) < 0.05)
          expect(verdict).toBe(side > 0 ? 'improved' : side < 0 ? 'regressed' : 'noClearDifference')
          if (alone?.ci) expect(alone.ci[0] > 0 || alone.ci[1] < 0).toBe(alone.p < 0.05)
        }
      }),
      { numRuns: 60 },
    )
  })
})
