import { Type } from 'typebox'
import { defineEvaluator, graded, passAtOption, pathOption, skipped } from '../define-evaluator.ts'
import { commonSubsequence, internTexts } from '../match-lists.ts'
import { IN_WORDS, spendOnTexts } from '../work-budget.ts'
import { plain } from './plain-text.ts'
import { commonNgrams, fMeasure, NGRAM_UNITS, rougeWords } from './words.ts'

const WORDS_MAX = 20_000

export const rougeN = defineEvaluator({
  type: 'rougeN',
  summary: 'ROUGE-N: how many runs of n words the output and the expected value share, as an F-measure',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: {
    n: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 4, default: 1, description: 'How many words make a run. Default: 1.' }),
    ),
    passAt: passAtOption,
    path: pathOption,
  },
  prepare:
    ({ n = 1, passAt }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, IN_WORDS, output, expected)
      const [got, wanted] = [rougeWords(output), rougeWords(expected)]
      if (got.length > WORDS_MAX || wanted.length > WORDS_MAX) {
        return skipped(`the output or the expected value is longer than ${WORDS_MAX} words`)
      }
      const [runs, wantedRuns] = [got.length - n + 1, wanted.length - n + 1]
      if (runs <= 0 && wantedRuns <= 0) {
        const isSame = got.length === 0 ? plain(output) === plain(expected) : got.join(' ') === wanted.join(' ')
        return graded(isSame ? 1 : 0, passAt, `neither of the texts has ${n} words`)
      }
      budget.spend(NGRAM_UNITS * n * (got.length + wanted.length))
      const common = commonNgrams(got, wanted, n).at(-1) ?? 0
      const score = fMeasure(common, Math.max(0, runs), Math.max(0, wantedRuns))
      return graded(score, passAt, `${common} runs of ${n} in common`)
    },
})

/**
 * The longest common subsequence needs time proportional to the product of both lengths: about 40 ms at this length.
 */
const ORDERED_WORDS_MAX = 3_000

export const rougeL = defineEvaluator({
  type: 'rougeL',
  summary: 'ROUGE-L: the longest sequence of words that the output and the expected value share, as an F-measure',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: { passAt: passAtOption, path: pathOption },
  prepare:
    ({ passAt }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, IN_WORDS, output, expected)
      const [got, wanted] = [rougeWords(output), rougeWords(expected)]
      if (got.length > ORDERED_WORDS_MAX || wanted.length > ORDERED_WORDS_MAX) {
        return skipped(`the output or the expected value is longer than ${ORDERED_WORDS_MAX} words`)
      }
      if (got.length === 0 && wanted.length === 0) {
        return graded(plain(output) === plain(expected) ? 1 : 0, passAt, 'neither of the texts has words')
      }
      const [gotIds = [], wantedIds = []] = internTexts(got, wanted)
      const fits = (place: number, other: number) => gotIds[place] === wantedIds[other]
      const common = commonSubsequence({ left: got.length, right: wanted.length, fits }, budget)
      const reason = `${common} words in common in the same order, of ${got.length} in the output and ${wanted.length} expected`
      return graded(fMeasure(common, got.length, wanted.length), passAt, reason)
    },
})
