/** What a row says is one statement: verdict, interval, test, power and margin of the same items agree. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed } from './read-comparison.ts'
import { passesOf, seedComparison } from './seed-comparison.ts'

const ITEMS = 50
const NAMES = ['fell', 'rose', 'gained', 'same', 'top']

/** Deviations of fifty items that are about normal, with the mean 0 and the standard deviation 1. */
const DEVIATIONS = normalScores(ITEMS)

describeEachEngine('a comparison of fifty items', (app) => {
  const seedFifty = () =>
    seedComparison(app(), {
      items: ITEMS,
      baseline: passesOf(ITEMS, () => ({
        scores: { fell: 0.8, rose: 0.5, gained: 0.5, same: 0.5, top: 1 },
        durationMs: 1_000,
        costUsd: 0.001,
      })),
      candidate: passesOf(ITEMS, (place) => {
        const deviation = DEVIATIONS[place] ?? 0
        return {
          scores: {
            fell: 0.75,
            rose: 0.55,
            gained: 0.55 + 0.1 * deviation,
            same: 0.5,
            top: place < 3 ? 0.5 : 1,
          },
          durationMs: Math.round(1_200 * Math.exp(0.3 * deviation)),
          // One item costs two hundred times as much.
          costUsd: place === 0 ? 0.2 : 0.002,
        }
      }),
      metrics: NAMES.map((name) => ({ name, kind: 'numeric', scale: [0, 1], higherIsBetter: true })),
    })

  it('calls a small change of every item by its name, with an interval around it', async () => {
    const body = await compared(await seedFifty())
    const [fell, rose] = [metricNamed(body, 'fell'), metricNamed(body, 'rose')]
    expect([fell.verdict, rose.verdict]).toEqual(['regressed', 'improved'])
    const [low, high] = Object(rose.ci)
    expect(low).toBeGreaterThan(0.03)
    expect(high).toBeLessThan(0.15)
    expect([-Object(fell.ci)[1], -Object(fell.ci)[0]]).toEqual([expect.closeTo(low, 10), expect.closeTo(high, 10)])
  })

  it('shows of several metrics the interval that Holm’s correction leaves, and what each would be alone on a second line', async () => {
    const body = await compared(await seedFifty())
    const rows = NAMES.map((name) => metricNamed(body, name)).filter(({ correction }) => correction !== null)
    expect(rows.map(({ name }) => name)).toEqual(['fell', 'rose', 'gained'])
    const smallestFirst = rows.map(({ test }) => Object(test)).sort((a, b) => a.p - b.p)
    let atLeast = 0
    for (const [place, { p, pAdjusted }] of smallestFirst.entries()) {
      atLeast = Math.max(atLeast, (rows.length - place) * p)
      expect(pAdjusted).toBeCloseTo(atLeast, 15)
    }
    for (const { test, ci, confidence, alone, correction, summary } of rows) {
      expect(correction).toBe('corrected for 3 metrics')
      expect(summary).toContain(', corrected for 3 metrics, 50 items)')
      expect(confidence).toBeCloseTo(1 - (0.05 * Object(test).p) / Object(test).pAdjusted, 10)
      const { p, pAdjusted } = Object(test)
      // The greatest p of the three is tested last, at the whole level.
      if (pAdjusted === p) expect(alone).toBeNull()
      else expect(alone).toEqual({ p, ci: [expect.any(Number), expect.any(Number)] })
      const widthOf = (row: unknown) => Object(row).ci[1] - Object(row).ci[0]
      if (alone !== null) expect(widthOf({ ci })).toBeGreaterThan(widthOf(alone))
    }
  })

  it('finds what a t test finds: a gain of half a deviation, a fifth more time, and double cost with an outlier', async () => {
    const body = await compared(await seedFifty())
    expect(metricNamed(body, 'gained').verdict).toBe('improved')
    expect(metricNamed(body, 'durationMs')).toMatchObject({ verdict: 'regressed', ratio: expect.closeTo(1.2, 2) })
    expect(metricNamed(body, 'costUsd')).toMatchObject({ verdict: 'regressed', losses: ITEMS })
    // The t test needs (2.01 + 0.84) standard errors.
    const { detectableDifference } = Object(metricNamed(body, 'gained').power)
    expect(detectableDifference / ((2.01 + 0.84) * (0.1 / Math.sqrt(ITEMS)))).toBeCloseTo(1, 1)
  })

  it('has no verdict on costs, and keeps no margin, where a typical item became cheaper and the bill dearer', async () => {
    const seeded = await seedComparison(app(), {
      items: ITEMS,
      baseline: passesOf(ITEMS, () => ({ costUsd: 0.002 })),
      candidate: passesOf(ITEMS, (place) => ({ costUsd: place === 0 ? 0.2 : 0.001 })),
    })
    const cost = metricNamed(await compared(seeded, 'margin=1.1'), 'costUsd')
    expect(cost).toMatchObject({ verdict: 'noClearDifference', notWorseThanMargin: false })
    expect([Object(cost.ratioCi)[1], Object(cost.marginCi)[1]].every((most) => most < 1)).toBe(true)
    expect(cost.totalRatio).toBeCloseTo(2.49, 10)
    expect(cost.summary).toMatch(/: a typical item has 0\.\d\d × and the total 2\.49 ×/)
    expect(cost.summary).toContain(
      'A typical item of costUsd keeps the margin of 1.1 ×, and the total does not (2.49 ×, 50 items).',
    )
  })

  it('has no improvement that would not remain if the items without an answer were as bad as can be', async () => {
    const lacking = async (missing: number) => {
      const right = [{ name: 'right', kind: 'numeric', scale: [0, 1], higherIsBetter: true }]
      const seeded = await seedComparison(app(), {
        items: ITEMS,
        baseline: passesOf(ITEMS, () => ({ scores: { right: 0.5 } })),
        candidate: passesOf(ITEMS - missing, () => ({ scores: { right: 0.7 } })),
        metrics: right,
      })
      return metricNamed(await compared(seeded), 'right')
    }
    expect(await lacking(2)).toMatchObject({ verdict: 'improved', missing: 2 })
    // Each of 20 may have lost 0.5, which is more than 30 have gained.
    const many = await lacking(20)
    expect(many).toMatchObject({ verdict: 'noClearDifference', missing: 20, difference: expect.closeTo(0.2, 10) })
    expect(many.summary).toContain('20 of 50 items have no answer in B')
  })

  it.each([
    [9, 'tooFewCases'],
    [10, 'improved'],
  ])('of %i items that all gained has the verdict %s', async (items, verdict) => {
    const seeded = await seedComparison(app(), {
      items,
      baseline: passesOf(items, () => ({ scores: { right: 0 } })),
      candidate: passesOf(items, () => ({ scores: { right: 1 } })),
      metrics: [{ name: 'right', kind: 'binary', scale: [0, 1], higherIsBetter: true }],
    })
    expect(metricNamed(await compared(seeded), 'right')).toMatchObject({ items, wins: items, verdict })
  })

  it.each([
    [29, 'noClearDifference'],
    [30, 'equivalent'],
  ])('of %i items that are all equal, within a wide margin, has the verdict %s', async (items, verdict) => {
    const seeded = await seedComparison(app(), {
      items,
      baseline: passesOf(items, () => ({ scores: { right: 1 } })),
      candidate: passesOf(items, () => ({ scores: { right: 1 } })),
      metrics: [{ name: 'right', kind: 'binary', scale: [0, 1], higherIsBetter: true }],
    })
    expect(metricNamed(await compared(seeded, 'margin=0.15'), 'right').verdict).toBe(verdict)
  })

  it('keeps no margin that a breakage could exceed unseen, and calls equivalent what keeps it on both sides', async () => {
    const seeded = await seedFifty()
    const [strict, mild] = [await compared(seeded, 'margin=0.05'), await compared(seeded, 'margin=0.07')]
    // No item changed: by the rule of three, up to 5.8 % of fifty items may break.
    expect(metricNamed(strict, 'same')).toMatchObject({ verdict: 'noClearDifference', notWorseThanMargin: false })
    expect(metricNamed(mild, 'same')).toMatchObject({ verdict: 'equivalent', notWorseThanMargin: true })
    // Every item gained 0.05, and some that were not seen may have broken.
    const { ci, marginCi } = metricNamed(strict, 'rose')
    expect([Object(ci)[0] > 0, Object(marginCi)[0] > 0]).toEqual([true, false])
    expect(metricNamed(mild, 'same').summary).toMatch(/^B is equivalent to A on same: .* margin of 0\.07 .*50 items/)
  })

  it('plans for a margin only where it can be one: a ratio of 1.3 is no difference on a scale from 0 to 1', async () => {
    const seeded = await seedFifty()
    const [plain, ofRatios, ofScores] = await Promise.all(
      ['', 'margin=1.3', 'margin=0.04'].map((parameters) => compared(seeded, parameters)),
    )
    const casesFor = (body: Record<string, unknown> | undefined, name: string) =>
      Object(metricNamed(body ?? {}, name).power).casesFor
    expect(casesFor(ofRatios, 'gained')).toEqual(casesFor(plain, 'gained'))
    expect(casesFor(ofScores, 'gained')).toMatchObject({ difference: 0.04 })
    expect(casesFor(ofScores, 'durationMs')).toEqual(casesFor(plain, 'durationMs'))
    expect(casesFor(ofRatios, 'durationMs').difference).toBeCloseTo(0.3, 9)
    expect(metricNamed(ofRatios ?? {}, 'top').summary).toMatch(
      /3 of them differ, and at least 6 must differ to decide\.$/,
    )
  })

  it('has an interval of a mean near the end of its scale that does not end there', async () => {
    const { candidate } = metricNamed(await compared(await seedFifty()), 'top')
    const { mean, ci, method } = Object(candidate)
    expect(mean).toBeCloseTo(0.97, 10)
    expect(ci[0]).toBeLessThan(0.945)
    expect(ci[1]).toBeLessThan(0.992)
    expect(method).toMatch(/half an item at each end of the scale/)
  })

  it('calls twelve of twelve items that use more tokens worse', async () => {
    const seeded = await seedComparison(app(), {
      items: 12,
      baseline: passesOf(12, () => ({ totalTokens: 1_000 })),
      candidate: passesOf(12, (place) => ({ totalTokens: 1_300 + 20 * place })),
    })
    const tokens = metricNamed(await compared(seeded), 'totalTokens')
    expect(tokens).toMatchObject({ verdict: 'regressed', wins: 0, losses: 12 })
    expect(tokens.summary).toBe('B uses 1.41 × the tokens of A (95 % CI 1.36 to 1.45, 12 of 12 items).')
  })

  it.each([9, 20])('has the rule of three as the interval of %d items of which none changed', async (items) => {
    const passes = passesOf(items, () => ({ scores: { same: 0.5 } }))
    const metrics = [{ name: 'same', kind: 'numeric', scale: [0, 1], higherIsBetter: true }]
    const body = await compared(await seedComparison(app(), { items, baseline: passes, candidate: passes, metrics }))
    const [low, high] = Object(metricNamed(body, 'same').ci)
    expect(high).toBeCloseTo(1 - 0.05 ** (1 / items), 2)
    expect(low).toBe(-high)
  })

  it('takes ratios for equal that differ by rounding only: the mean of three times 0.95 is not 0.95', async () => {
    const passes = (repetitions: number) =>
      Array.from({ length: 20 * repetitions }, (_, place) => ({
        item: place % 20,
        costUsd: place % 20 < 5 ? 0.75 : 0.95,
      }))
    const [once, repeated] = await Promise.all(
      [1, 3].map(async (repetitions) => {
        const candidate = passes(repetitions).map((pass) => (pass.item < 5 ? { ...pass, costUsd: 0.8 } : pass))
        const seeded = await seedComparison(app(), { items: 20, baseline: passes(1), candidate })
        const { ratioCi, wins, ties, losses } = metricNamed(await compared(seeded), 'costUsd')
        return { ratioCi, counts: [wins, ties, losses] }
      }),
    )
    expect(once?.counts).toEqual([0, 15, 5])
    expect(repeated?.counts).toEqual(once?.counts)
    const ends = (one: unknown): number[] => Object(one)
    expect(ends(repeated?.ratioCi)).toEqual(ends(once?.ratioCi).map((end) => expect.closeTo(end, 9)))
  })
})

/** Symmetric, so that the mean is 0; divided by their own deviation. */
function normalScores(count: number): number[] {
  const logits = Array.from({ length: count }, (_, place) => {
    const share = (place + 0.5) / count
    return Math.log(share / (1 - share))
  })
  const deviation = Math.sqrt(logits.reduce((sum, value) => sum + value ** 2, 0) / (count - 1))
  return logits.map((value) => value / deviation)
}
