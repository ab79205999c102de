import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plannedLook, planText, SINGLE_LOOK, withoutPlan } from '../../src/comparisons/verdicts/look-rule.ts'
import { runs } from '../harness/stage.ts'
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

  it('never contradict their own row: a verdict is an interval without 0 is a corrected p below the level', {
    tags: 'sized',
  }, async () => {
    const whole = fc.integer({ min: 0, max: 10 })
    const metric = fc.record({
      kind: fc.constantFrom('yes/no', 'scores', 'ratios', 'amounts'),
      higherIsBetter: fc.boolean(),
      changes: fc.array(fc.tuple(whole, whole), { minLength: 2, maxLength: 40 }),
      missing: fc.nat({ max: 2 }),
    })
    const compared = fc.record({
      metrics: fc.array(metric, { minLength: 1, maxLength: 4 }),
      candidates: fc.integer({ min: 1, max: 4 }),
      isGrouped: fc.boolean(),
      looks: fc.constantFrom('single', 'planned', 'sequential'),
    })
    await fc.assert(
      fc.asyncProperty(compared, async ({ metrics, candidates, isGrouped, looks }) => {
        const rule = RULES[looks]
        const judged = await Promise.all(
          metrics.map(async ({ kind, higherIsBetter, changes, missing }, index) => {
            const isRatio = kind === 'ratios'
            const role = isRatio ? ('reported' as const) : ('quality' as const)
            const scale = isRatio || kind === 'amounts' ? null : ([0, 1] as const)
            const one = { name: `m${index}`, role, kind: null, scale, isRatio, higherIsBetter }
            const asValue = (value: number) => (kind === 'yes/no' ? Number(value > 4) : scale ? value / 10 : value)
            const pairs = changes.map(([from, to], place) => {
              return { itemId: `i${1000 + place}`, baseline: asValue(from), candidate: asValue(to) }
            })
            const incomplete = Array.from({ length: missing }, (_, place) => {
              return { itemId: `missing${place}`, baseline: asValue(5), candidate: undefined }
            })
            const groupOf = isGrouped ? (itemId: string) => itemId.slice(0, -1) : undefined
            const options = { ...one, groupOf, isSequential: looks === 'sequential' }
            return { evidence: await comparePairs(pairs, options, incomplete), metric: one }
          }),
        )
        for (const row of judgeTogether(judged, { candidates, rule })) {
          const { test, verdict, alone, items, groups, ratio, totalRatio } = row
          const [ends, same] = ratio === null ? [row.ci, 0] : [row.ratioCi, 1]
          const side = ends === null ? 0 : ends[0] > same ? 1 : ends[1] < same ? -1 : 0
          if (ends) expect(side !== 0).toBe((test?.pAdjusted ?? 1) < rule.looking.level)
          if (alone?.ci && ratio === null) expect(alone.ci[0] > 0 || alone.ci[1] < 0).toBe(alone.p < rule.looking.level)
          if (items < 10 || (groups ?? 6) < 6 || test === null) expect(verdict).toBe('tooFewCases')
          else if (ends) {
            // A typical item may be cheaper and the total dearer.
            const isSplit = ratio !== null && totalRatio !== null && Math.log(totalRatio) * side < 0
            const better = row.higherIsBetter ? side : -side
            const named = better > 0 ? 'improved' : better < 0 ? 'regressed' : 'noClearDifference'
            expect(verdict).toBe(isSplit ? 'noClearDifference' : named)
          }
        }
      }),
      { numRuns: runs(200) },
    )
  })
})

const RULES = {
  single: SINGLE_LOOK,
  planned: plannedLook(planText({ looks: 5, items: 50 }), { hash: 'result', items: 30 }),
  sequential: withoutPlan('sequential', { items: 30, looks: 2 }),
}
