import { describe, expect, it } from 'vitest'
import type { CompareOptions } from '../../src/comparisons/evidence/evidence.ts'
import { comparePairs, type ValuePair } from './compare-pairs.ts'

const UNIT: CompareOptions = { kind: null, higherIsBetter: true, scale: [0, 1], seed: 'seed', order: 'as given' }

function repeated(count: number, baseline: number, candidate: number, name = `${baseline} ${candidate}`): ValuePair[] {
  return Array.from({ length: count }, (_, place) => ({ itemId: `${name} ${place}`, baseline, candidate }))
}

describe('yes/no values, one per item', () => {
  // Newcombe's paired score interval by hand (Wilson limits of 15/20 and 11/20, φ with its correction) is in the statistics'
  // own tests; McNemar's p is 2 · (C(8,0) + C(8,1) + C(8,2)) / 2⁸ = 74/256.
  const pairs = [...repeated(9, 1, 1), ...repeated(6, 0, 1), ...repeated(2, 1, 0), ...repeated(3, 0, 0)]

  it('are compared by the exact McNemar test, and their rates have Wilson’s interval', async () => {
    const evidence = await comparePairs(pairs, UNIT)
    expect(evidence).toMatchObject({ n: 20, items: 20, isBinary: true, wins: 6, losses: 2, ties: 12 })
    expect(evidence.difference).toBeCloseTo(0.2, 12)
    expect(evidence.test).toEqual({
      method: 'exact McNemar test',
      statistic: 2,
      p: expect.closeTo(74 / 256, 12),
      minAttainableP: 2 / 256,
      testDirection: 1,
    })
    expect(evidence.baseline.mean).toBeCloseTo(0.55, 12)
    expect(evidence.candidate.mean).toBeCloseTo(0.75, 12)
    expect(evidence.candidate.ci?.map((end) => end.toFixed(4))).toEqual(['0.5313', '0.8881'])
    expect(evidence.method).toContain('Newcombe')
  })

  it('win where less is better if they become 0', async () => {
    expect(await comparePairs(pairs, { ...UNIT, higherIsBetter: false })).toMatchObject({ wins: 2, losses: 6 })
  })

  it('report how many cases would be needed, from the share that differs', async () => {
    const { power } = await comparePairs(pairs, { ...UNIT, margin: 0.1 })
    // Eight of twenty differ: (1.959964 · √0.4 + 0.841621 · √0.39)² / 0.01 = 311.6, and ten for counting whole ones.
    expect(power.casesFor).toEqual({ difference: 0.1, cases: 322 })
    const detectable = power.detectableDifference ?? NaN
    const needed = (1.959964 * Math.sqrt(0.4) + 0.841621 * Math.sqrt(0.4 - detectable ** 2)) ** 2 / detectable ** 2
    expect(needed + 1 / detectable).toBeCloseTo(20, 3)
  })

  it('of which hardly any differ have a detectable difference with enough discordant pairs', async () => {
    const one = [...repeated(1, 1, 0), ...repeated(199, 1, 1)]
    const { power } = await comparePairs(one, { ...UNIT, margin: 0.02 })
    // Six of 200 must fall for a p below 0.05, and more on average for six in four of five tries.
    expect(power.detectableDifference).toBeGreaterThan(7 / 200)
    expect(power.detectableDifference).toBeLessThan(10 / 200)
    expect(power.casesFor?.cases).toBeGreaterThan(400)
  })

  it('are binary by their scale, and not if 1 is an amount or the worst of five', async () => {
    const same = repeated(30, 1, 1)
    const five = { ...UNIT, kind: 'numeric' as const, scale: [1, 5] as const }
    const [ones, twos] = [await comparePairs(same, five), await comparePairs(repeated(30, 2, 2), five)]
    expect(ones.ci).toEqual(twos.ci)
    expect(ones).toMatchObject({ isBinary: false, candidate: { mean: 1, ci: null } })
    const cost = { ...UNIT, kind: 'numeric' as const, scale: null, higherIsBetter: false }
    expect(await comparePairs(repeated(30, 0, 0), cost)).toMatchObject({ isBinary: false, ci: null, test: null })
    expect(await comparePairs(same, { ...UNIT, kind: 'binary', scale: null })).toMatchObject({ isBinary: true })
  })
})

