import { describe, expect, it } from 'vitest'
import { splitSummary } from '../../web/src/pages/compare/split-summary.ts'

describe('the summary of a comparison', () => {
  it('has a line also for a verdict that is corrected for its look', () => {
    const inside = '95 % CI 0.02 to 0.60, corrected for look 3 of 5 and 2 metrics, 30 items'
    const split = splitSummary(`B is better than A on right by 0.30 (${inside}).`)
    expect(split).toEqual({ headline: 'B is better than A on right by 0.30.', rest: `${inside}.` })
  })

  it('begins what follows a semicolon of the summary as a sentence', () => {
    const inside = '95 % CI 0.09 to 0.39, 12 items'
    const { rest } = splitSummary(`B is better than A on right by 0.21 (${inside}); no item became worse.`)
    expect(rest).toBe(`${inside}. No item became worse.`)
  })
})
