import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { probabilityAtMost } from '../../src/statistics/paired/one-more-item.ts'
import { intervalOf, type PFunction, pValue } from '../../src/statistics/paired/p-function.ts'
import { pairedLogRatios, pairedScores } from '../../src/statistics/paired/paired-means.ts'
import { nextRandom, seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { runs } from '../harness/stage.ts'

const SCALE = { range: 1, canBreak: true }
const constant = (n: number, value: number) => ({ values: new Float64Array(n).fill(value) })
const shown = (p: PFunction) => intervalOf(p).map((end) => end.toFixed(3))

describe('one more item', () => {
  test('has the probabilities of as many random draws of the Bayesian bootstrap', () => {
    const values = [0.1, 0.2, -0.1, 0.3, 0.1, -0.2, 0.4, 0.1, 0.2, 0.05]
    const units = {
      sums: Float64Array.from(values),
      sizes: new Float64Array(values.length).fill(1),
      counts: new Float64Array(values.length).fill(1),
    }
    const random = seededRandom('draws')
    const weight = () => -Math.log(1 - nextRandom(random))
    for (const x of [-0.02, 0.02, 0.1, 0.15, 0.25]) {
      const draws = 40_000
      let atMost = 0
      for (let draw = 0; draw < draws; draw += 1) {
        let sum = weight() * ((draw % 2 === 0 ? 0.4 : -0.4) - x)
        for (const value of values) sum += weight() * (value - x)
        if (sum <= 0) atMost += 1
      }
      expect(Math.abs(probabilityAtMost(x, units, 0.4) - atMost / draws)).toBeLessThan(0.01)
    }
  })

  test('has the closed form of a beta distribution if all items are equal', () => {
    const units = {
      sums: Float64Array.of(0.05),
      sizes: Float64Array.of(1),
      counts: Float64Array.of(50),
    }
    for (const x of [0.02, 0.04, 0.045]) {
      // The additional item at −1 must have a weight of at least (0.05 − x) / 1.05.
      const exact = (1 - (0.05 - x) / 1.05) ** 50 / 2
      expect(Math.abs(probabilityAtMost(x, units, 1) - exact)).toBeLessThan(0.002)
    }
  })

  test('never falls with x, also where a step of the search leads to the end of its range', () => {
    const tenths = fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 1, maxLength: 12 })
    const rises = (sums: number[], reach: number) => {
      const units = {
        sums: Float64Array.from(sums, (sum) => sum / 10),
        sizes: new Float64Array(sums.length).fill(1),
        counts: new Float64Array(sums.length).fill(1),
      }
      const found = Array.from({ length: 41 }, (_, step) => probabilityAtMost((step - 20) / 20, units, reach / 10))
      for (const [index, p] of found.entries()) expect(p).toBeGreaterThanOrEqual((found[index - 1] ?? 0) - 1e-9)
    }
    fc.assert(fc.property(tenths, fc.integer({ min: 1, max: 10 }), rises), {
      numRuns: runs(300),
      examples: [
        [Array.from({ length: 9 }, () => 0), 10],
        [[...Array.from({ length: 24 }, () => 1), -2, -2, -2], 2],
      ],
    })
  }, 20_000)
})

