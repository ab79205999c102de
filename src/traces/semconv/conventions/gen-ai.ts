import type { MappedText } from '../../storing/mapped-span.ts'
import type { Attributes, AttributeValue } from '../../storing/received-span.ts'
import { asJsonList, asJsonObject, isJsonObject, stringifyGuarded } from '../json/guarded-json.ts'
import { readMessages } from '../messages/empty-messages.ts'
import type { Assembly, Convention, MappableSpan } from './convention.ts'

const DETAILS = 'gen_ai.client.inference.operation.details'

/** The current GenAI convention of OpenTelemetry. */
export const genAi: Convention = {
  name: 'GenAI',
  kinds: {
    'gen_ai.operation.name': {
      chat: 'llm',
      generate_content: 'llm',
      text_completion: 'llm',
      embeddings: 'embedding',
      embedding: 'embedding',
      retrieval: 'retriever',
      search_memory: 'retriever',
      execute_tool: 'tool',
      create_memory: 'tool',
      update_memory: 'tool',
      upsert_memory: 'tool',
      delete_memory: 'tool',
      create_memory_store: 'tool',
      delete_memory_store: 'tool',
      invoke_agent: 'agent',
      create_agent: 'agent',
      plan: 'agent',
      invoke_workflow: 'chain',
      // Strands.
      execute_event_loop_cycle: 'chain',
      // The Vercel AI SDK since version 7.
      agent_step: 'chain',
      rerank: 'reranker',
      decide: 'llm',
      'ai.generateSpeech': 'llm',
      'ai.transcribe': 'llm',
      'ai.streamTranscribe': 'llm',
    },
  },
  fields: {
    toolName: ['gen_ai.tool.name'],
    agentName: ['gen_ai.agent.name'],
    chainName: ['gen_ai.workflow.name'],
    input: [
      { keys: ['gen_ai.system_instructions', 'gen_ai.input.messages'], assemble: joinInstructions },
      { key: 'gen_ai.input.messages', read: readMessages, isWhole: true, isParsed: false },
      ofDetails((attributes) => joinInstructions({ attributes }) ?? payloadOf(attributes, 'gen_ai.input.messages')),
      'gen_ai.tool.call.arguments',
      'gen_ai.retrieval.query.text',
    ],
    output: [
      { key: 'gen_ai.output.messages', read: readMessages, isWhole: true, isParsed: false },
      ofDetails((attributes) => payloadOf(attributes, 'gen_ai.output.messages')),
      'gen_ai.tool.call.result',
      'gen_ai.retrieval.documents',
    ],
    model: ['gen_ai.response.model'],
    requestedModel: ['gen_ai.request.model'],
    provider: ['gen_ai.provider.name'],
    inputTokens: ['gen_ai.usage.input_tokens'],
    outputTokens: ['gen_ai.usage.output_tokens'],
    cacheReadTokens: ['gen_ai.usage.cache_read.input_tokens'],
    cacheWriteTokens: ['gen_ai.usage.cache_creation.input_tokens'],
    reasoningTokens: ['gen_ai.usage.reasoning.output_tokens'],
    // Not in the convention, but used by senders that know the cost.
    costUsd: ['gen_ai.usage.cost', 'operation.cost'],
    sessionId: ['gen_ai.conversation.id'],
    userId: ['user.id', 'enduser.id'],
    failure: [
      'gen_ai.response.finish_reasons',
      { key: 'gen_ai.output.messages', read: readFailedMessage, isParsed: false },
    ],
  },
  parameters: {
    keys: {
      'gen_ai.request.temperature': 'temperature',
      'gen_ai.request.top_p': 'top_p',
      'gen_ai.request.top_k': 'top_k',
      'gen_ai.request.max_tokens': 'max_tokens',
      'gen_ai.request.seed': 'seed',
      'gen_ai.request.stop_sequences': 'stop_sequences',
      'gen_ai.request.frequency_penalty': 'frequency_penalty',
      'gen_ai.request.presence_penalty': 'presence_penalty',
      'gen_ai.request.choice.count': 'choice_count',
      'gen_ai.request.stream': 'stream',
      'gen_ai.output.type': 'output_type',
      'gen_ai.tool.definitions': 'tools',
    },
    prefixes: ['gen_ai.request.'],
  },
}

/** The event that has the messages, for senders that do not put them in span attributes. */
function ofDetails(read: (attributes: Attributes) => MappedText | null): Assembly {
  return {
    events: [DETAILS],
    uses: (key) => key.endsWith('.messages') || key === 'gen_ai.system_instructions' || key === 'body',
    assemble: ({ events }) => {
      const found = events.filter(({ name }) => name === DETAILS).map(({ attributes }) => read(withBody(attributes)))
      return found.findLast((text) => text !== null) ?? null
    },
  }
}

/** The body of a log record may be the fields of the event as JSON. */
function withBody(attributes: Attributes): Attributes {
  const fields: { [key: string]: unknown } = asJsonObject(attributes.get('body')) ?? {}
  const sent = Object.entries(fields).filter((field): field is [string, AttributeValue] => !attributes.has(field[0]))
  return sent.length === 0 ? attributes : new Map([...attributes, ...sent])
}

function payloadOf(attributes: Attributes, key: string): MappedText | null {
  const value = readMessages(attributes.get(key) ?? null)
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : stringifyGuarded(value)
  return text === undefined ? null : { text, key: null }
}

/** Before finish reasons had their own attribute, senders put them in the messages. */
function readFailedMessage(messages: AttributeValue): true | undefined {
  const isFailed = Array.isArray(messages)
    ? messages.some((message) => isJsonObject(message) && message.finish_reason === 'error')
    : typeof messages === 'string' && messages.includes('"error"') && FAILED_MESSAGE.test(messages)
  return isFailed ? true : undefined
}

// Searched instead of parsed: inside message text, the quotes would be escaped.
const FAILED_MESSAGE = /"finish_reason": ?"error"/

const hasSystemMessage = /"role"\s*:\s*"system"/

/**
 * Prepends the instructions to the messages. Returns null if only one of them exists, or if the messages already start with the
 * instructions (the Vercel AI SDK sends them twice).
 */
function joinInstructions({ attributes }: Pick<MappableSpan, 'attributes'>) {
  const instructions = attributes.get('gen_ai.system_instructions')
  if (!instructions) return null
  const messages = readMessages(attributes.get('gen_ai.input.messages') ?? null)
  if (!messages) return null
  if (typeof messages === 'string' && hasSystemMessage.test(messages)) return null
  const spliced = spliceJson(instructions, messages)
  if (spliced !== null) return { text: spliced, key: null }
  const list = asJsonList(messages) ?? [{ role: 'user', parts: [{ type: 'text', content: messages }] }]
  if (hasSystemMessage.test(stringifyGuarded(list) ?? '')) return null
  const parts = asJsonList(instructions) ?? [{ type: 'text', content: instructions }]
  const text = stringifyGuarded([{ role: 'system', parts }, ...list])
  return text === undefined ? null : { text, key: null }
}

/** Joins two JSON lists, the common case, without parsing them: messages can be long, and this runs while their sender waits. */
function spliceJson(instructions: unknown, messages: unknown): string | null {
  if (typeof instructions !== 'string' || typeof messages !== 'string') return null
  if (!isListText(instructions) || !isListText(messages) || messages.length < 3) return null
  return `[{"role":"system","parts":${instructions}},${messages.slice(1)}`
}

function isListText(text: string): boolean {
  return text.startsWith('[{') && text.endsWith('}]')
}
