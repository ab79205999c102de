/** Chat completions and embeddings of OpenAI and of compatible endpoints. */
import type { ChatMessage, ResponseFormat, ToolChoice } from '../chat.ts'
import { jsonField, type Usage } from '../model-client.ts'
import { AnswerDraft, count, listIn } from './answer-draft.ts'
import { answerToolOf, toolsToSend } from './answer-tool.ts'
import type { AnswerReader, Delivery, ModelRequest, Provider, RequestProfile } from './provider.ts'

const LIMIT_NAMES = ['max_completion_tokens', 'max_tokens'] as const

export const openai: Provider = {
  headers: (apiKey) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  chatEndpoint: () => ({ path: 'chat/completions' }),
  chatBody,
  createReader,
  formats: ['schema', 'object', 'plain'],
  unknownFormat:
    /response[ _.]?(format|schema)|json_(schema|object)|structured[ _-]?outputs?|json mode|requested parameters/i,
  // Newer models support only the first name, most servers only the second.
  limitNames: LIMIT_NAMES,
  unsupported: () => undefined,
  embeddings: {
    endpoint: () => ({ path: 'embeddings' }),
    body: (model, texts) => ({ model, input: texts }),
    vectors: (envelope) => jsonField(envelope, 'data'),
    usage(envelope) {
      const usage = usageIn(jsonField(envelope, 'usage'))
      // Embeddings have no output tokens.
      return { ...usage, outputTokens: usage.outputTokens ?? (usage.inputTokens === null ? null : 0) }
    },
  },
  models: {
    names(envelope) {
      const data = jsonField(envelope, 'data')
      return Array.isArray(data) ? data.map((model) => jsonField(model, 'id')) : undefined
    },
  },
}

function chatBody(request: ModelRequest, profile: RequestProfile, delivery: Delivery): Record<string, unknown> {
  const { model, messages, responseFormat, parameters = {} } = request
  const { temperature, topP, maxTokens, stop, seed, other } = parameters
  const { tools, toolChoice } = toolsToSend(request, profile)
  const limitName = LIMIT_NAMES[profile.limitName]
  return {
    ...other,
    model,
    messages: messages.map(messageOf),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(toolChoice !== undefined && { tool_choice: choiceOf(toolChoice) }),
    ...formatOf(responseFormat, profile),
    ...(profile.temperature === 'sent' && temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(limitName && maxTokens !== undefined && { [limitName]: maxTokens }),
    ...(stop !== undefined && { stop }),
    ...(profile.seed === 'sent' && seed !== undefined && { seed }),
    ...(delivery === 'stream' && { stream: true }),
    ...(delivery === 'stream' && profile.streamUsage === 'sent' && { stream_options: { include_usage: true } }),
  }
}

function messageOf(message: ChatMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content }
  }
  const toolCalls = message.toolCalls.map(({ id, ...call }) => ({ id, type: 'function', function: call }))
  return { role: 'assistant', content: message.content === '' ? null : message.content, tool_calls: toolCalls }
}

function choiceOf(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: choice }
}

function formatOf(wanted: ResponseFormat | undefined, { format }: RequestProfile): Record<string, unknown> {
  if (!wanted || format === 'plain' || format === 'tool') return {}
  if (wanted.type === 'json' || format === 'object') return { response_format: { type: 'json_object' } }
  const { name, schema, strict } = wanted
  const schemaFormat = { name, schema, ...(strict !== undefined && { strict }) }
  return { response_format: { type: 'json_schema', json_schema: schemaFormat } }
}

/** A whole response has a `message` where an event has a `delta`; the rest has the same form. */
function createReader(request: ModelRequest, profile: RequestProfile): AnswerReader {
  const draft = new AnswerDraft(request.model, answerToolOf(request, profile)?.name)
  let usage: unknown
  let isRefused = false
  return {
    read(part) {
      draft.setModel(jsonField(part, 'model'))
      const given = jsonField(part, 'usage')
      if (typeof given === 'object' && given !== null) usage = given
      const [choice] = listIn(part, 'choices')
      const message = jsonField(choice, 'message') ?? jsonField(choice, 'delta')
      const refusal = draft.addText(jsonField(message, 'refusal'))
      isRefused ||= refusal.length > 0
      const finish = jsonField(choice, 'finish_reason')
      if (typeof finish === 'string') draft.finishReason = FINISH_REASONS[finish] ?? 'other'
      if (isRefused && draft.finishReason !== undefined) draft.finishReason = 'refusal'
      const text = draft.addText(textOf(jsonField(message, 'content')))
      const calls = listIn(message, 'tool_calls').flatMap((call, position) => {
        const id = jsonField(call, 'id')
        const { name, arguments: piece } = functionIn(call)
        return draft.addCall(jsonField(call, 'index') ?? id ?? position, { id, name, piece })
      })
      return [...refusal, ...text, ...calls]
    },
    get isFinished() {
      return draft.finishReason !== undefined
    },
    get isEmpty() {
      return draft.isEmpty
    },
    result() {
      const result = draft.result(usageIn(usage))
      return isRefused ? { ...result, finishReason: 'refusal' } : result
    },
  }
}

const FINISH_REASONS: Readonly<Record<string, 'stop' | 'length' | 'toolCalls' | 'refusal'>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolCalls',
  function_call: 'toolCalls',
  content_filter: 'refusal',
}

function functionIn(call: unknown): { name: unknown; arguments: unknown } {
  const called = jsonField(call, 'function')
  return { name: jsonField(called, 'name'), arguments: jsonField(called, 'arguments') }
}

/** Some providers return a list of parts. */
function textOf(content: unknown): string {
  const parts: unknown[] = Array.isArray(content) ? content.map((part) => jsonField(part, 'text')) : [content]
  return parts.filter((part) => typeof part === 'string').join('')
}

function usageIn(usage: unknown): Usage {
  const inputTokens = count(jsonField(usage, 'prompt_tokens'))
  const outputTokens = count(jsonField(usage, 'completion_tokens'))
  const total = count(jsonField(usage, 'total_tokens'))
  const inputDetails = jsonField(usage, 'prompt_tokens_details')
  // The other part follows from the total and one part.
  const rest = (part: number | null) => (part === null || total === null || total < part ? null : total - part)
  return {
    inputTokens: inputTokens ?? rest(outputTokens),
    outputTokens: outputTokens ?? rest(inputTokens),
    cachedTokens: count(jsonField(inputDetails, 'cached_tokens')),
    cacheWriteTokens: count(jsonField(inputDetails, 'cache_write_tokens')),
    reasoningTokens: count(jsonField(jsonField(usage, 'completion_tokens_details'), 'reasoning_tokens')),
  }
}
