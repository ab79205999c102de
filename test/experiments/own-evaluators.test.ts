import { describe, expect, it } from 'vitest'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { ownEvaluators } from '../../src/experiments/promptic/own-evaluators.ts'
import type { PrompticEvaluator } from '../../src/experiments/promptic/promptic-schemas.ts'

const SETTINGS = { taskType: 'structuredOutput' as const, schema: null }

function own(
  type: string,
  config: Record<string, unknown>,
  settings: Parameters<typeof ownEvaluators>[1] = SETTINGS,
): Record<string, unknown> {
  const now = '2026-01-01T00:00:00.000Z'
  const row = { id: 'id', experimentId: 'id', description: null, scaleMin: 0, scaleMax: 1, weight: 2 }
  const evaluator: PrompticEvaluator = { ...row, name: 'Judged', type, config, createdAt: now, updatedAt: now }
  const [found] = ownEvaluators([evaluator], settings)
  const { weight, ...entry }: Record<string, unknown> = { ...found }
  expect(weight).toBe(2)
  // As an experiment reads it: its options are valid.
  readEvaluators([entry])
  return entry
}

describe('evaluators of the original service', () => {
  it('a general judge keeps its own messages', () => {
    const messages = [
      { role: 'system', content: 'Be strict about {expected}.' },
      { role: 'user', content: '{predicted} for {input} in {language}' },
      { role: 'odd', content: 'And {unknown}?' },
      { role: 'user', content: '' },
    ]
    expect(own('generalJudge', { messages, model: 'judge-9' })).toEqual({
      type: 'llmJudge',
      name: 'Judged',
      instructions: 'As the messages say.',
      messages: [...messages.slice(0, 2), { role: 'user', content: 'And {unknown}?' }],
      scale: [0, 1],
      model: 'judge-9',
    })
    expect(own('generalJudge', { instructions: 'Is {predicted} kind?' })).toMatchObject({
      instructions: 'Is the field "output" kind?',
    })
  })

  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      kind: { enum: ['a', 'b'] },
      count: { type: 'integer' },
      total: { type: ['number', 'null'] },
      owner: { $ref: '#/$defs/Owner' },
      lines: {
        type: 'array',
        items: { type: 'object', properties: { price: { type: 'number' }, unit: { const: 'g' } } },
      },
    },
    $defs: {
      Owner: { anyOf: [{ type: 'object', properties: { role: { enum: ['x'] }, boss: { $ref: '#/$defs/Owner' } } }] },
    },
  }
  const bySchema = {
    kind: { strategy: 'exact' },
    total: { strategy: 'number' },
    'owner.role': { strategy: 'exact' },
    'lines.price': { strategy: 'number' },
    'lines.unit': { strategy: 'exact' },
  }

  it('a structured output is compared by its schema, that of the evaluator before that of the experiment', () => {
    expect(own('structuredOutput', { schema_definition: schema }).fields).toMatchObject(bySchema)
    expect(own('structuredOutput', { schema_definition: { name: 'x', schema } }).fields).toMatchObject(bySchema)
    expect(own('structuredOutput', {}, { ...SETTINGS, schema }).fields).toMatchObject(bySchema)
    expect(own('structuredOutput', {}).fields).toEqual({})
  })

  it('a schema that refers to itself many times is read in part', () => {
    const names = Array.from({ length: 20 }, (_, place) => [`p${place}`, { $ref: '#' }])
    const endless = { properties: Object.fromEntries([['kind', { enum: ['a'] }], ...names]) }
    const { fields } = own('structuredOutput', { schema_definition: endless })
    expect(fields).toMatchObject({ kind: { strategy: 'exact' }, 'p0.kind': { strategy: 'exact' } })
    expect(Object.keys(Object(fields)).length).toBeLessThan(5_000)
  })

  it('its fields have their own strategies, also judges with instructions', () => {
    const fields = {
      name: { include: true, weight: 3, strategy: 'llm_judge', judge_instructions: 'The same person.' },
      kind: { strategy: 'similarity', judge_instructions: null },
      'lines[]': { array_strategy: 'ordered' },
      'lines[].price': { include: false },
      total: { strategy: 'auto' },
    }
    expect(own('structuredOutput', { schema_definition: schema, fields, model: 'judge-9' })).toMatchObject({
      model: 'judge-9',
      fields: {
        ...bySchema,
        name: { include: true, weight: 3, strategy: 'judge', instructions: 'The same person.' },
        kind: { strategy: 'similarity' },
        lines: { arrays: 'ordered' },
        'lines.price': { strategy: 'number', include: false },
      },
    })
    expect(() => own('structuredOutput', { fields: { a: { strategy: 'magic' } } })).toThrow(
      'The evaluator Judged has for the field a the strategy "magic"; use exact, similarity, number or judge',
    )
  })
})
