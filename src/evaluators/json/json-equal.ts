import { binary, defineEvaluator, flagOption, pathOption, skipped } from '../define-evaluator.ts'
import { findDifference } from './compare-json.ts'
import { readJson } from './json-text.ts'

export const jsonEqual = defineEvaluator({
  type: 'jsonEqual',
  summary: 'The output is JSON with the expected value; the reason names the first difference',
  kind: 'binary',
  needs: ['output', 'expected'],
  options: {
    ignoreOrder: flagOption('Whether entries of arrays may come in any order.'),
    subset: flagOption('Whether objects may have more keys than expected and, with ignoreOrder, arrays more entries.'),
    path: pathOption,
  },
  prepare:
    (options) =>
    ({ output, expected }, budget) => {
      const wanted = readJson(expected, budget)
      if ('problem' in wanted) return skipped(`the expected value ${wanted.problem}`)
      const got = readJson(output, budget)
      if ('problem' in got) return binary(false, `the output ${got.problem}`)
      const difference = findDifference(wanted.value, got.value, { ...options, budget })
      return binary(difference === undefined, difference)
    },
})
