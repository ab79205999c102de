/** The generateContent API of Google Gemini. */
import type { ChatMessage, FinishReason, ToolCall, ToolChoice } from '../chat.ts'
import { jsonField, ModelError, type Usage } from '../model-client.ts'
import { AnswerDraft, count, listIn, sumOfCounts } from './answer-draft.ts'
import { answerToolOf, toolsToSend } from './answer-tool.ts'
import { objectIn } from './object-in.ts'
import type { AnswerReader, ModelRequest, Provider, RequestProfile } from './provider.ts'

export const gemini: Provider = {
  headers: (apiKey) => (apiKey ? { 'x-goog-api-key': apiKey } : {}),
  chatEndpoint: (model, delivery) =>
    delivery === 'stream'
      ? { path: `${modelPath(model)}:streamGenerateContent`, query: { alt: 'sse' } }
      : { path: `${modelPath(model)}:generateContent` },
  chatBody,
  createReader,
  formats: ['schema', 'object', 'plain'],
  unknownFormat: /response[ _]?(json_?)?schema|response[ _]?mime[ _]?type|schema|json mode/i,
  limitNames: [],
  unsupported: () => undefined,
  embeddings: {
    endpoint: (model) => ({ path: `${modelPath(model)}:batchEmbedContents` }),
    body: (model, texts) => ({
      requests: texts.map((text) => ({ model: modelPath(model), content: { parts: [{ text }] } })),
    }),
    vectors: (envelope) => listIn(envelope, 'embeddings').map((vector) => ({ embedding: jsonField(vector, 'values') })),
    usage: (envelope) => {
      const { inputTokens, ...usage } = usageIn(jsonField(envelope, 'usageMetadata'))
      return { ...usage, inputTokens, outputTokens: inputTokens === null ? null : 0 }
    },
  },
  models: {
    query: { pageSize: '1000' },
    names(envelope) {
      const models = jsonField(envelope, 'models')
      if (!Array.isArray(models)) return undefined
      const withMethod = (method: string) =>
        models.filter((model) => listIn(model, 'supportedGenerationMethods').includes(method))
      // Chat models first: the first model of a connection is its default.
      const usable = new Set([...withMethod('generateContent'), ...withMethod('embedContent')])
      return [...usable].map((model) => String(jsonField(model, 'name')).replace(/^models\//, ''))
    },
  },
}

/** Without dots as segments: the path must not lead out of the API. */
function modelPath(model: string): string {
  const segments = (model.includes('/') ? model : `models/${model}`).split('/')
  if (segments.some((segment) => /^\.*$/.test(segment))) {
    throw new ModelError('permanent', `${JSON.stringify(model.slice(0, 200))} is not the name of a model`)
  }
  return segments.map(encodeURIComponent).join('/')
}

function chatBody(request: ModelRequest, profile: RequestProfile): Record<string, unknown> {
  const { messages, parameters = {} } = request
  const { temperature, topP, maxTokens, stop, seed, other } = parameters
  const { tools, toolChoice } = toolsToSend(request, profile)
  const system = messages.filter(({ role }) => role === 'system')
  return {
    ...(system.length > 0 && { systemInstruction: { parts: system.map(({ content }) => ({ text: content })) } }),
    contents: turnsOf(messages),
    ...(tools.length > 0 && {
      tools: [
        {
          functionDeclarations: tools.map(({ name, description, parameters: schema }) => ({
            name,
            ...(description !== undefined && { description }),
            parametersJsonSchema: schema,
          })),
        },
      ],
    }),
    ...(toolChoice !== undefined && { toolConfig: { functionCallingConfig: choiceOf(toolChoice) } }),
    generationConfig: {
      ...other,
      ...formatOf(request, profile),
      ...(profile.temperature === 'sent' && temperature !== undefined && { temperature }),
      ...(topP !== undefined && { topP }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(stop !== undefined && { stopSequences: stop }),
      ...(profile.seed === 'sent' && seed !== undefined && { seed }),
    },
  }
}

function formatOf({ responseFormat }: ModelRequest, { format }: RequestProfile): Record<string, unknown> {
  if (!responseFormat || format === 'plain' || format === 'tool') return {}
  const json = { responseMimeType: 'application/json' }
  if (responseFormat.type === 'json' || format === 'object') return json
  return { ...json, responseJsonSchema: responseFormat.schema }
}

function choiceOf(choice: ToolChoice): Record<string, unknown> {
  if (typeof choice !== 'string') return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  return { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
}

/** Results of tools are content of the user, and those that follow each other are one content. */
function turnsOf(messages: readonly ChatMessage[]): Record<string, unknown>[] {
  const names = new Map<string, string>()
  const turns: { role: 'user' | 'model'; parts: unknown[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'model' : 'user'
    if (message.role === 'assistant') for (const { id, name } of message.toolCalls ?? []) names.set(id, name)
    const parts = partsOf(message, names)
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else turns.push({ role, parts })
  }
  return turns
}

function partsOf(message: ChatMessage, names: ReadonlyMap<string, string>): unknown[] {
  const { content } = message
  if (message.role === 'tool') return [resultPart(message, names.get(message.toolCallId))]
  if (message.role !== 'assistant') return [{ text: content }]
  if (message.native?.kind === 'gemini') return [...message.native.content]
  return [...(content === '' ? [] : [{ text: content }]), ...(message.toolCalls ?? []).map(callPart)]
}

/** Newer models reject calls without the signature of their thoughts; this one is documented for calls of other models. */
const FOREIGN_SIGNATURE = 'skip_thought_signature_validator'

function callPart({ name, arguments: args }: ToolCall): unknown {
  return { functionCall: { name, args: objectIn(args) }, thoughtSignature: FOREIGN_SIGNATURE }
}

/** A result names its function; a text that is no object becomes the field of one. */
function resultPart({ toolCallId, content }: { toolCallId: string; content: string }, name: string | undefined) {
  if (name === undefined) {
    throw new ModelError(
      'permanent',
      `The message of a tool names the call ${toolCallId}, which no earlier message has`,
    )
  }
  const result = objectIn(content)
  return { functionResponse: { name, response: Object.keys(result).length > 0 ? result : { result: content } } }
}

/** Events of a stream have the form of whole responses. */
function createReader(request: ModelRequest, profile: RequestProfile): AnswerReader {
  const draft = new AnswerDraft(request.model, answerToolOf(request, profile)?.name)
  const parts: unknown[] = []
  let usage: unknown
  return {
    read(part) {
      draft.setModel(jsonField(part, 'modelVersion'))
      usage = jsonField(part, 'usageMetadata') ?? usage
      if (typeof jsonField(jsonField(part, 'promptFeedback'), 'blockReason') === 'string') {
        draft.finishReason = 'refusal'
      }
      const [candidate] = listIn(part, 'candidates')
      const reason = jsonField(candidate, 'finishReason')
      if (typeof reason === 'string') draft.finishReason = finishReasonOf(reason)
      return listIn(jsonField(candidate, 'content'), 'parts').flatMap((piece) => {
        parts.push(piece)
        if (jsonField(piece, 'thought') === true) return []
        const call = jsonField(piece, 'functionCall')
        if (call === undefined) return draft.addText(jsonField(piece, 'text'))
        const args = JSON.stringify(jsonField(call, 'args') ?? {})
        return draft.addCall(parts.length, { id: jsonField(call, 'id'), name: jsonField(call, 'name'), piece: args })
      })
    },
    get isFinished() {
      return draft.finishReason !== undefined
    },
    get isEmpty() {
      return draft.isEmpty
    },
    result() {
      const hasSignature = parts.some((part) => jsonField(part, 'thoughtSignature') !== undefined)
      return draft.result(usageIn(usage), hasSignature ? { kind: 'gemini', content: parts } : undefined)
    },
  }
}

/** Filters end an answer for many reasons, and more are added. */
function finishReasonOf(reason: string): FinishReason {
  if (reason === 'STOP') return 'stop'
  if (reason === 'MAX_TOKENS') return 'length'
  return /SAFETY|RECITATION|BLOCKLIST|PROHIBITED|SPII|LANGUAGE/.test(reason) ? 'refusal' : 'other'
}

/** Tokens of thoughts and of results of tools are counted separately; counts of 0 are omitted. */
function usageIn(usage: unknown): Usage {
  const counted = (key: string) => count(jsonField(usage, key))
  const reasoningTokens = counted('thoughtsTokenCount')
  const inputTokens = sumOfCounts(counted('promptTokenCount'), counted('toolUsePromptTokenCount'))
  const total = counted('totalTokenCount')
  const rest = inputTokens === null || total === null || total < inputTokens ? null : total - inputTokens
  const answerTokens = counted('candidatesTokenCount')
  return {
    inputTokens,
    outputTokens: answerTokens === null ? rest : sumOfCounts(answerTokens, reasoningTokens),
    cachedTokens: counted('cachedContentTokenCount'),
    cacheWriteTokens: null,
    reasoningTokens,
  }
}
