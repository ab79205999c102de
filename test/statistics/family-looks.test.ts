import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { eHolmThresholds } from '../../src/statistics/sequential/e-values.ts'
import { familyLooks as familyLooksSlices } from '../../src/statistics/sequential/family-looks.ts'
import { isFutile as isFutileSlices } from '../../src/statistics/sequential/futility.ts'
import { lookSizes } from '../../src/statistics/sequential/look-order.ts'
import { unplannedLooks } from '../../src/statistics/sequential/unplanned-looks.ts'
import { runs } from '../harness/stage.ts'
import { inOneGo } from './in-one-go.ts'

const [familyLooks, isFutile] = [inOneGo(familyLooksSlices), inOneGo(isFutileSlices)]

const eValues = fc.array(fc.double({ min: 0, max: 80, noNaN: true }), { minLength: 1, maxLength: 6 })

describe('eHolmThresholds', () => {
  test.each([
    { values: [7], thresholds: [20] },
    // By hand: 20 and what the others lack, 20 − 3 and 20 − 5.
    { values: [60, 3, 5], thresholds: [52, 35, 37] },
    // Nothing is lacking of 30, so that each needs 20; Holm's order of 1/e would ask for 60, 40 and 20.
    { values: [30, 30, 30], thresholds: [20, 20, 20] },
    { values: [0, 0, 0], thresholds: [60, 60, 60] },
    { values: [], thresholds: [] },
  ])('$values need $thresholds', ({ values, thresholds }) => {
    expect(eHolmThresholds(values)).toEqual(thresholds)
  })

  test('reject exactly what the closed test with means rejects: every set with the hypothesis has a mean of at least 20', () => {
    fc.assert(
      fc.property(eValues, (values) => {
        const thresholds = eHolmThresholds(values)
        for (const [index, value] of values.entries()) {
          let least = Infinity
          for (let set = 0; set < 2 ** values.length; set += 1) {
            const inSet = values.filter((_, other) => (set >> other) & 1)
            if ((set >> index) & 1) least = Math.min(least, sum(inSet) / inSet.length)
          }
          // Equal but for rounding: either is right.
          if (Math.abs(least - 20) < 1e-9) continue
          expect(value >= (thresholds[index] ?? NaN)).toBe(least >= 20)
        }
      }),
    )
  })

  test('reject at 20 exactly what the adjusted e-values of Vovk & Wang (2021, algorithm 1) are at least 20 for', () => {
    fc.assert(
      fc.property(eValues, (values) => {
        const ascending = values.toSorted((a, b) => a - b)
        const adjusted = ascending.map((value, rank) => {
          const means = ascending.slice(0, rank).map((_, count) => {
            return (value + sum(ascending.slice(0, count + 1))) / (count + 2)
          })
          return Math.min(value, ...means)
        })
        const thresholds = eHolmThresholds(ascending)
        for (const [rank, value] of ascending.entries())
          if (Math.abs((adjusted[rank] ?? 0) - 20) > 1e-9)
            expect(value >= (thresholds[rank] ?? NaN)).toBe((adjusted[rank] ?? 0) >= 20)
      }),
    )
  })

  test('ask for no more than the number of candidates times 20', () => {
    fc.assert(
      fc.property(eValues, (values) => {
        for (const threshold of eHolmThresholds(values)) {
          expect(threshold).toBeGreaterThanOrEqual(20)
          expect(threshold).toBeLessThanOrEqual(20 * values.length + 1e-9)
        }
      }),
    )
  })
})

/** +1 with the probability `up`, −1 with `down`, else 0. */
function changes(seed: string, up: number, down: number, items = 200) {
  const random = seededRandom(seed)
  const values = Float64Array.from({ length: items }, () => {
    const drawn = nextRandom(random)
    return drawn < up ? 1 : drawn < up + down ? -1 : 0
  })
  return { values, atWorst: values }
}

const SIZES = lookSizes(200)
const all = { sizes: SIZES, available: SIZES.length, seed: 'looks' }

