import { anyObject } from '../../http/schemas.ts'
import { binary, defineEvaluator, pathOption, skipped } from '../define-evaluator.ts'
import { ConfigError } from '../evaluator.ts'
import { TooMuchWork } from '../work-budget.ts'
import { compileProblem, compileSchema, schemaProblem } from './compile-schema.ts'
import { readJson } from './json-text.ts'

export const jsonSchema = defineEvaluator({
  type: 'jsonSchema',
  summary: 'The output is JSON that fits a JSON Schema',
  kind: 'binary',
  needs: ['output'],
  options: {
    schema: anyObject({
      description:
        'A JSON Schema of draft 2020-12, or of draft-07 if its $schema says so. It may refer to parts of itself alone.',
    }),
    path: pathOption,
  },
  // A schema of a few hundred bytes can need a second.
  isSlowToCompile: () => true,
  prepare({ schema }, key) {
    const check = compiled(schema, `${key}.schema`)
    return ({ output }, budget) => {
      const json = readJson(output, budget)
      if ('problem' in json) return binary(false, `the output ${json.problem}`)
      try {
        const [miss] = check(json.value, budget)
        return binary(miss === undefined, miss && schemaProblem(miss, '$'))
      } catch (error) {
        if (error instanceof TooMuchWork) return skipped('checking the output against the schema takes too long')
        // A compiled schema throws this only if it calls itself without end.
        if (error instanceof RangeError) return skipped('the schema refers to itself without end')
        throw error
      }
    }
  },
})

function compiled(schema: Record<string, unknown>, key: string) {
  try {
    return compileSchema(schema, { report: 'first' })
  } catch (error) {
    const problem = compileProblem(error)
    throw new ConfigError(`${key} cannot be used: ${problem.slice(0, 300)}`, { cause: error })
  }
}