describe('numbers', () => {
  // Differences 1 … 9 and −10 tenths: V = 45, and of the 2¹⁰ signs those with V ≤ 10 (of the mirrored sum 55 − 45) are 43.
  const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9, -10]
  const pairs = tenths.map((tenth, place) => ({ itemId: `i${place}`, baseline: 1, candidate: 1 + tenth / 10 }))

  it('that are equal but for rounding are equal', async () => {
    const evidence = await comparePairs(repeated(20, 0.3, 0.1 + 0.2), UNIT)
    expect(evidence).toMatchObject({ difference: 0, wins: 0, ties: 20, losses: 0, test: null })
  })

  it('never move by more than the whole scale', async () => {
    expect((await comparePairs(repeated(20, 0.05, 0.95), UNIT)).ci?.[1]).toBe(1)
    const twice = [...repeated(20, 0, 1, 'a'), ...repeated(20, 0, 1, 'a')]
    expect(
      (
        await comparePairs(
          twice.sort((a, b) => (a.itemId < b.itemId ? -1 : 1)),
          UNIT,
        )
      ).ci?.[1],
    ).toBe(1)
  })

  it('of which hardly any differ have no detectable difference', async () => {
    const pairs = [...repeated(5, 0.5, 0.7), ...repeated(95, 0.5, 0.5)]
    expect((await comparePairs(pairs, UNIT)).power).toEqual({ detectableDifference: null, casesFor: null })
  })

  it('are compared by Wilcoxon’s test, exactly while there are few', async () => {
    const evidence = await comparePairs(pairs, { ...UNIT, scale: null })
    expect(evidence.difference).toBeCloseTo(0.35, 12)
    expect(evidence.test).toMatchObject({ method: 'Wilcoxon signed-rank test, exact', statistic: 45, testDirection: 1 })
    expect(evidence.test?.p).toBeCloseTo((2 * 43) / 1024, 12)
    expect(evidence).toMatchObject({ wins: 9, losses: 1, ties: 0, isBinary: false })
    const [low = 0, high = 0] = evidence.ci ?? []
    expect(low).toBeLessThan(0.35)
    expect(high).toBeGreaterThan(0.35)
    expect(low).toBeGreaterThan(-0.4)
    expect(high).toBeLessThan(0.9)
  })

  it('have no test, but an interval, if no item changed', async () => {
    const same = Array.from({ length: 184 }, (_, place) => ({ itemId: `i${place}`, baseline: 0.5, candidate: 0.5 }))
    const { difference, ci, test, power } = await comparePairs(same, UNIT)
    expect([difference, test, power.detectableDifference]).toEqual([0, null, null])
    // Wilson's upper limit of 0 of 184 is z² / (184 + z²) with z² = 3.841459.
    const share = 3.841459 / 187.841459
    expect(ci?.[0]).toBeCloseTo(-share, 6)
    expect(ci?.[1]).toBeCloseTo(share, 6)
  })

  it('that all became the same amount better have that as their difference, and an interval around it', async () => {
    const raised = Array.from({ length: 30 }, (_, place) => ({
      itemId: `i${place}`,
      baseline: place / 100,
      candidate: place / 100 + 0.2,
    }))
    const { difference, ci } = await comparePairs(raised, UNIT)
    const share = 3.841459 / 33.841459
    expect(difference).toBeCloseTo(0.2, 12)
    expect(ci?.[0]).toBeCloseTo(0.2 - share, 6)
    expect(ci?.[1]).toBeCloseTo(0.2 + share, 6)
  })

  it.each([2 ** -900, 2 ** -540, 2 ** 540, 2 ** 900])('in units of %d have the same result', async (unit) => {
    const inUnits = pairs.map(({ itemId, baseline, candidate }) => ({
      itemId,
      baseline: baseline * unit,
      candidate: candidate * unit,
    }))
    const usual = await comparePairs(pairs, { ...UNIT, scale: null })
    const { ci, test, power } = await comparePairs(inUnits, { ...UNIT, scale: null })
    expect(ci?.map((end) => end / unit)).toEqual(usual.ci?.map((end) => expect.closeTo(end, 12)))
    expect(test).toEqual(usual.test)
    expect((power.detectableDifference ?? 0) / unit).toBeCloseTo(usual.power.detectableDifference ?? NaN, 12)
  })

  it('whose differences exceed the greatest number are finite in all that is reported', async () => {
    const huge = Array.from({ length: 12 }, (_, place) => ({
      itemId: `i${10 + place}`,
      baseline: place % 3 === 0 ? 1e308 : -1e308,
      candidate: place % 2 === 0 ? -1e308 : 1e308,
    }))
    const { baseline, candidate, difference, ci, test, power } = await comparePairs(huge, { ...UNIT, scale: null })
    const numbers = [baseline.mean, candidate.mean, difference, ...(ci ?? []), test?.p, power.detectableDifference]
    expect(numbers.filter((number) => !Number.isFinite(number))).toEqual([])
    expect(baseline.mean).toBeCloseTo(-1e308 / 3, -296)
  })

  it('without any pair return null instead of numbers', async () => {
    const evidence = await comparePairs([], UNIT)
    expect(evidence).toMatchObject({
      n: 0,
      items: 0,
      difference: null,
      ci: null,
      test: null,
      wins: 0,
      ties: 0,
      losses: 0,
    })
    expect(evidence.baseline).toMatchObject({ mean: null, ci: null })
  })
})

