import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { spanWith } from './golden-spans.ts'

function usageOf(attributes: { [key: string]: AttributeValue }) {
  return mapSpan(spanWith(attributes)).usage
}

describe('token counts', () => {
  it('cache counts that fit into the input are a part of it', () => {
    expect(usageOf({ 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.cache_read.input_tokens': 1000 })).toMatchObject({
      input: 1000,
      cacheRead: 1000,
      total: 1000,
      basis: 'inclusive',
    })
  })

  it('cache counts larger than the input are added to it, so that pricing is never given more cache than input', () => {
    expect(
      usageOf({
        'gen_ai.usage.input_tokens': 3,
        'gen_ai.usage.output_tokens': 10,
        'gen_ai.usage.cache_read.input_tokens': 2000,
        'gen_ai.usage.cache_creation.input_tokens': 500,
      }),
    ).toMatchObject({ input: 2503, output: 10, total: 2513, basis: 'additive' })
  })

  it('a total without the cached tokens does not hide them', () => {
    expect(
      usageOf({
        'llm.token_count.prompt': 10,
        'llm.token_count.completion': 5,
        'llm.token_count.total': 15,
        'llm.token_count.prompt_details.cache_read': 100,
      }),
    ).toMatchObject({ input: 110, total: 115 })
  })

  it('reasoning tokens are not counted twice', () => {
    expect(
      usageOf({
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 50,
        'gen_ai.usage.reasoning.output_tokens': 40,
      }),
    ).toMatchObject({ output: 50, reasoning: 40, total: 60 })
  })

  it('reasoning that cannot be a part of the output is added to it', () => {
    expect(usageOf({ 'gen_ai.usage.output_tokens': 8, 'gen_ai.usage.reasoning.output_tokens': 40 })).toMatchObject({
      output: 48,
      reasoning: 40,
    })
  })

  it('gen_ai.usage.details.* does not double the totals', () => {
    expect(
      usageOf({
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.usage.details.input_tokens': 10,
        'gen_ai.usage.details.output_tokens': 5,
        'gen_ai.usage.details.cached_tokens': 100,
      }),
    ).toMatchObject({ input: 10, output: 5, total: 15, cacheRead: null })
  })

  it('the usage of Langfuse is additive even when the cache counts are small', () => {
    const usage = JSON.stringify({ input: 1000, output: 5, cache_read_input_tokens: 10 })
    expect(usageOf({ 'langfuse.observation.usage_details': usage })).toMatchObject({
      input: 1010,
      cacheRead: 10,
      total: 1015,
      basis: 'additive',
    })
  })

  it('the usage of Langfuse is not mixed with counts that other attributes repeat', () => {
    const usage = JSON.stringify({ input: 10, output: 5 })
    expect(
      usageOf({
        'langfuse.observation.usage_details': usage,
        'gen_ai.usage.input_tokens': 999,
        'gen_ai.usage.cache_read.input_tokens': 500,
      }),
    ).toEqual({
      input: 10,
      output: 5,
      total: 15,
      cacheRead: null,
      cacheWrite: null,
      reasoning: null,
      basis: 'additive',
    })
  })

  it('a usage of Langfuse that cannot be read leaves the word to the next convention', () => {
    expect(usageOf({ 'langfuse.observation.usage_details': '{', 'gen_ai.usage.input_tokens': 7 })).toMatchObject({
      input: 7,
    })
  })

  it('counts as text or as doubles are counts', () => {
    expect(usageOf({ 'gen_ai.usage.input_tokens': '25', 'gen_ai.usage.output_tokens': 3.0000001 })).toMatchObject({
      input: 25,
      output: 3,
      total: 28,
    })
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, '', ' ', 'many', true, null, [1]])(
    '%s is no count',
    (count) => {
      expect(usageOf({ 'gen_ai.usage.input_tokens': count })).toBeNull()
    },
  )

  it('details without a count are no usage: the Vercel AI SDK repeats them on the steps around a call', () => {
    expect(
      usageOf({
        'ai.usage.outputTokenDetails.reasoningTokens': 10,
        'ai.response.providerMetadata': '{"openai":{"cachedPromptTokens":100}}',
      }),
    ).toBeNull()
  })

  it('is never negative, never NaN, and never has more cache than input, for any attributes', () => {
    const count = fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger(), fc.string(), fc.constant(null))
    const keys = [
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'llm.token_count.total',
    ]
    fc.assert(
      fc.property(fc.tuple(...keys.map(() => count)), (counts) => {
        const usage = usageOf(Object.fromEntries(keys.map((key, index) => [key, counts[index] ?? null])))
        if (usage === null) return
        const { basis: _, ...numbers } = usage
        for (const number of Object.values(numbers)) expect(number ?? 0).toBeGreaterThanOrEqual(0)
        expect((usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0)).toBeLessThanOrEqual(usage.input ?? 0)
        expect(usage.reasoning ?? 0).toBeLessThanOrEqual(usage.output ?? 0)
        expect((usage.input ?? 0) + (usage.output ?? 0)).toBeLessThanOrEqual(usage.total ?? 0)
      }),
    )
  })
})

describe('reported cost', () => {
  const costOf = (attributes: { [key: string]: AttributeValue }) => mapSpan(spanWith(attributes)).reportedCostUsd

  it('llm.cost.total is honoured', () => {
    expect(costOf({ 'llm.cost.total': 0.25, 'llm.cost.prompt': 0.1, 'llm.cost.completion': 0.1 })).toBe(0.25)
  })

  it('without a total the parts are added', () => {
    expect(costOf({ 'llm.cost.prompt': 0.25, 'llm.cost.completion': 0.5 })).toBe(0.75)
  })

  it('no cost is not a cost of 0', () => {
    expect(costOf({ 'gen_ai.usage.input_tokens': 10 })).toBeNull()
    expect(costOf({ 'gen_ai.usage.cost': 0 })).toBe(0)
    expect(costOf({ 'gen_ai.usage.cost': -1 })).toBeNull()
  })

  it('the sum of Langfuse’s parts counts when it has no total', () => {
    expect(costOf({ 'langfuse.observation.cost_details': '{"input":0.25,"output":0.5}' })).toBe(0.75)
  })
})
