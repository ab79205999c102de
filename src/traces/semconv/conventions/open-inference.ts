import { cleanText } from '../../../base/text.ts'
import { asJsonObject, stringifyGuarded } from '../json/guarded-json.ts'
import { flattenedText, nestFlattened } from '../json/nest-flattened.ts'
import type { Assembly, Convention, MappableSpan, Reader } from './convention.ts'

const rerankedDocuments = 'reranker.input_documents.'

/** OpenInference, by Arize Phoenix: lists are spread over keys that contain the index. */
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
      // Before `output.value`, in which some frameworks put only the Python representation of the documents.
      flattened('retrieval.documents.'),
      flattened('reranker.output_documents.'),
      'output.value',
      flattened('llm.choices.'),
    ],
    model: ['llm.response.model_name', 'llm.model_name', 'embedding.model_name', 'reranker.model_name'],
    requestedModel: [
      'llm.request.model_name',
      { key: 'llm.invocation_parameters', read: textReader('model', 'model_name', 'model_id') },
    ],
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
    sessionId: ['session.id', { key: 'metadata', read: textReader('session_id', 'thread_id', 'conversation_id') }],
    userId: ['user.id', { key: 'metadata', read: textReader('user_id') }],
    tags: ['tag.tags'],
    failure: ['llm.finish_reason'],
    promptName: ['prompt.id'],
    promptVersion: ['llm.prompt_template.version'],
  },
  parameters: { objects: ['llm.invocation_parameters'], toolPrefixes: ['llm.tools.'] },
}

/** Reads a text from an object that was sent as JSON. Most objects have none of these names, which a search finds without parsing. */
function textReader(...names: string[]): Reader {
  const anyName = new RegExp(`"(?:${names.join('|')})"`)
  return (value) => {
    if (typeof value === 'string' && !anyName.test(value)) return undefined
    const object = asJsonObject(value)
    const found = names.map((name) => object?.[name]).find((entry) => typeof entry === 'string' && entry !== '')
    return typeof found === 'string' ? cleanText(found) || undefined : undefined
  }
}

/** Each of these is the only segment below an index and names only the type of the entry. */
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

/** The query and the documents to rerank; null if there is only the query. */
function rerankerInput({ attributes }: MappableSpan) {
  const documents = nestFlattened(attributes, rerankedDocuments, WRAPPERS)
  if (documents === undefined) return null
  const text = stringifyGuarded({ query: attributes.get('reranker.query'), documents })
  return text === undefined ? null : { text, key: null }
}
