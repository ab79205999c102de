import type { Assembly, Convention, MappableSpan } from './convention.ts'
import { stringifyGuarded } from './guarded-json.ts'
import { flattenedText, nestFlattened } from './nest-flattened.ts'

const rerankedDocuments = 'reranker.input_documents.'

/** OpenInference, of Arize Phoenix: lists are spread over keys with the index in the middle. */
export const openInference: Convention = {
  name: 'OpenInference',
  kinds: {
    'openinference.span.kind': {
      llm: 'llm',
      chain: 'chain',
      tool: 'tool',
      retriever: 'retriever',
      reranker: 'reranker',
      embedding: 'embedding',
      agent: 'agent',
      guardrail: 'guardrail',
      evaluator: 'evaluator',
      prompt: 'prompt',
    },
  },
  fields: {
    toolName: ['tool.name'],
    agentName: ['agent.name', 'graph.node.name'],
    chainName: ['graph.node.name'],
    input: [
      flattened('llm.input_messages.'),
      'llm.input_messages',
      'input.value',
      'llm.prompts',
      { prefixes: ['embedding.embeddings.'], uses: isEmbeddedText, assemble: embeddedTexts },
      'embedding.text',
      { keys: ['reranker.query'], prefixes: [rerankedDocuments], assemble: rerankerInput },
      'reranker.query',
      'tool.parameters',
    ],
    output: [
      flattened('llm.output_messages.'),
      'llm.output_messages',
      'output.value',
      flattened('llm.choices.'),
      flattened('retrieval.documents.'),
      flattened('reranker.output_documents.'),
    ],
    model: ['llm.response.model_name', 'llm.model_name', 'embedding.model_name', 'reranker.model_name'],
    requestedModel: ['llm.request.model_name'],
    provider: ['llm.provider', 'llm.system'],
    inputTokens: ['llm.token_count.prompt'],
    outputTokens: ['llm.token_count.completion'],
    totalTokens: ['llm.token_count.total'],
    cacheReadTokens: ['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_input'],
    cacheWriteTokens: ['llm.token_count.prompt_details.cache_write'],
    reasoningTokens: ['llm.token_count.completion_details.reasoning'],
    costUsd: ['llm.cost.total'],
    inputCostUsd: ['llm.cost.prompt'],
    outputCostUsd: ['llm.cost.completion'],
    sessionId: ['session.id'],
    userId: ['user.id'],
    tags: ['tag.tags'],
    failure: ['llm.finish_reason'],
  },
  parameters: { objects: ['llm.invocation_parameters'], toolPrefixes: ['llm.tools.'] },
}

/** Each of these stands alone below its index and says only what the list is made of. */
const WRAPPERS = ['message', 'message_content', 'tool_call', 'document', 'completion']

function flattened(prefix: string): Assembly {
  return { prefixes: [prefix], assemble: ({ attributes }) => flattenedText(attributes, prefix, WRAPPERS) }
}

function isEmbeddedText(key: string): boolean {
  return key.endsWith('.embedding.text')
}

function embeddedTexts({ attributes }: MappableSpan) {
  const texts = [...attributes].filter(([key, value]) => isEmbeddedText(key) && value !== '')
  const [only] = texts
  if (only === undefined) return null
  if (texts.length === 1 && typeof only[1] === 'string') return { text: only[1], key: only[0] }
  const text = stringifyGuarded(texts.map(([, value]) => value))
  return text === undefined ? null : { text, key: null }
}

/** The question and what was to be put in order; null when there is only the question. */
function rerankerInput({ attributes }: MappableSpan) {
  const documents = nestFlattened(attributes, rerankedDocuments, WRAPPERS)
  if (documents === undefined) return null
  const text = stringifyGuarded({ query: attributes.get('reranker.query'), documents })
  return text === undefined ? null : { text, key: null }
}
