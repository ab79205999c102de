import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dollars } from '../../src/traces/trace-summary.ts'

const written = (sum: number) => Number(sum.toFixed(11))

describe('sums of dollars', () => {
  it('lose the digits that adding put there', () => {
    expect(dollars(0.1 + 0.2)).toBe(0.3)
    expect(dollars(0.000_000_3 + 0.000_000_6)).toBe(0.000_000_9)
    expect(dollars(1e-12)).toBe(0)
    expect(dollars(null)).toBeNull()
  })

  it('keep every amount with at most eleven decimal places, small or large', () => {
    const amounts = fc.record({ units: fc.maxSafeNat(), digits: fc.integer({ min: 0, max: 11 }) })
    fc.assert(
      fc.property(amounts, ({ units, digits }) => {
        const amount = Number(`${units}e-${digits}`)
        expect(dollars(amount)).toBe(written(amount))
      }),
    )
  })

  it('of many small costs are their exact decimal sum', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000_000), { maxLength: 50 }), (units) => {
        const exact = units.reduce((sum, unit) => sum + BigInt(unit), 0n)
        const added = units.reduce((sum, unit) => sum + unit / 1e11, 0)
        expect(dollars(added)).toBe(Number(`${exact}e-11`))
      }),
    )
  })
})
