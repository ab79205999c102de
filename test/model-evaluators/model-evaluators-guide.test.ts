import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { asksModel } from '../../src/evaluators/evaluator.ts'
import { createJudge } from './judging.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/model-evaluators.md'), 'utf8')
const examples = [...guide.matchAll(/^ *(\{ "type": .*\}),?$/gm)].map(([, example = '']) => example)

it.each(examples)('an example of the guide works unchanged: %s', (example) => {
  const { type, name, ...options } = JSON.parse(example)
  expect(name).toMatch(/\S/)
  expect(createJudge(type, options).type).toBe(type)
})

it('every evaluator with a model has an example in the guide', () => {
  const shown = new Set(examples.map((example) => JSON.parse(example).type))
  expect([...shown].sort()).toEqual(
    EVALUATOR_DEFINITIONS.filter(asksModel)
      .map(({ type }) => type)
      .sort(),
  )
})
