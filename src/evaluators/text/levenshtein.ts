import { distance } from 'fastest-levenshtein'
import { defineEvaluator, graded, ignoreCaseOption, passAtOption, pathOption, skipped } from '../define-evaluator.ts'
import { COMPARED, spendOnTexts } from '../work-budget.ts'
import { comparable } from './plain-text.ts'

/** The distance needs time proportional to the product of both lengths: about 40 ms at this length. */
const LENGTH_MAX = 10_000

export const levenshtein = defineEvaluator({
  type: 'levenshtein',
  summary: 'How similar the output is to the expected value, from the number of characters to change',
  kind: 'numeric',
  needs: ['output', 'expected'],
  options: { ignoreCase: ignoreCaseOption, passAt: passAtOption, path: pathOption },
  prepare:
    ({ ignoreCase, passAt }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, COMPARED, output, expected)
      const texts = [comparable(output, { ignoreCase }), comparable(expected, { ignoreCase })]
      // Equal texts are skipped, too: if only they had a score, the mean would suggest that all long outputs are right.
      if (texts.some(({ length }) => length > LENGTH_MAX)) {
        return skipped(`the output or the expected value is longer than ${LENGTH_MAX} characters`)
      }
      const [got = '', wanted = ''] = inUnits(texts)
      const longest = Math.max(got.length, wanted.length)
      // The library computes 32 cells of the table at a time.
      budget.spend((got.length * wanted.length) / 8)
      const edits = distance(got, wanted)
      return graded(longest === 0 ? 1 : 1 - edits / longest, passAt, `${edits} of ${longest} characters differ`)
    },
})

/** The library compares UTF-16 units, but some characters need two. Maps every character to one unit. */
function inUnits(texts: readonly string[]): string[] {
  const units = new Map<string, string>()
  return texts.map((text) => {
    const written = [...text].map((character) => {
      const unit = units.get(character) ?? String.fromCharCode(units.size)
      units.set(character, unit)
      return unit
    })
    return written.join('')
  })
}
