/** The Messages API of Anthropic. It has no embeddings. */
import { type ChatMessage, type FinishReason, MAX_TOKENS_DEFAULT, type Tool, type ToolChoice } from '../chat.ts'
import { jsonField, type Usage } from '../model-client.ts'
import { AnswerDraft, count, listIn, sumOfCounts } from './answer-draft.ts'
import { answerToolOf, toolsToSend } from './answer-tool.ts'
import { objectIn } from './object-in.ts'
import type { AnswerReader, Delivery, ModelRequest, Provider, RequestProfile } from './provider.ts'
import { supportedSchema } from './supported-schema.ts'

const VERSION = '2023-06-01'

export const anthropic: Provider = {
  headers: (apiKey) => ({ 'anthropic-version': VERSION, ...(apiKey && { 'x-api-key': apiKey }) }),
  chatEndpoint: () => ({ path: 'messages' }),
  chatBody,
  createReader,
  // Older models know no format, but all can be forced to call a tool.
  formats: ['schema', 'tool', 'plain'],
  unknownFormat: /output_(config|format)|structured[ _-]?outputs?|json_schema|tool_choice|thinking/i,
  limitNames: [],
  unsupported({ parameters, responseFormat }, optional) {
    if (parameters?.seed !== undefined && !optional.has('seed')) return 'the API of Anthropic has no seed'
    if (responseFormat?.type === 'json') return 'the API of Anthropic answers in JSON only by a schema'
    return undefined
  },
  embeddings: undefined,
  models: {
    query: { limit: '1000' },
    names(envelope) {
      const data = jsonField(envelope, 'data')
      return Array.isArray(data) ? data.map((model) => jsonField(model, 'id')) : undefined
    },
  },
}

function chatBody(request: ModelRequest, profile: RequestProfile, delivery: Delivery): Record<string, unknown> {
  const { model, messages, parameters = {} } = request
  const { temperature, topP, maxTokens = MAX_TOKENS_DEFAULT, stop, other } = parameters
  const { tools, toolChoice } = toolsToSend(request, profile)
  const system = messages.filter(({ role, content }) => role === 'system' && content !== '')
  return {
    ...other,
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system: system.map(({ content }) => ({ type: 'text', text: content })) }),
    messages: turnsOf(messages),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    ...(toolChoice !== undefined && { tool_choice: choiceOf(toolChoice) }),
    ...outputOf(request, profile, other),
    ...(profile.temperature === 'sent' && temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop !== undefined && { stop_sequences: stop }),
    ...(delivery === 'stream' && { stream: true }),
  }
}

function outputOf(
  { responseFormat }: ModelRequest,
  { format }: RequestProfile,
  other: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  if (responseFormat?.type !== 'schema' || format !== 'schema') return {}
  const schema = supportedSchema(responseFormat.schema)
  return { output_config: { ...Object(other.output_config), format: { type: 'json_schema', schema } } }
}

function toolOf({ name, description, parameters }: Tool): Record<string, unknown> {
  return { name, ...(description !== undefined && { description }), input_schema: parameters }
}

function choiceOf(choice: ToolChoice): Record<string, unknown> {
  if (typeof choice !== 'string') return { type: 'tool', ...choice }
  return { type: choice === 'required' ? 'any' : choice }
}

/** Results of tools are messages of the user, and those that follow each other are one message. */
function turnsOf(messages: readonly ChatMessage[]): Record<string, unknown>[] {
  const turns: { role: 'user' | 'assistant'; content: unknown[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = blocksOf(message)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content })
  }
  return turns
}

/** Empty texts are rejected. */
function blocksOf(message: ChatMessage): unknown[] {
  const { content } = message
  const text = content === '' ? [] : [{ type: 'text', text: content }]
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.toolCallId, content }]
  if (message.role !== 'assistant') return text
  if (message.native?.kind === 'anthropic') return [...message.native.content]
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: input }) => {
    return { type: 'tool_use', id, name, input: objectIn(input) }
  })
  return [...text, ...calls]
}

