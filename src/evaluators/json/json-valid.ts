import { binary, defineEvaluator, pathOption } from '../define-evaluator.ts'
import { quoted } from '../text/plain-text.ts'
import { surveyJson } from './json-text.ts'

export const jsonValid = defineEvaluator({
  type: 'jsonValid',
  summary: 'The output is well-formed JSON',
  kind: 'binary',
  needs: ['output'],
  options: { path: pathOption },
  prepare:
    () =>
    ({ output }, budget) => {
      budget.spend(surveyJson(output).work)
      return problemOf(output)
    },
})

function problemOf(output: string) {
  try {
    JSON.parse(output)
    return binary(true, undefined)
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'it cannot be read'
    return binary(false, `${quoted(output)} is not JSON: ${problem}`)
  }
}
