import { expect, it } from 'vitest'
import { summarizePairs } from '../../src/agreement/rater-pairs.ts'

it('summaries write negative numbers with the minus sign, and never −0', () => {
  const summaryOf = (kappa: number, ci: [number, number]) => summarizePairs([{ shared: 25, kappa, ci }])[0]?.summary
  expect(summaryOf(-0.25, [-0.5, 0.1])).toBe('κ −0.25 (95 % CI −0.50 to 0.10); 25 traces')
  expect(summaryOf(-0.001, [-0.12, -0.004])).toBe('κ 0.00 (95 % CI −0.12 to 0.00); 25 traces')
})
