import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signEValue } from '../../src/statistics/sequential/e-values.ts'

const count = fc.integer({ min: 0, max: 40 })

describe('signEValue', () => {
  test('has the values that SciPy computes: exp(betaln(1 + g, 1 + l) + (g + l) ln 2)', () => {
    expect(signEValue({ gained: 12, lost: 3 })).toBeCloseTo(4.501098901098902, 10)
    expect(signEValue({ gained: 30, lost: 10 })).toBeCloseTo(31.63690639022462, 8)
    expect(signEValue({ gained: 0, lost: 0 })).toBeCloseTo(1, 12)
  })

  test('is a fair game: if both are equally probable, the next case does not change its mean', () => {
    fc.assert(
      fc.property(count, count, (gained, lost) => {
        const next = (signEValue({ gained: gained + 1, lost }) + signEValue({ gained, lost: lost + 1 })) / 2
        expect(next / signEValue({ gained, lost })).toBeCloseTo(1, 9)
      }),
    )
  })

  test('is the same if gains and losses change places, and finite for any number of cases', () => {
    expect(signEValue({ gained: 9, lost: 2 })).toBe(signEValue({ gained: 2, lost: 9 }))
    expect(signEValue({ gained: 100_000, lost: 0 })).toBe(Number.MAX_VALUE)
    expect(() => signEValue({ gained: 1.5, lost: 0 })).toThrow(RangeError)
  })
})
