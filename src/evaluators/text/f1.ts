import { binary, defineEvaluator, ignoreCaseOption, pathOption } from '../define-evaluator.ts'
import { COMPARED, spendOnTexts } from '../work-budget.ts'
import { comparable, expectedAndGot, oneLine } from './plain-text.ts'

const LABEL_LENGTH_MAX = 200

/** A single case is right or wrong; precision, recall and F1 of each class come from all cases together. */
export const f1 = defineEvaluator({
  type: 'f1',
  summary: 'The output is the expected class; over all cases F1 of each class, and their mean',
  kind: 'categorical',
  needs: ['output', 'expected'],
  options: { ignoreCase: ignoreCaseOption, path: pathOption },
  absent: (expected, { ignoreCase }) => ({
    label: '',
    details: { expected: className(expected ?? '', ignoreCase) },
  }),
  prepare:
    ({ ignoreCase }) =>
    ({ output, expected }, budget) => {
      spendOnTexts(budget, COMPARED, output, expected)
      const [label = '', wanted = ''] = [output, expected].map((text) => className(text, ignoreCase))
      return { ...binary(label === wanted, expectedAndGot(wanted, label)), label, details: { expected: wanted } }
    },
})

/** A long text is not a class name. It is still a wrong answer, but must not be stored as a name. */
function className(text: string, ignoreCase: boolean | undefined): string {
  const name = comparable(text, { ignoreCase, trim: true })
  return oneLine(name.length > LABEL_LENGTH_MAX ? `${name.slice(0, LABEL_LENGTH_MAX)}…` : name)
}
