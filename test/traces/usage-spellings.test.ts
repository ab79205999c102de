import { describe, expect, it } from 'vitest'
import { createPricer } from '../../src/traces/pricing/price-usage.ts'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { costOf } from '../../src/traces/storing/build-span-row.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { spanWith } from '../mapping/golden-spans.ts'

const pricer = createPricer()
const AT_NS = BigInt(Date.UTC(2026, 10, 15)) * 1_000_000n
const CALL = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o-mini',
  'gen_ai.provider.name': 'openai',
}
const COUNTS = { 'gen_ai.usage.input_tokens': 37, 'gen_ai.usage.output_tokens': 11 }

function costOfSpan(attributes: { [key: string]: AttributeValue }) {
  const span = spanWith(attributes)
  return costOf(span, mapSpan(span), { pricer, prices: [], atNs: AT_NS })
}

describe('the reported cost of a call', () => {
  it.each<[string, { [key: string]: AttributeValue }]>([
    ['LiteLLM', { 'gen_ai.cost.total_cost': 0.25, 'gen_ai.cost.input_cost': 0.5, 'gen_ai.cost.output_cost': 0.5 }],
    ['LiteLLM, older', { hidden_params: '{"response_cost": 0.25}' }],
    ['OpenLIT', { 'gen_ai.usage.cost': 0.25 }],
    ['Logfire', { 'operation.cost': 0.25 }],
    ['OpenInference', { 'llm.cost.total': 0.25 }],
    ['OpenInference, in parts', { 'llm.cost.prompt': 0.125, 'llm.cost.completion': 0.125 }],
    ['LiteLLM, in parts', { 'gen_ai.cost.input_cost': 0.125, 'gen_ai.cost.output_cost': 0.125 }],
    ['Langfuse', { 'langfuse.observation.cost_details': '{"input": 0.1, "output": 0.15, "total": 0.25}' }],
    ['MLflow', { 'mlflow.llm.cost': '{"input_cost": 0.1, "output_cost": 0.15, "total_cost": 0.25}' }],
    ['the AI gateway', { 'ai.response.providerMetadata': '{"gateway": {"cost": "0.25"}}' }],
    ['OpenRouter', { 'ai.response.providerMetadata': '{"openrouter": {"usage": {"cost": 0.25}}}' }],
    ['earlier clients', { 'promptic.cost_usd': 0.25 }],
    ['people', { 'touchstone.cost_usd': 0.25, 'gen_ai.cost.total_cost': 1 }],
  ])('is its cost, in the spelling of %s', (_, attributes) => {
    expect(costOfSpan({ ...CALL, ...COUNTS, ...attributes })).toEqual({ costUsd: 0.25, basis: 'reported' })
  })
})

describe('details of token counts', () => {
  it.each<[string, { [key: string]: AttributeValue }]>([
    ['the convention', { 'gen_ai.usage.cache_read.input_tokens': 8, 'gen_ai.usage.reasoning.output_tokens': 3 }],
    ['OpenLLMetry', { 'gen_ai.usage.cache_read_input_tokens': 8, 'gen_ai.usage.reasoning_tokens': 3 }],
    ['pydantic-ai', { 'gen_ai.usage.cache_read.input_tokens': 8, 'gen_ai.usage.details.reasoning_tokens': 3 }],
    ['Sentry', { 'gen_ai.usage.input_tokens.cached': 8, 'gen_ai.usage.output_tokens.reasoning': 3 }],
    [
      'Logfire, of a chat completion',
      {
        'gen_ai.usage.raw':
          '{"prompt_tokens":37,"completion_tokens":11,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":3}}',
      },
    ],
    [
      'Logfire, of a response',
      {
        'gen_ai.usage.raw':
          '{"input_tokens":37,"input_tokens_details":{"cached_tokens":8},"output_tokens":11,"output_tokens_details":{"reasoning_tokens":3}}',
      },
    ],
  ])('are read, and the cached ones priced as such, in the spelling of %s', (_, attributes) => {
    const span = spanWith({ ...CALL, ...COUNTS, ...attributes })
    expect(mapSpan(span).usage).toMatchObject({ input: 37, output: 11, total: 48, cacheRead: 8, reasoning: 3 })
    // 29 × $0.15 + 8 × $0.075 + 11 × $0.60, a million each.
    expect(costOfSpan({ ...CALL, ...COUNTS, ...attributes })?.costUsd).toBeCloseTo(1.155e-5, 15)
  })

  it.each([
    'gen_ai.usage.cache_creation.input_tokens',
    'gen_ai.usage.cache_write.input_tokens',
    'gen_ai.usage.cache_write_input_tokens',
    'gen_ai.usage.cache_creation_input_tokens',
  ])('written to a cache are known from %s', (key) => {
    expect(mapSpan(spanWith({ ...CALL, ...COUNTS, [key]: 5 })).usage).toMatchObject({ cacheWrite: 5, total: 48 })
  })

  it('of MLflow are one object', () => {
    const tokenUsage = '{"input_tokens": 37, "output_tokens": 11, "total_tokens": 48}'
    const span = spanWith({ 'mlflow.spanType': '"CHAT_MODEL"', 'mlflow.chat.tokenUsage': tokenUsage })
    expect(mapSpan(span).usage).toMatchObject({ input: 37, output: 11, total: 48 })
  })
})

describe('a reported cost of 0', () => {
  it('is unknown for tokens of a model with a price, and 0 otherwise', () => {
    expect(costOfSpan({ ...CALL, ...COUNTS, 'gen_ai.usage.cost': 0 })?.costUsd).toBeCloseTo(1.215e-5, 12)
    expect(costOfSpan({ ...CALL, 'gen_ai.usage.cost': 0 })).toEqual({ costUsd: 0, basis: 'reported' })
    const unpriced = { ...CALL, ...COUNTS, 'gen_ai.request.model': 'ours', 'gen_ai.usage.cost': 0 }
    expect(costOfSpan(unpriced)).toEqual({ costUsd: 0, basis: 'reported' })
  })
})

it('a model that responded under an unknown name costs as much as the requested one', () => {
  const cost = costOfSpan({ ...CALL, ...COUNTS, 'gen_ai.response.model': 'our-deployment' })
  expect(cost?.costUsd).toBeCloseTo(1.215e-5, 12)
})