/** A whole response has complete blocks where events have a start and deltas of each. */
function createReader(request: ModelRequest, profile: RequestProfile): AnswerReader {
  const draft = new AnswerDraft(request.model, answerToolOf(request, profile)?.name)
  const blocks = new Map<unknown, Block>()
  let usage: Record<string, unknown> = {}

  const readHead = (message: unknown) => {
    draft.setModel(jsonField(message, 'model'))
    readEnd(message)
  }
  const readEnd = (part: unknown) => {
    // Later counts replace earlier ones; an event has only those that have changed.
    usage = { ...usage, ...knownFields(jsonField(part, 'usage')) }
    const reason = jsonField(part, 'stop_reason')
    if (typeof reason === 'string') draft.finishReason = FINISH_REASONS[reason] ?? 'other'
  }
  const startBlock = (index: unknown, given: unknown) => {
    const block: Block = { ...Object(given), json: '' }
    blocks.set(index, block)
    if (block.type === 'text') return draft.addText(block.text)
    if (block.type !== 'tool_use') return []
    // Empty where deltas follow.
    const input = Object.keys(Object(block.input)).length === 0 ? '' : JSON.stringify(block.input)
    return addInput(index, block, input)
  }
  const addInput = (index: unknown, block: Block, piece: string) => {
    block.json += piece
    return draft.addCall(index, { id: block.id, name: block.name, piece })
  }
  const readDelta = (index: unknown, delta: unknown) => {
    const block = blocks.get(index)
    if (!block) return []
    if (block.type === 'tool_use') return addInput(index, block, textIn(delta, 'partial_json'))
    for (const field of TEXT_FIELDS) {
      const piece = textIn(delta, field)
      if (piece !== '') block[field] = `${block[field] ?? ''}${piece}`
    }
    return block.type === 'text' ? draft.addText(textIn(delta, 'text')) : []
  }
  return {
    read(part) {
      const type = jsonField(part, 'type')
      if (type === 'message_start') readHead(jsonField(part, 'message'))
      if (type === 'message_delta') readEnd({ ...Object(jsonField(part, 'delta')), usage: jsonField(part, 'usage') })
      if (type === 'content_block_start') return startBlock(jsonField(part, 'index'), jsonField(part, 'content_block'))
      if (type === 'content_block_delta') return readDelta(jsonField(part, 'index'), jsonField(part, 'delta'))
      if (type !== undefined && type !== 'message') return []
      readHead(part)
      return listIn(part, 'content').flatMap((block, index) => startBlock(index, block))
    },
    get isFinished() {
      return draft.finishReason !== undefined
    },
    get isEmpty() {
      return draft.isEmpty
    },
    result() {
      const result = draft.result(usageIn(usage))
      // A tool without arguments gets an empty object.
      const toolCalls = result.toolCalls.map((call) => ({ ...call, arguments: call.arguments || '{}' }))
      const content = [...blocks.values()].map(nativeBlock)
      const hasThoughts = content.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')
      return { ...result, toolCalls, ...(hasThoughts && { native: { kind: 'anthropic', content } }) }
    },
  }
}

const TEXT_FIELDS = ['text', 'thinking', 'signature'] as const

function textIn(value: unknown, key: string): string {
  const text = jsonField(value, key)
  return typeof text === 'string' ? text : ''
}

/** `json` is the input of a tool as it arrives. */
type Block = {
  type?: unknown
  id?: unknown
  name?: unknown
  text?: unknown
  input?: unknown
  thinking?: unknown
  signature?: unknown
  json: string
}

function nativeBlock({ json, ...block }: Block): Omit<Block, 'json'> {
  return block.type === 'tool_use' ? { ...block, input: objectIn(json) } : block
}

function knownFields(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(value)).filter(([, field]) => field !== null))
}

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'toolCalls',
  refusal: 'refusal',
}

/** Tokens of the cache are not part of `input_tokens`. */
function usageIn(usage: unknown): Usage {
  const cachedTokens = count(jsonField(usage, 'cache_read_input_tokens'))
  const cacheWriteTokens = count(jsonField(usage, 'cache_creation_input_tokens'))
  const uncached = count(jsonField(usage, 'input_tokens'))
  return {
    inputTokens: uncached === null ? null : sumOfCounts(uncached, cachedTokens, cacheWriteTokens),
    outputTokens: count(jsonField(usage, 'output_tokens')),
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: count(jsonField(jsonField(usage, 'output_tokens_details'), 'thinking_tokens')),
  }
}
