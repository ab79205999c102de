import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { discordantEValue, meanEValue, spendingEProcess } from '../../src/statistics/sequential/e-values.ts'

describe('discordantEValue', () => {
  test('is the mixture of Beta(½, ½) by one half, by hand', () => {
    expect(discordantEValue({ gained: 0, lost: 0 })).toBeCloseTo(1, 12)
    // One pair says nothing: B(1.5, 0.5)/B(0.5, 0.5) · 2 = ½ · 2.
    expect(discordantEValue({ gained: 1, lost: 0 })).toBeCloseTo(1, 12)
    // B(2.5, 0.5)/B(0.5, 0.5) · 4 = 3/8 · 4.
    expect(discordantEValue({ gained: 2, lost: 0 })).toBeCloseTo(1.5, 12)
    // 15 in one direction: Π (i − ½)/i for i from 1 to 15, times 2¹⁵.
    let share = 1
    for (let i = 1; i <= 15; i++) share *= (i - 0.5) / i
    expect(discordantEValue({ gained: 0, lost: 15 })).toBeCloseTo(share * 2 ** 15, 6)
  })

  test('has the mean 1 if both directions are equally likely, for any number of pairs', () => {
    for (const n of [1, 5, 12, 30]) {
      let [mean, ways] = [0, 1]
      for (let gained = 0; gained <= n; gained++) {
        mean += (ways / 2 ** n) * discordantEValue({ gained, lost: n - gained })
        ways = (ways * (n - gained)) / (gained + 1)
      }
      expect(mean).toBeCloseTo(1, 9)
    }
  })

  test('is the same in both directions', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.nat({ max: 300 }), (a, b) => {
        const [one, other] = [discordantEValue({ gained: a, lost: b }), discordantEValue({ gained: b, lost: a })]
        expect(other / one).toBeCloseTo(1, 9)
      }),
    )
  })
})

describe('spendingEProcess', () => {
  test('weights the t-th value by 1/(t(t + 1)), so that the weights add up to 1, and never falls', () => {
    expect(spendingEProcess([])).toBe(0)
    expect(spendingEProcess([3, 6])).toBeCloseTo(3 / 2 + 6 / 6, 12)
    expect(spendingEProcess(new Array<number>(10_000).fill(1))).toBeCloseTo(1, 3)
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true })), (values) => {
        expect(spendingEProcess([...values, 0])).toBeGreaterThanOrEqual(spendingEProcess(values))
      }),
    )
  })
})

describe('meanEValue', () => {
  test('is the mean, and 1 without evidence', () => {
    expect(meanEValue([1, 3])).toBe(2)
    expect(meanEValue([])).toBe(1)
  })
})