describe('repetitions of an item', () => {
  const items = [0.1, 0.4, -0.2, 0.3, 0.2, -0.1, 0.5, 0.25, 0.15, 0.05, -0.3, 0.35]
  const once = items.map((gain, place) => ({ itemId: `i${place}`, baseline: 0.5, candidate: 0.5 + gain }))
  const often = once.flatMap((pair) => [pair, pair, pair, pair])

  it('do not make the interval narrower, nor p smaller: they are not independent', async () => {
    const single = await comparePairs(once, UNIT)
    const fourfold = await comparePairs(often, UNIT)
    expect([fourfold.n, fourfold.items]).toEqual([48, 12])
    expect(fourfold.test?.p).toBe(single.test?.p)
    expect(fourfold.power).toEqual(single.power)
    const width = ({ ci }: { ci: readonly [number, number] | null }) => (ci ? ci[1] - ci[0] : 0)
    expect(width(fourfold)).toBeCloseTo(width(single), 1)
    expect(width(fourfold.candidate)).toBeCloseTo(width(single.candidate), 1)
  })

  it('are all counted, each as a win, a tie or a loss', async () => {
    const { wins, ties, losses } = await comparePairs(often, UNIT)
    expect([wins, ties, losses]).toEqual([36, 0, 12])
  })

  it('of yes/no values are no longer compared as rates, whose intervals take values for independent', async () => {
    const bits = [...repeated(12, 0, 1, 'item'), ...repeated(12, 1, 1, 'item'), ...repeated(3, 1, 0, 'other')]
    const evidence = await comparePairs(bits, UNIT)
    expect(evidence).toMatchObject({ n: 27, items: 15, isBinary: true })
    expect(evidence.method).not.toContain('Newcombe')
    expect(evidence.test?.method).toContain('Wilcoxon')
    expect(evidence.baseline.method).not.toContain('Wilson')
  })
})
