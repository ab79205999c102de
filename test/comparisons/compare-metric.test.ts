import { describe, expect, it } from 'vitest'
import { comparePairs, judge, type ValuePair } from './compare-pairs.ts'

const UNIT = { kind: null, higherIsBetter: true, scale: [0, 1] as const }
const RATIO = { kind: 'numeric' as const, higherIsBetter: false, scale: null, isRatio: true }

function repeated(count: number, baseline: number, candidate: number, name = `${baseline} ${candidate}`): ValuePair[] {
  return Array.from({ length: count }, (_, place) => ({ itemId: `${name} ${place}`, baseline, candidate }))
}

describe('yes/no values', () => {
  const pairs = [...repeated(9, 1, 1), ...repeated(6, 0, 1), ...repeated(2, 1, 0), ...repeated(3, 0, 0)]

  it('are compared by the mid-p McNemar test and its interval, and their rates have Wilson’s interval', async () => {
    const evidence = await comparePairs(pairs, UNIT)
    expect(evidence).toMatchObject({ items: 20, isBinary: true, wins: 6, losses: 2, ties: 12 })
    expect(evidence.difference).toBeCloseTo(0.2, 12)
    // The exact two-sided p is 74/256; the mid-p has half of the chance of the table itself on each side.
    expect(evidence.inference?.p).toBeCloseTo((74 - 28) / 256, 10)
    expect(evidence.candidate.ci?.map((end) => end.toFixed(4))).toEqual(['0.5313', '0.8881'])
    expect(judge(evidence)).toMatchObject({
      method: expect.stringContaining('mid-p McNemar'),
      test: { method: 'mid-p McNemar test' },
    })
  })

  it('win where less is better if they become 0', async () => {
    expect(await comparePairs(pairs, { ...UNIT, higherIsBetter: false })).toMatchObject({ wins: 2, losses: 6 })
  })

  it('report how many items would be needed, from the share that differs', async () => {
    const { power } = await comparePairs(pairs, { ...UNIT, margin: 0.1 })
    // Connor's formula for many items: (1.959964 · √0.4 + 0.841621 · √0.39)² / 0.01 = 311.6.
    expect(power.casesFor?.difference).toBe(0.1)
    expect(Math.abs((power.casesFor?.cases ?? NaN) - 312)).toBeLessThan(5)
  })

  it('are yes and no where the scale says so, and not where 1 is an amount or the worst of five', async () => {
    const same = repeated(30, 1, 1)
    const five = { ...UNIT, kind: 'numeric' as const, scale: [1, 5] as const }
    expect(await comparePairs(same, five)).toMatchObject({ isBinary: false, candidate: { mean: 1 } })
    expect(await comparePairs(same, { ...UNIT, kind: 'binary', scale: null })).toMatchObject({ isBinary: true })
  })
})

describe('shares of preferences', () => {
  const PREFERENCE = { ...UNIT, kind: 'numeric' as const, isPreference: true }

  it('have the p of as many gains and losses of yes/no values, and half their differences', async () => {
    const shares = [...repeated(10, 0.5, 1), ...repeated(2, 0.5, 0), ...repeated(38, 0.5, 0.5)]
    const answers = [...repeated(10, 0, 1), ...repeated(2, 1, 0), ...repeated(38, 1, 1)]
    const [preference, yesNo] = [await comparePairs(shares, PREFERENCE), await comparePairs(answers, UNIT)]
    const [row, other] = [judge(preference, PREFERENCE, { margin: 0.05 }), judge(yesNo, {}, { margin: 0.1 })]
    expect(row.test).toEqual(other.test)
    // 10 gained and 2 lost of 50: 0.023 to 0.296, p = 0.02246.
    expect(row.test?.p).toBeCloseTo(0.02246, 5)
    expect(row.ci?.map((end) => end.toFixed(3))).toEqual(['0.012', '0.148'])
    const doubled = [row.difference, ...(row.ci ?? []), ...(row.marginCi ?? [])].map((value) => 2 * (value ?? NaN))
    expect(doubled).toEqual([other.difference, ...(other.ci ?? []), ...(other.marginCi ?? [])])
    expect(row).toMatchObject({
      verdict: 'improved',
      notWorseThanMargin: other.notWorseThanMargin,
      wins: 10,
      losses: 2,
    })
    expect(2 * (row.power.detectableDifference ?? NaN)).toBeCloseTo(other.power.detectableDifference ?? NaN, 12)
  })

  it('count a comparison without a value as lost at the lower end', async () => {
    const shares = [...repeated(20, 0.5, 1), ...repeated(20, 0.5, 0.5)]
    const missing = ['a', 'b'].map((itemId) => ({ itemId, baseline: undefined, candidate: undefined }))
    const [row, lost] = [
      judge(await comparePairs(shares, PREFERENCE, missing)),
      judge(await comparePairs([...shares, ...repeated(2, 0.5, 0)], PREFERENCE)),
    ]
    expect(row.ci?.[0]).toBeCloseTo(lost.ci?.[0] ?? NaN, 12)
    expect(row.items).toBe(40)
  })
})

