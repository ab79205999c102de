import type { AttributeValue } from '../storing/received-span.ts'
import type { Convention, Reader } from './conventions/convention.ts'
import { asJsonObject, type JsonObject } from './json/guarded-json.ts'
import { readAmount, readUsageDetails } from './usage-details.ts'

/**
 * Other names of token counts and costs, from libraries that do not follow a convention. They are read only if no convention has a value.
 */
export const usageSpellings: Convention = {
  name: 'Usage',
  fields: {
    cacheReadTokens: [
      'gen_ai.usage.cache_read_tokens',
      'gen_ai.usage.cached_tokens',
      'gen_ai.usage.cached_input_tokens',
      'gen_ai.usage.input_tokens.cached',
      'gen_ai.usage.input_tokens_details.cached_tokens',
      'gen_ai.usage.prompt_tokens_details.cached_tokens',
      'llm.usage.cache_read_input_tokens',
      fromProvider('cacheRead'),
    ],
    cacheWriteTokens: [
      'gen_ai.usage.cache_write.input_tokens',
      'gen_ai.usage.cache_write_input_tokens',
      'gen_ai.usage.cache_write_tokens',
      'gen_ai.usage.cache_creation_tokens',
      'gen_ai.usage.input_tokens.cache_write',
      'llm.usage.cache_creation_input_tokens',
      fromProvider('cacheWrite'),
    ],
    reasoningTokens: [
      'gen_ai.usage.reasoning_output_tokens',
      'gen_ai.usage.output_tokens.reasoning',
      'gen_ai.usage.output_tokens_details.reasoning_tokens',
      'gen_ai.usage.completion_tokens_details.reasoning_tokens',
      'gen_ai.usage.details.reasoning_tokens',
      'gen_ai.usage.details.thoughts_tokens',
      'llm.usage.reasoning_tokens',
      fromProvider('reasoning'),
    ],
    costUsd: [
      'promptic.cost_usd',
      // LiteLLM: the total is after its discounts and margins. Older versions report it only among hidden parameters.
      'gen_ai.cost.total_cost',
      'gen_ai.usage.total_cost',
      'gen_ai.usage.cost_usd',
      'gen_ai.usage.cost.total',
      'llm.usage.total_cost',
      'llm.usage.cost',
      { key: 'hidden_params', read: (value) => readAmount(asJsonObject(value)?.response_cost) },
      { key: 'ai.response.providerMetadata', read: readRouterCost },
    ],
    inputCostUsd: ['gen_ai.cost.input_cost', 'gen_ai.usage.input_cost', 'gen_ai.usage.cost.input'],
    outputCostUsd: ['gen_ai.cost.output_cost', 'gen_ai.usage.output_cost', 'gen_ai.usage.cost.output'],
  },
}

/** Logfire repeats the provider's usage object, which has details that its own attributes lack. */
function fromProvider(count: 'cacheRead' | 'cacheWrite' | 'reasoning'): { key: string; read: Reader } {
  return { key: 'gen_ai.usage.raw', read: (value) => readUsageDetails(value)?.[count] ?? undefined }
}

/** OpenRouter reports its price of the call in metadata that the AI SDK repeats. */
function readRouterCost(value: AttributeValue): number | undefined {
  const router: JsonObject | undefined = asJsonObject(asJsonObject(value)?.openrouter)
  return readAmount(asJsonObject(router?.usage)?.cost)
}
