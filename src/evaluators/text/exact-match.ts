import { binary, defineEvaluator, flagOption, ignoreCaseOption, pathOption } from '../define-evaluator.ts'
import { isSameJson } from '../json/compare-json.ts'
import { looksLikeJson, readJson } from '../json/json-text.ts'
import { COMPARED, spendOnTexts, type WorkBudget } from '../work-budget.ts'
import { comparable, expectedAndGot } from './plain-text.ts'

export const exactMatch = defineEvaluator({
  type: 'exactMatch',
  summary: 'The output is the expected value: the same text, or JSON with the same value',
  kind: 'binary',
  needs: ['output', 'expected'],
  options: {
    trim: flagOption('Whether white space at both ends is left out.'),
    ignoreCase: ignoreCaseOption,
    path: pathOption,
  },
  prepare:
    (options) =>
    ({ output, expected }, budget) => {
      if (output === expected) return binary(true, undefined)
      spendOnTexts(budget, COMPARED, output, expected)
      const [got, wanted] = [comparable(output, options), comparable(expected, options)]
      if (got === wanted || areEqualJson(got, wanted, budget)) return binary(true, undefined)
      return binary(false, `${expectedAndGot(wanted, got)}${hint(got, wanted)}`)
    },
})

/** Compares objects and arrays only: a number or a word is compared as written. */
function areEqualJson(got: string, wanted: string, budget: WorkBudget): boolean {
  if (!looksLikeJson(got) || !looksLikeJson(wanted)) return false
  const [a, b] = [readJson(got, budget), readJson(wanted, budget)]
  if ('problem' in a || 'problem' in b) return false
  return isSameJson(b.value, a.value, { budget })
}

function hint(got: string, wanted: string): string {
  if (got.trim() === wanted.trim()) return ' (they differ only in white space at the ends)'
  const forms = [got, wanted].map((text) => comparable(text, { ignoreCase: true }))
  return forms[0] === forms[1] ? ' (they differ only in case)' : ''
}
