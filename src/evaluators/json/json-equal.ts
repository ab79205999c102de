import { Type } from 'typebox'
import { binary, defineEvaluator, pathOption, skipped } from '../define-evaluator.ts'
import { findDifference } from './compare-json.ts'
import { readJson } from './json-text.ts'

export const jsonEqual = defineEvaluator({
  type: 'jsonEqual',
  summary: 'The output is JSON with the expected value; the reason names the first difference',
  kind: 'binary',
  needs: ['output', 'expected'],
  options: {
    ignoreOrder: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether entries of arrays may come in any order. Default: false.' }),
    ),
    subset: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether objects may have more keys than expected and, with ignoreOrder, arrays more entries. Default: false.',
      }),
    ),
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
