import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator, ignoreCaseOption, pathOption } from '../define-evaluator.ts'
import { binary } from '../verdicts.ts'
import { COMPARED, spendOnTexts } from '../work-budget.ts'
import { containsWithin } from './find-text.ts'
import { comparable, quoted } from './plain-text.ts'

export const containsAny = defineEvaluator({
  type: 'containsAny',
  summary: 'The output contains at least one of several texts',
  kind: 'binary',
  needs: ['output'],
  options: closed({
    values: Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'What to look for; one of them is enough.',
    }),
    ignoreCase: ignoreCaseOption,
    not: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the output must contain none of them. Default: false.' }),
    ),
    path: pathOption,
  }),
  prepare({ values, ignoreCase, not = false }) {
    const wanted = values.map((value) => ({ value, form: comparable(value, { ignoreCase }) }))
    return ({ output }, budget) => {
      spendOnTexts(budget, COMPARED, output)
      const text = comparable(output, { ignoreCase })
      const found = wanted.find(({ form }) => containsWithin(budget, text, form))
      if (not) return binary(found === undefined, found && `${quoted(found.value)} is in the output`)
      return binary(found !== undefined, `none of the ${values.length} texts is in the output`)
    }
  },
})
