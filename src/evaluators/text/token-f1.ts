import { defineEvaluator, graded, passAtOption, pathOption } from '../define-evaluator.ts'
import { countOf, overlap } from '../match-lists.ts'
import { IN_WORDS, spendOnTexts } from '../work-budget.ts'
import { fMeasure, squadWords } from './words.ts'

export const tokenF1 = defineEvaluator({
  type: 'tokenF1',
  summary: 'How many words the output and the expected value have in common, as SQuAD counts them',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: { passAt: passAtOption, path: pathOption },
  prepare:
    ({ passAt }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, IN_WORDS, output, expected)
      const [got, wanted] = [squadWords(output), squadWords(expected)]
      // As in SQuAD 2.0: if one text has no words, the score is 1 only if both have none.
      if (got.length === 0 || wanted.length === 0) {
        return graded(got.length === wanted.length ? 1 : 0, passAt, 'one of the texts has no words')
      }
      const common = overlap(countOf(got), countOf(wanted))
      const reason = `${common} of ${got.length} words in the output are among the ${wanted.length} expected`
      return graded(fMeasure(common, got.length, wanted.length), passAt, reason)
    },
})