describe('scores', () => {
  it('that are equal but for rounding are equal', async () => {
    const evidence = await comparePairs(repeated(20, 0.3, 0.1 + 0.2), UNIT)
    expect(evidence).toMatchObject({ difference: 0, wins: 0, ties: 20, losses: 0, inference: { p: 1 } })
  })

  it('that all fell by 0.05 are called worse, although gains could be unseen', async () => {
    const row = judge(await comparePairs(repeated(50, 0.9, 0.85), UNIT))
    expect(row).toMatchObject({ verdict: 'regressed', losses: 50 })
    expect(row.ci?.map((end) => end.toFixed(3))).toEqual(['-0.105', '-0.044'])
    expect(row.test?.p).toBeLessThan(1e-12)
  })

  it('that all rose by 0.05 are called better, but keep no margin that a breakage could exceed', async () => {
    const row = judge(await comparePairs(repeated(50, 0.85, 0.9), UNIT), {}, { margin: 0.01 })
    expect(row).toMatchObject({ verdict: 'improved', notWorseThanMargin: false })
    expect(row.summary).toContain('no item became worse, but losses in up to 5.8 % of all items could be unseen')
    expect(row.marginCi?.[0]).toBeCloseTo(-0.011, 3)
  })

  it('never move by more than the whole scale', async () => {
    expect(judge(await comparePairs(repeated(20, 0.05, 0.95), UNIT)).ci?.[1]).toBeLessThanOrEqual(1)
  })

  it('of which hardly any differ have no detectable difference', async () => {
    const pairs = [...repeated(5, 0.5, 0.7), ...repeated(95, 0.5, 0.5)]
    expect((await comparePairs(pairs, UNIT)).power).toEqual({ detectableDifference: null, casesFor: null })
  })

  it('have an interval where no item changed: others may', async () => {
    const row = judge(await comparePairs(repeated(184, 0.5, 0.5), UNIT))
    expect(row.ci?.[1]).toBeCloseTo(1 - 0.05 ** (1 / 184), 4)
    expect(row.verdict).toBe('noClearDifference')
  })

  it.each([2 ** -900, 2 ** -540, 2 ** 540, 2 ** 900])('in units of %d say the same as any others', async (factor) => {
    const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9, -10]
    const pairs = tenths.map((tenth, place) => ({ itemId: `i${place}`, baseline: 1, candidate: 1 + tenth / 10 }))
    const inUnits = pairs.map(({ itemId, baseline, candidate }) => ({
      itemId,
      baseline: baseline * factor,
      candidate: candidate * factor,
    }))
    const [usual, row] = [pairs, inUnits].map(async (all) => judge(await comparePairs(all, { ...UNIT, scale: null })))
    expect((await row)?.ci?.map((end) => end / factor)).toEqual((await usual)?.ci?.map((end) => expect.closeTo(end, 9)))
    expect((await row)?.test?.p).toBeCloseTo((await usual)?.test?.p ?? NaN, 9)
  })

  it('whose differences exceed the greatest number are finite in all that is reported', async () => {
    const huge = Array.from({ length: 12 }, (_, place) => ({
      itemId: `i${10 + place}`,
      baseline: place % 3 === 0 ? 1e308 : -1e308,
      candidate: place % 2 === 0 ? -1e308 : 1e308,
    }))
    const row = judge(await comparePairs(huge, { ...UNIT, scale: null }))
    const numbers = [row.baseline.mean, row.candidate.mean, row.difference, ...(row.ci ?? []), row.test?.p]
    expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([])
  })

  it('without any item return null instead of numbers', async () => {
    const evidence = await comparePairs([], UNIT)
    expect(evidence).toMatchObject({ items: 0, difference: null, inference: null, wins: 0, ties: 0, losses: 0 })
    expect(evidence.baseline).toMatchObject({ mean: null, ci: null })
    expect(judge(evidence)).toMatchObject({ verdict: 'tooFewCases', ci: null, test: null })
  })
})

