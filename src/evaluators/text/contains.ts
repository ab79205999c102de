import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator, ignoreCaseOption, pathOption } from '../define-evaluator.ts'
import { binary, skipped } from '../verdicts.ts'
import { COMPARED, spendOnTexts } from '../work-budget.ts'
import { containsWithin } from './find-text.ts'
import { comparable, quoted } from './plain-text.ts'

export const contains = defineEvaluator({
  type: 'contains',
  summary: 'The output contains a text: a given one, or the expected value of the item',
  kind: 'binary',
  needs: ['output'],
  options: closed({
    value: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description: 'The text to look for. Default: the expected value.',
      }),
    ),
    ignoreCase: ignoreCaseOption,
    not: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the output must not contain it instead. Default: false.' }),
    ),
    path: pathOption,
  }),
  needsExpected: ({ value }) => value === undefined,
  prepare:
    ({ value, ignoreCase, not = false }) =>
    ({ output, expected }, budget) => {
      const wanted = value ?? expected ?? ''
      if (wanted === '') return skipped('the expected value is empty, and every text contains that')
      spendOnTexts(budget, COMPARED, output, wanted)
      const isThere = containsWithin(budget, comparable(output, { ignoreCase }), comparable(wanted, { ignoreCase }))
      return binary(isThere !== not, `${quoted(wanted)} is ${not ? '' : 'not '}in the output`)
    },
})