describe('pairedScores', () => {
  const values = Float64Array.of(0.1, 0.2, -0.1, 0, 0, 0.3, 0.1, -0.2, 0.4, 0.1, 0, 0.2)

  test('has the reference values of twelve items, for verdicts and for margins', () => {
    const { shown: verdict, safe } = pairedScores({ values }, SCALE)
    expect(shown(verdict)).toEqual(['-0.015', '0.292'])
    expect(pValue(verdict)).toBeCloseTo(0.0848, 4)
    expect(shown(safe)[0]).toBe('-0.150')
    expect(pValue(safe)).toBeCloseTo(0.349, 3)
  })

  test('reports a loss of all items at once, and the same gain, which a margin accepts only from 62 items on', () => {
    expect(shown(pairedScores(constant(50, -0.05), SCALE).shown)).toEqual(['-0.105', '-0.044'])
    expect(shown(pairedScores(constant(50, 0.05), SCALE).shown)).toEqual(['0.044', '0.105'])
    expect(shown(pairedScores(constant(50, 0.05), SCALE).safe)[0]).toBe('-0.011')
    expect(intervalOf(pairedScores(constant(61, 0.05), SCALE).safe)[0]).toBeLessThan(0)
    expect(intervalOf(pairedScores(constant(62, 0.05), SCALE).safe)[0]).toBeGreaterThan(0)
  })

  test('has the rule of three as its interval if nothing differs', () => {
    const [low, high] = intervalOf(pairedScores(constant(100, 0), SCALE).shown)
    expect(high).toBeCloseTo(1 - 0.05 ** (1 / 100), 3)
    expect(low).toBe(-high)
  })

  test('is mirrored to the last digit if the runs are swapped', () => {
    fc.assert(
      fc.property(differences, (gains) => {
        const [one, other] = [gains, gains.map((gain) => 0 - gain)].map((all) =>
          pairedScores({ values: Float64Array.from(all) }, SCALE),
        )
        for (const kind of ['shown', 'safe'] as const) {
          const [low = 0, high = 0] = one ? intervalOf(one[kind]) : []
          expect(other && intervalOf(other[kind])).toEqual([0 - high, 0 - low])
        }
      }),
      { numRuns: 60 },
    )
  })

  test('excludes 0 exactly if p is below alpha, for any level and with groups', () => {
    fc.assert(
      fc.property(
        differences,
        fc.double({ min: 1e-3, max: 0.3, noNaN: true }),
        fc.integer({ min: 1, max: 4 }),
        (gains, alpha, size) => {
          const groups = gains.map((_, index) => String(Math.floor(index / size)))
          const { shown: verdict } = pairedScores({ values: Float64Array.from(gains), groups }, SCALE)
          const [low, high] = intervalOf(verdict, alpha)
          expect(low > 0 || high < 0).toBe(pValue(verdict) < alpha)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('gives groups of one item the same result as no groups', () => {
    const groups = Array.from(values, (_, index) => `g${index}`)
    const [plain, grouped] = [pairedScores({ values }, SCALE), pairedScores({ values, groups }, SCALE)]
    expect(intervalOf(grouped.shown)).toEqual(intervalOf(plain.shown).map((end) => expect.closeTo(end, 9)))
    expect(intervalOf(grouped.safe)).toEqual(intervalOf(plain.safe).map((end) => expect.closeTo(end, 9)))
  })

  test('is never narrower for a margin than for a verdict', () => {
    fc.assert(
      fc.property(differences, (gains) => {
        const { shown: verdict, safe } = pairedScores({ values: Float64Array.from(gains) }, SCALE)
        expect(intervalOf(safe)[0]).toBeLessThanOrEqual(intervalOf(verdict)[0] + 1e-9)
        expect(intervalOf(safe)[1]).toBeGreaterThanOrEqual(intervalOf(verdict)[1] - 1e-9)
      }),
      { numRuns: 60 },
    )
  })
})

describe('pairedLogRatios', () => {
  test('is the paired t test: the additional hours of sleep of Student (1908), as R’s t.test prints them', () => {
    // t = 4.0621, df = 9, p = 0.002833, 95 % interval 0.7001 to 2.4599. One of ten is 0, which is less than a fifth.
    const hours = Float64Array.of(1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4)
    const { shown: found } = pairedLogRatios({ values: hours })
    expect(intervalOf(found).map((end) => end.toFixed(4))).toEqual(['0.7001', '2.4599'])
    expect(pValue(found)).toBeCloseTo(0.002833, 6)
  })

  test('is wider if most items are unchanged, because t is too sure of a few', () => {
    const few = Float64Array.from({ length: 30 }, (_, index) => (index < 3 ? Math.LN2 : 0))
    const [low] = intervalOf(pairedLogRatios({ values: few }).shown)
    expect(low).toBeLessThan(0)
  })

  test('allows for one more item like the largest one where a margin is meant, and only there', () => {
    const values = Float64Array.from({ length: 50 }, (_, index) =>
      index === 0 ? Math.log(20) : 0.1 * ((index % 5) - 2),
    )
    const { shown, safe } = pairedLogRatios({ values })
    const [[low, high], [lowest, highest]] = [intervalOf(shown), intervalOf(safe)]
    expect(highest).toBeGreaterThan(high + 0.02)
    expect(lowest).toBeLessThanOrEqual(low)
  })

  test('has no spread if all ratios are equal, and still an interval', () => {
    const [low, high] = intervalOf(pairedLogRatios(constant(12, Math.log(1.4))).shown)
    expect(Math.exp(low)).toBeGreaterThan(1)
    expect(Math.exp(high)).toBeLessThanOrEqual(1.4 + 1e-9)
  })
})

const differences = fc.array(
  fc.integer({ min: -20, max: 20 }).map((twentieths) => twentieths / 20),
  { minLength: 2, maxLength: 40 },
)
