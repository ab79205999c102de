import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { findDifference } from './comparing/compare-json.ts'
import { readJson } from './comparing/json-text.ts'
import { TooMuchWork, workBudget } from './comparing/work-budget.ts'
import { defineEvaluator, pathOption } from './define-evaluator.ts'
import { binary, skipped } from './verdicts.ts'

/** Values compared, of a few dozen nanoseconds each. */
const STEPS_MAX = 2_000_000

export const jsonEqual = defineEvaluator({
  type: 'jsonEqual',
  summary: 'The output is JSON with the expected value; the reason names the first place that differs',
  kind: 'binary',
  needs: ['output', 'expected'],
  options: closed({
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
  }),
  prepare:
    (options) =>
    ({ output, expected }) => {
      const wanted = readJson(expected)
      if ('problem' in wanted) return skipped(`the expected value ${wanted.problem}`)
      const got = readJson(output)
      if ('problem' in got) return binary(false, `the output ${got.problem}`)
      try {
        const difference = findDifference(wanted.value, got.value, { ...options, budget: workBudget(STEPS_MAX) })
        return binary(difference === undefined, difference)
      } catch (error) {
        if (error instanceof TooMuchWork) return skipped('the values are too large to be compared')
        throw error
      }
    },
})
