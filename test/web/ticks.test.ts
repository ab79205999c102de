import { describe, expect, it } from 'vitest'
import { linearTicks, niceTicksDomain, timeTicksIn } from '../../web/src/ui/charts/ticks.ts'

describe('the ticks of an axis', () => {
  it.each([
    [[0, 1], 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [[-0.3, 0.31], 4, [-0.2, 0, 0.2]],
    [[12, 1840], 4, [500, 1000, 1500]],
    [[3e-7, 9e-7], 3, [4e-7, 6e-7, 8e-7]],
    [[5, 5], 4, [5]],
  ] as const)('of %j are about %i round numbers without rounding errors', (domain, count, expected) => {
    expect(linearTicks(domain, count)).toEqual(expected)
  })

  it('extend a domain to round numbers', () => {
    expect(niceTicksDomain([0.13, 0.87], 5)).toEqual([0, 1])
    expect(niceTicksDomain([-3, 41], 5)).toEqual([-10, 50])
    expect(niceTicksDomain([0, 1], 5)).toEqual([0, 1])
  })

  it('are round times of the user’s clock', () => {
    const at = (...parts: [number, number, number, number?, number?]) => new Date(...parts)
    const between = (from: Date, to: Date, count: number) => timeTicksIn(from.getTime(), to.getTime(), count)
    expect(between(at(2026, 10, 18, 9, 7), at(2026, 10, 18, 10, 3), 5)).toEqual(
      [15, 30, 45, 60].map((minute) => at(2026, 10, 18, 9, minute)),
    )
    expect(between(at(2026, 9, 30, 5), at(2026, 10, 3), 4)).toEqual([
      at(2026, 9, 31),
      at(2026, 10, 1),
      at(2026, 10, 2),
      at(2026, 10, 3),
    ])
    expect(between(at(2025, 0, 20), at(2026, 0, 5), 4)).toEqual([
      at(2025, 3, 1),
      at(2025, 6, 1),
      at(2025, 9, 1),
      at(2026, 0, 1),
    ])
    expect(between(at(2026, 0, 1), at(2026, 0, 1), 4)).toEqual([])
  })
})