describe('durations, costs and tokens', () => {
  it('are compared by their ratio, which an outlier does not hide', async () => {
    const pairs = Array.from({ length: 100 }, (_, place) => ({
      itemId: `i${place}`,
      baseline: place === 0 ? 500 : 1 + (place % 7) / 10,
      candidate: place === 0 ? 900 : 2 * (1 + (place % 7) / 10),
    }))
    const row = judge(await comparePairs(pairs, RATIO), {
      ...RATIO,
      name: 'costUsd',
      role: 'reported',
      isFromTraces: true,
    })
    expect(row).toMatchObject({ verdict: 'regressed', ci: null, losses: 100 })
    expect(row.ratio).toBeCloseTo(2, 1)
    expect(row.totalRatio).toBeGreaterThan(1.8)
    expect(row.summary).toMatch(/^B costs 2\.00 × as much as A \(95 % CI .* to .*, 100 of 100 items\)\.$/)
  })

  it('of twelve items of which each uses more tokens are called worse', async () => {
    const pairs = Array.from({ length: 12 }, (_, place) => ({
      itemId: `i${10 + place}`,
      baseline: 100 + 3 * place,
      candidate: 140 + 5 * place,
    }))
    const row = judge(await comparePairs(pairs, RATIO), { ...RATIO, name: 'totalTokens', isFromTraces: true })
    expect(row).toMatchObject({ verdict: 'regressed', losses: 12 })
    expect(row.summary).toMatch(/^B uses 1\.4\d × the tokens of A \(95 % CI 1\.\d\d to 1\.\d\d, 12 of 12 items\)\.$/)
    expect(row.ratioCi?.[0]).toBeGreaterThan(1)
  })

  it('have no verdict where a typical item and the total disagree', async () => {
    const pairs = Array.from({ length: 60 }, (_, place) => ({
      itemId: `i${100 + place}`,
      baseline: 10,
      candidate: place < 4 ? 400 : 8 + (place % 3) / 10,
    }))
    const row = judge(await comparePairs(pairs, RATIO), { ...RATIO, name: 'costUsd', isFromTraces: true })
    expect(row.totalRatio).toBeGreaterThan(1)
    expect(row.verdict).toBe('noClearDifference')
  })

  it('are compared by their totals where items are 0 in one of the runs', async () => {
    const pairs = Array.from({ length: 40 }, (_, place) => ({
      itemId: `i${100 + place}`,
      baseline: 10 + (place % 5),
      candidate: place % 4 === 0 ? 0 : 10 + (place % 5),
    }))
    const evidence = await comparePairs(pairs, RATIO)
    expect(evidence.withoutRatio).toBe(10)
    const row = judge(evidence, { ...RATIO, name: 'costUsd', isFromTraces: true })
    expect(row.method).toContain('totals')
    expect(row.ratio).toBeCloseTo(row.totalRatio ?? NaN, 9)
    expect(row).toMatchObject({
      verdict: 'improved',
      summary: expect.stringContaining('10 items are 0 in one of the runs'),
    })
  })

  it('have a margin that is a factor', async () => {
    const pairs = Array.from({ length: 60 }, (_, place) => ({
      itemId: `i${100 + place}`,
      baseline: 100 + place,
      candidate: (100 + place) * (place % 2 === 0 ? 1.02 : 0.99),
    }))
    const evidence = await comparePairs(pairs, RATIO)
    const metric = { ...RATIO, name: 'durationMs', isFromTraces: true }
    expect(judge(evidence, metric, { margin: 1.1 })).toMatchObject({ verdict: 'equivalent', notWorseThanMargin: true })
    expect(judge(evidence, metric, { margin: 0.05 })).toMatchObject({ notWorseThanMargin: null })
  })
})

describe('items that only one run has a value for', () => {
  const better = repeated(60, 0.5, 0.7, 'a').map((pair, place) => ({ ...pair, candidate: 0.6 + (place % 5) / 20 }))
  const missing = Array.from({ length: 20 }, (_, place) => ({
    itemId: `m${place}`,
    baseline: 0.9,
    candidate: undefined,
  }))

  it('count at the worst value at the lower end, and never hide a regression', async () => {
    expect(judge(await comparePairs(better, UNIT)).verdict).toBe('improved')
    const withMissing = judge(await comparePairs(better, UNIT, missing))
    expect(withMissing.verdict).toBe('noClearDifference')
    expect(withMissing.ci?.[0]).toBeLessThan(0)
    const worse = better.map(({ itemId, baseline, candidate }) => ({
      itemId,
      baseline: candidate,
      candidate: baseline,
    }))
    expect(judge(await comparePairs(worse, UNIT, missing)).verdict).toBe('regressed')
  })
})
