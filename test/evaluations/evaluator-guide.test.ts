import { describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { GUIDE, GUIDE_CONFIG, GUIDE_EXAMPLES } from './guide-examples.ts'

const offline = EVALUATOR_DEFINITIONS.filter(({ needs }) => !needs.includes('model'))

describe('the guide to evaluators', () => {
  it('lists every evaluator that needs no model, with exactly its options', () => {
    const rows = [...GUIDE.matchAll(/^\| `(\w+)` \| 0 (?:or|to) 1 \| .* \| (.*) \|$/gm)]
    const listed = rows.map(([, type, options = '']) => [
      type,
      [...options.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    ])
    expect(listed).toEqual(offline.map(({ type, options }) => [type, Object.keys(options.properties)]))
  })

  it('shows an example of each, and all of its examples are accepted', () => {
    expect(readEvaluators(GUIDE_CONFIG.evaluators)).toHaveLength(3)
    expect(readEvaluators(GUIDE_EXAMPLES).map(({ type }) => type)).toEqual(offline.map(({ type }) => type))
  })
})
