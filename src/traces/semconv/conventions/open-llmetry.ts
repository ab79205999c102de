import { flattenedText } from '../json/nest-flattened.ts'
import type { Assembly, Convention } from './convention.ts'
import { LITELLM_CALLS } from './gen-ai-old.ts'

/** OpenLLMetry, by Traceloop: its own names for workflows, and names that predate the GenAI convention for the rest. */
export const openLlmetry: Convention = {
  name: 'OpenLLMetry',
  kinds: {
    'traceloop.span.kind': { workflow: 'chain', task: 'chain', agent: 'agent', tool: 'tool' },
    'llm.request.type': {
      chat: 'llm',
      completion: 'llm',
      rerank: 'reranker',
      embedding: 'embedding',
      ...LITELLM_CALLS,
    },
  },
  fields: {
    entityName: ['traceloop.entity.name'],
    chainName: ['traceloop.workflow.name'],
    traceName: ['traceloop.workflow.name'],
    input: ['traceloop.entity.input', flattened('gen_ai.prompt.'), flattened('llm.prompts.'), 'gen_ai.task.input'],
    output: [
      'traceloop.entity.output',
      flattened('gen_ai.completion.'),
      flattened('llm.completions.'),
      'gen_ai.task.output',
    ],
    model: ['llm.response.model'],
    requestedModel: ['llm.request.model'],
    provider: ['llm.vendor'],
    inputTokens: ['llm.usage.prompt_tokens'],
    outputTokens: ['llm.usage.completion_tokens'],
    totalTokens: ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens'],
    cacheReadTokens: ['gen_ai.usage.cache_read_input_tokens'],
    cacheWriteTokens: ['gen_ai.usage.cache_creation_input_tokens'],
    reasoningTokens: ['gen_ai.usage.reasoning_tokens'],
    sessionId: [
      'traceloop.association.properties.session_id',
      'traceloop.association.properties.conversation_id',
      'traceloop.association.properties.chat_id',
    ],
    userId: ['traceloop.association.properties.user_id', 'llm.user'],
    tags: ['traceloop.association.properties.tags'],
    failure: [
      { key: 'gen_ai.task.status', read: (value) => (value === 'failure' ? true : undefined), isParsed: false },
    ],
  },
  parameters: {
    keys: {
      'llm.temperature': 'temperature',
      'llm.top_p': 'top_p',
      'llm.top_k': 'top_k',
      'llm.frequency_penalty': 'frequency_penalty',
      'llm.presence_penalty': 'presence_penalty',
      'llm.chat.stop_sequences': 'stop_sequences',
      'llm.is_streaming': 'stream',
    },
    toolPrefixes: ['llm.request.functions.'],
  },
}

/** OpenInference uses these below the same keys. */
const WRAPPERS = ['prompt', 'completion']

function flattened(prefix: string): Assembly {
  return { prefixes: [prefix], assemble: ({ attributes }) => flattenedText(attributes, prefix, WRAPPERS) }
}
