import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'

const guide = readFileSync(new URL('../../docs/guide/evaluators.md', import.meta.url), 'utf8')
const offline = EVALUATOR_DEFINITIONS.filter(({ needs }) => !needs.includes('model'))

/** The entries in every piece of JSON that the guide shows. */
const examples = [...guide.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text))

describe('the guide to evaluators', () => {
  it('lists every evaluator that needs no model, with exactly its options', () => {
    const rows = [...guide.matchAll(/^\| `(\w+)` \| 0 (?:or|to) 1 \| .* \| (.*) \|$/gm)]
    const listed = rows.map(([, type, options = '']) => [
      type,
      [...options.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    ])
    expect(listed).toEqual(offline.map(({ type, options }) => [type, Object.keys(options.properties)]))
  })

  it('shows an example of each, and all of its examples are accepted', () => {
    const [config, entries] = examples
    expect(readEvaluators(config.evaluators)).toHaveLength(3)
    expect(readEvaluators(entries).map(({ type }) => type)).toEqual(offline.map(({ type }) => type))
  })
})
