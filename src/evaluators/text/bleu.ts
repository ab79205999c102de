import { defineEvaluator, graded, ignoreCaseOption, passAtOption, pathOption, skipped } from '../define-evaluator.ts'
import { IN_WORDS, spendOnTexts } from '../work-budget.ts'
import { foldCase, plain } from './plain-text.ts'
import { bleuTokens, commonNgrams, NGRAM_UNITS } from './words.ts'

const ORDER_MAX = 4
const TOKENS_MAX = 20_000

export const bleu = defineEvaluator({
  type: 'bleu',
  summary: 'Sentence BLEU-4 as sacreBLEU computes it: tokens of 13a, exponential smoothing, effective order',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: { ignoreCase: ignoreCaseOption, passAt: passAtOption, path: pathOption },
  prepare:
    ({ ignoreCase = false, passAt }) =>
    ({ output, expected }, budget) => {
      // Punctuation marks are tokens, too: twice as many, found in several passes.
      spendOnTexts(budget, IN_WORDS, output, expected, output, expected)
      const [got, wanted] = [output, expected].map((text) => bleuTokens(ignoreCase ? foldCase(text) : text))
      if (!got || !wanted || got.length > TOKENS_MAX || wanted.length > TOKENS_MAX) {
        return skipped(`the output or the expected value is longer than ${TOKENS_MAX} words`)
      }
      if (got.length === 0 && wanted.length === 0) return graded(plain(output) === plain(expected) ? 1 : 0, passAt)
      budget.spend(NGRAM_UNITS * ORDER_MAX * (got.length + wanted.length))
      const precisions = smoothedPrecisions(got, wanted)
      // Without the brevity penalty, an output that is too short could score 1.
      const brevity = got.length >= wanted.length ? 1 : Math.exp(1 - wanted.length / got.length)
      const score = brevity * geometricMean(precisions)
      // Rounding of the logarithms can result in slightly more than 1.
      const details = { precisions, brevityPenalty: got.length === 0 ? 0 : brevity }
      return graded(Math.min(1, score), passAt, shortReason(got.length, wanted.length), details)
    },
})

/**
 * The precision of n-grams of one to four words. Orders for which the output is too short are excluded. A precision of
 * zero is smoothed to one half of a match, then a quarter and so on (`mteval-v13a`; method 3 of Chen and Cherry 2014).
 * Without a common word there is nothing to smooth.
 */
function smoothedPrecisions(got: readonly string[], wanted: readonly string[]): number[] {
  const precisions: number[] = []
  const commons = commonNgrams(got, wanted, Math.min(ORDER_MAX, got.length))
  let smoothing = 1
  for (const [shorter, common] of commons.entries()) {
    const total = got.length - shorter
    if (shorter === 0 && common === 0) return []
    if (common === 0) smoothing *= 2
    precisions.push(common === 0 ? 1 / (smoothing * total) : common / total)
  }
  return precisions
}

function geometricMean(values: readonly number[]): number {
  if (values.length === 0) return 0
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

function shortReason(got: number, wanted: number): string | undefined {
  return got < wanted ? `the output has ${got} words and marks, the expected value ${wanted}` : undefined
}
