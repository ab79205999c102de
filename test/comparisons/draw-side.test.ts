import fc from 'fast-check'
import { expect, it } from 'vitest'
import { drawSide } from '../../src/comparisons/rows/draw-side.ts'

it('the drawn sides of any number of items differ by at most one, and are mirrored if the runs are swapped', () => {
  const runs = fc.record({ baseline: fc.uuid(), candidate: fc.uuid() })
  fc.assert(
    fc.property(fc.uuid(), runs, fc.nat({ max: 60 }), (userId, { baseline, candidate }, items) => {
      fc.pre(baseline !== candidate)
      let difference = 0
      for (let number = 1; number <= items; number += 1) {
        const left = drawSide({ userId, baseline, candidate, number, repetition: 1 })
        const swapped = drawSide({ userId, baseline: candidate, candidate: baseline, number, repetition: 1 })
        expect(left).not.toBe(swapped)
        expect(drawSide({ userId, baseline, candidate, number, repetition: 2 })).toBe(swapped)
        difference += left === 'candidate' ? 1 : -1
        expect(Math.abs(difference)).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 50 },
  )
})

it('users see different sides', () => {
  const users = Array.from({ length: 100 }, (_, place) => `user ${place}`)
  const sides = users.map((userId) => drawSide({ userId, baseline: 'a', candidate: 'b', number: 1, repetition: 1 }))
  const lefts = sides.filter((side) => side === 'baseline').length
  expect(Math.abs(lefts - 50)).toBeLessThan(20)
})
