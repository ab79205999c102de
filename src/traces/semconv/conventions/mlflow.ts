import type { AttributeValue } from '../../storing/received-span.ts'
import { asJsonObject } from '../json/guarded-json.ts'
import { readAmount, readCount } from '../usage-details.ts'
import type { Convention, Source } from './convention.ts'

const usage = 'mlflow.chat.tokenUsage'

/** MLflow tracing. Every value is JSON, including texts. */
export const mlflow: Convention = {
  name: 'MLflow',
  kinds: {
    'mlflow.spanType': {
      llm: 'llm',
      chat_model: 'llm',
      embedding: 'embedding',
      retriever: 'retriever',
      reranker: 'reranker',
      tool: 'tool',
      agent: 'agent',
      chain: 'chain',
      workflow: 'chain',
      task: 'chain',
      parser: 'chain',
      guardrail: 'guardrail',
      evaluator: 'evaluator',
    },
  },
  fields: {
    input: ['mlflow.spanInputs'],
    output: ['mlflow.spanOutputs'],
    model: [{ key: 'mlflow.llm.model', read: withoutQuotes, isWhole: true }],
    provider: [{ key: 'mlflow.llm.provider', read: withoutQuotes, isWhole: true }],
    inputTokens: [countIn('input_tokens', 'prompt_tokens')],
    outputTokens: [countIn('output_tokens', 'completion_tokens')],
    totalTokens: [countIn('total_tokens')],
    cacheReadTokens: [countIn('cache_read_input_tokens')],
    cacheWriteTokens: [countIn('cache_creation_input_tokens')],
    costUsd: [{ key: 'mlflow.llm.cost', read: (value) => readAmount(asJsonObject(value)?.total_cost) }],
    sessionId: [{ key: 'mlflow.trace.session', read: withoutQuotes, isWhole: true }],
    userId: [{ key: 'mlflow.trace.user', read: withoutQuotes, isWhole: true }],
  },
}

function countIn(...names: string[]): Source {
  return {
    key: usage,
    read: (value) => {
      const counts = asJsonObject(value)
      return names.map((name) => readCount(counts?.[name])).find((count) => count !== undefined)
    },
  }
}

function withoutQuotes(value: AttributeValue): string | undefined {
  if (typeof value !== 'string') return undefined
  return value.replace(/^"(.*)"$/s, '$1') || undefined
}
