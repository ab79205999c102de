import { Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import { defineEvaluator, pathOption } from './define-evaluator.ts'
import { readNumber } from './read-number.ts'
import { quoted } from './text/plain-text.ts'
import { binary, skipped } from './verdicts.ts'
import { COMPARED, spendOnTexts } from './work-budget.ts'

const ROUNDING_SHARE = 1e-15

export const numeric = defineEvaluator({
  type: 'numeric',
  summary: 'The output is the expected number, within a tolerance',
  kind: 'binary',
  needs: ['output'],
  options: closed({
    value: Type.Optional(Type.Number({ description: 'The expected number. Default: the expected value of the item.' })),
    absolute: Type.Optional(
      Type.Number({ minimum: 0, default: 0, description: 'How far the output may be away from it. Default: 0.' }),
    ),
    relative: Type.Optional(
      Type.Number({
        minimum: 0,
        default: 0,
        description:
          'The same as a share of the expected number: 0.01 is one per cent. The larger one counts. Default: 0.',
      }),
    ),
    find: Type.Optional(
      Type.Enum(['whole', 'first', 'last'], {
        default: 'whole',
        description:
          'Whether the output is a number as a whole, or the first or the last number in it counts. Default: whole.',
      }),
    ),
    path: pathOption,
  }),
  needsExpected: ({ value }) => value === undefined,
  prepare:
    ({ value, absolute = 0, relative = 0, find = 'whole' }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, COMPARED, output, value === undefined ? expected : null)
      const wanted = value ?? readNumber(expected ?? '', 'whole', budget)
      if (wanted === undefined) return skipped(`the expected value ${quoted(expected ?? '')} is not a number`)
      const got = readNumber(output, find, budget)
      if (got === undefined) {
        return binary(false, `${quoted(output)} ${find === 'whole' ? 'is not a number' : 'has no number in it'}`)
      }
      const tolerance = Math.max(absolute, relative * Math.abs(wanted))
      // Tolerates rounding: 1.1 − 1 is slightly more than 0.1 in floating point.
      const rounding = ROUNDING_SHARE * Math.max(Math.abs(got), Math.abs(wanted))
      const difference = Math.abs(got - wanted)
      const allowed = tolerance > 0 ? `, which is off by more than ${tolerance}` : ''
      return binary(
        difference <= tolerance + (tolerance > 0 ? rounding : 0),
        `expected ${wanted}, got ${got}${allowed}`,
      )
    },
})
