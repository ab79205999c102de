import { closed } from '../../http/schemas.ts'
import { defineEvaluator, pathOption } from '../define-evaluator.ts'
import { internTexts } from '../intern-texts.ts'
import { graded, passAtOption, skipped } from '../verdicts.ts'
import { IN_WORDS, spendOnTexts } from '../work-budget.ts'
import { commonSubsequence } from './common-subsequence.ts'
import { fMeasure } from './ngrams.ts'
import { plain } from './plain-text.ts'
import { rougeWords } from './words.ts'

/**
 * The longest common subsequence needs time proportional to the product of both lengths: about 40 ms at this length.
 */
const WORDS_MAX = 3_000

export const rougeL = defineEvaluator({
  type: 'rougeL',
  summary: 'ROUGE-L: the longest sequence of words that the output and the expected value share, as an F-measure',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: closed({ passAt: passAtOption, path: pathOption }),
  prepare:
    ({ passAt }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, IN_WORDS, output, expected)
      const [got, wanted] = [rougeWords(output), rougeWords(expected)]
      if (got.length > WORDS_MAX || wanted.length > WORDS_MAX) {
        return skipped(`the output or the expected value is longer than ${WORDS_MAX} words`)
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
