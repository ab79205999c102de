import { readUsageDetails } from '../usage-details.ts'
import type { Convention } from './convention.ts'

/**
 * LangSmith's bridge to OpenTelemetry. It sends inputs and outputs as `gen_ai.prompt` and `gen_ai.completion`, and templates with the
 * operation of model calls.
 */
export const langsmith: Convention = {
  name: 'LangSmith',
  kinds: {
    'langsmith.span.kind': {
      llm: 'llm',
      chain: 'chain',
      tool: 'tool',
      retriever: 'retriever',
      embedding: 'embedding',
      prompt: 'prompt',
      parser: 'chain',
    },
  },
  fields: {
    traceName: ['langsmith.trace.name'],
    requestedModel: ['langsmith.metadata.ls_model_name'],
    // Has the cached tokens, which `gen_ai.usage` lacks.
    usageDetails: [{ key: 'langsmith.metadata.usage_metadata', read: readUsageDetails, isWhole: true }],
    provider: ['langsmith.metadata.ls_provider'],
    // Not `langsmith.trace.session_id`, which is the project in LangSmith.
    sessionId: ['langsmith.metadata.session_id', 'langsmith.metadata.thread_id', 'langsmith.metadata.conversation_id'],
    userId: ['langsmith.metadata.user_id'],
    tags: ['langsmith.span.tags'],
  },
}