/** Candidates of all kinds: their changes in tenths, some missing. */
const families = fc.array(
  fc
    .array(fc.option(fc.integer({ min: -10, max: 10 }), { nil: null, freq: 10 }), { minLength: 60, maxLength: 60 })
    .chain((tenths) =>
      fc.constantFrom(-4, 0, 4).map((shift) => tenths.map((one) => (one === null ? null : one + shift))),
    ),
  { minLength: 1, maxLength: 4 },
)

function candidateOf(tenths: readonly (number | null)[]) {
  const limited = tenths.map((one) => (one === null ? NaN : Math.max(-10, Math.min(10, one)) / 10))
  return {
    values: Float64Array.from(limited),
    atWorst: Float64Array.from(limited, (one) => one || (one === 0 ? 0 : -1)),
  }
}

describe('familyLooks', () => {
  test('a candidate is decided at the first look at which its evidence reaches its threshold, and has no look after it', () => {
    const [better, equal, worse] = familyLooks(
      [changes('better', 0.25, 0.05), changes('equal', 0.1, 0.1), changes('worse', 0.05, 0.3)],
      all,
    )
    expect([better?.verdict, equal?.verdict, worse?.verdict]).toEqual(['improved', 'undecided', 'regressed'])
    expect([better?.endedBy, worse?.endedBy]).toEqual(['decided', 'decided'])
    for (const one of [better, worse]) {
      const reached = one?.looks.map(({ evidence, threshold }) => evidence >= threshold) ?? []
      expect(reached).toEqual([...reached.slice(0, -1).fill(false), true])
      expect(reached.length).toBeLessThan(SIZES.length)
    }
    // Nearly three times 20 before the others have evidence, and little more than 20 once they have.
    expect(equal?.looks[0]?.threshold).toBeGreaterThan(50)
    expect(equal?.looks.at(-1)?.threshold).toBeLessThan(21)
  })

  test('the interval excludes 0 exactly if the candidate is decided, and the limit −margin exactly if it is kept', {
    tags: 'sized',
  }, () => {
    fc.assert(
      fc.property(families, fc.constantFrom(0.05, 0.2), fc.integer({ min: 1, max: 6 }), (family, margin, available) => {
        const sizes = lookSizes(60)
        for (const found of familyLooks(family.map(candidateOf), { sizes, available, margin, seed: 's' })) {
          const { interval, verdict } = found
          expect(interval[0] > 0).toBe(verdict === 'improved')
          expect(interval[1] < 0).toBe(verdict === 'regressed')
          const { isKept, lowest = NaN, items = NaN } = found.margin ?? {}
          if (items >= 30 || verdict === 'improved') expect(lowest > -margin).toBe(isKept)
          if (verdict === 'improved') expect(isKept).toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('a later look changes nothing in the looks before it', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(families, fc.integer({ min: 1, max: 5 }), (family, available) => {
        const sizes = lookSizes(60)
        const [earlier, later] = [available, available + 1].map((count) => {
          return familyLooks(family.map(candidateOf), { sizes, available: count, seed: 's' })
        })
        for (const [index, { looks, endedBy, verdict }] of earlier?.entries() ?? []) {
          expect(later?.[index]?.looks.slice(0, looks.length)).toEqual(looks)
          if (endedBy !== null) expect(later?.[index]).toMatchObject({ looks, endedBy, verdict })
        }
      }),
      { numRuns: runs(100) },
    )
  })

  test('missing answers count against a gain, and hide no loss', () => {
    const { values } = changes('better', 0.25, 0.05)
    const incomplete = values.map((value, item) => (item % 5 === 0 ? NaN : value))
    const atWorst = incomplete.map((value) => (Number.isNaN(value) ? -1 : value))
    const [gain] = familyLooks([{ values: incomplete, atWorst }], all)
    expect(gain?.verdict).not.toBe('improved')
    const worse = changes('worse', 0.05, 0.3).values.map((value, item) => (item % 5 === 0 ? NaN : value))
    const [loss] = familyLooks(
      [{ values: worse, atWorst: worse.map((value) => (Number.isNaN(value) ? -1 : value)) }],
      all,
    )
    expect(loss?.verdict).toBe('regressed')
  })

  test('equal answers keep a margin, and no margin is kept by fewer than 30 items', () => {
    const equal = { values: new Float64Array(200), atWorst: new Float64Array(200) }
    const found = familyLooks([equal], { ...all, margin: 0.05 })[0]
    expect(found).toMatchObject({ verdict: 'undecided', margin: { isKept: true } })
    const wide = familyLooks([equal], { ...all, available: 1, margin: 0.5 })[0]
    expect(wide?.margin).toMatchObject({ items: 20, isKept: false })
    expect(wide?.margin?.evidence).toBeGreaterThan(20)
  })
})

describe('simulated trials', { tags: 'sized' }, () => {
  const trials = runs(120)

  test('ten candidates without a difference: any is decided in at most 5 of 100', () => {
    let decided = 0
    for (let trial = 0; trial < trials; trial += 1) {
      const family = Array.from({ length: 10 }, (_, index) => changes(`equal ${trial} ${index}`, 0.1, 0.1, 100))
      const found = familyLooks(family, { sizes: lookSizes(100), available: 10, seed: `${trial}` })
      if (found.some(({ verdict }) => verdict !== 'undecided')) decided += 1
    }
    expect(decided / trials).toBeLessThanOrEqual(0.05)
  })

  test('25 % gains and 5 % losses: half of the trials end after 80 of 200 items', () => {
    let early = 0
    for (let trial = 0; trial < trials; trial += 1) {
      const [found] = familyLooks([changes(`better ${trial}`, 0.25, 0.05)], all)
      if (found?.verdict === 'improved' && (found.looks.at(-1)?.items ?? Infinity) <= 80) early += 1
    }
    expect(early / trials).toBeGreaterThanOrEqual(0.5)
  })

  test('five candidates that lose the margin: any keeps it in at most 5 of 100', () => {
    let kept = 0
    for (let trial = 0; trial < trials; trial += 1) {
      const family = Array.from({ length: 5 }, (_, index) => changes(`loss ${trial} ${index}`, 0.05, 0.15, 100))
      const found = familyLooks(family, { sizes: lookSizes(100), available: 10, seed: `${trial}`, margin: 0.1 })
      if (found.some(({ margin }) => margin?.isKept)) kept += 1
    }
    expect(kept / trials).toBeLessThanOrEqual(0.05)
  })
})

describe('isFutile', () => {
  const claims = [{ mean: 0, threshold: 20, directions: 'both' as const }]
  const sizes = [120, 140, 160, 180, 200]

  test('half of the items without a difference leave no hope, and a gain that needs more items does', () => {
    const [gained, lost] = [Array<number>(10).fill(1), Array<number>(10).fill(-1)]
    const equal = Float64Array.from([...gained, ...lost, ...Array<number>(80).fill(0)])
    expect(isFutile({ values: equal, atWorst: equal }, { sizes, claims, seed: 's' })).toBe(true)
    const better = Float64Array.from([...gained, ...gained.slice(0, 4), -1, -1, -1, ...Array<number>(83).fill(0)])
    expect(unplannedLooks(better).eValue(0)).toBeLessThan(20)
    expect(isFutile({ values: better, atWorst: better }, { sizes, claims, seed: 's' })).toBe(false)
  })

  test('as long as a margin may still be kept, a candidate goes on', () => {
    const values = new Float64Array(100)
    const margin = { mean: -0.03, threshold: 20, directions: 'rising' as const }
    expect(unplannedLooks(values).rising(-0.03)).toBeLessThan(20)
    expect(isFutile({ values, atWorst: values }, { sizes, claims, seed: 's' })).toBe(true)
    expect(isFutile({ values, atWorst: values }, { sizes, claims: [...claims, margin], seed: 's' })).toBe(false)
  })

  test('without looks to come nothing can be reached', () => {
    const { values } = changes('better', 0.25, 0.05, 100)
    expect(isFutile({ values, atWorst: values }, { sizes: [], claims, seed: 's' })).toBe(true)
  })
})

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
