import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator, ignoreCaseOption, pathOption } from '../define-evaluator.ts'
import { graded } from '../verdicts.ts'
import { COMPARED, spendOnTexts } from '../work-budget.ts'
import { containsWithin } from './find-text.ts'
import { comparable, quoted } from './plain-text.ts'

export const containsAll = defineEvaluator({
  type: 'containsAll',
  summary: 'The share of several texts that the output contains; it passes with all of them',
  kind: 'numeric',
  needs: ['output'],
  options: closed({
    values: Type.Array(Type.String({ minLength: 1, maxLength: 20_000 }), {
      minItems: 1,
      maxItems: 1_000,
      description: 'What to look for.',
    }),
    ignoreCase: ignoreCaseOption,
    path: pathOption,
  }),
  prepare({ values, ignoreCase }) {
    const wanted = values.map((value) => ({ value, form: comparable(value, { ignoreCase }) }))
    return ({ output }, budget) => {
      spendOnTexts(budget, COMPARED, output)
      const text = comparable(output, { ignoreCase })
      const missing = wanted.filter(({ form }) => !containsWithin(budget, text, form))
      const [first] = missing
      const others = missing.length > 1 ? ` and ${missing.length - 1} more` : ''
      const reason = first && `the output lacks ${quoted(first.value)}${others}`
      return graded((values.length - missing.length) / values.length, 1, reason)
    }
  },
})
