import { asJsonList, asJsonObject, stringifyGuarded } from '../json/guarded-json.ts'
import { readAmount, readCount } from '../usage-details.ts'
import type { Assembly, Convention, MappableSpan, Source } from './convention.ts'

/** The operation of the outer call, which version 7 names `invoke_agent`. */
const operations = {
  'ai.generateText': 'agent',
  'ai.streamText': 'agent',
  'ai.generateObject': 'agent',
  'ai.streamObject': 'agent',
  'ai.generateText.doGenerate': 'llm',
  'ai.streamText.doStream': 'llm',
  'ai.generateObject.doGenerate': 'llm',
  'ai.streamObject.doStream': 'llm',
  'ai.embed': 'chain',
  'ai.embedMany': 'chain',
  'ai.embed.doEmbed': 'embedding',
  'ai.embedMany.doEmbed': 'embedding',
  'ai.rerank': 'chain',
  'ai.rerank.doRerank': 'reranker',
  'ai.toolCall': 'tool',
} as const

const answerKeys = [
  'ai.response.reasoning',
  'ai.response.text',
  'ai.response.object',
  'ai.response.toolCalls',
  'ai.response.files',
]

/** The Vercel AI SDK, versions 3 to 6, and version 7 with legacy telemetry. */
export const vercelAi: Convention = {
  name: 'Vercel AI SDK',
  kinds: { 'ai.operationId': operations, 'operation.name': operations },
  fields: {
    toolName: ['ai.toolCall.name'],
    agentName: ['ai.telemetry.functionId', 'resource.name'],
    chainName: ['ai.telemetry.functionId', 'resource.name'],
    operationName: ['ai.operationId'],
    input: [
      'ai.prompt.messages',
      'ai.prompt',
      'ai.toolCall.args',
      textOfJson('ai.value'),
      listOfJson('ai.values'),
      listOfJson('ai.documents'),
      'ai.request.text',
      'ai.decision.questions',
    ],
    output: [
      { keys: answerKeys, assemble: joinAnswer },
      'ai.response.text',
      'ai.response.object',
      'ai.response.toolCalls',
      'ai.response.reasoning',
      'ai.response.files',
      'ai.toolCall.result',
      'ai.embedding',
      listOfJson('ai.embeddings'),
      listOfJson('ai.ranking'),
      'ai.decision.answers',
      'ai.result.text',
      'ai.result.object',
      'ai.result.toolCalls',
    ],
    model: ['ai.response.model'],
    requestedModel: ['ai.model.id'],
    provider: ['ai.model.provider'],
    inputTokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens'],
    outputTokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
    totalTokens: ['ai.usage.totalTokens', 'ai.usage.tokens'],
    cacheReadTokens: [
      'ai.usage.inputTokenDetails.cacheReadTokens',
      'ai.usage.cachedInputTokens',
      providerCount('cacheReadInputTokens', 'cachedPromptTokens'),
    ],
    cacheWriteTokens: ['ai.usage.inputTokenDetails.cacheWriteTokens', providerCount('cacheCreationInputTokens')],
    reasoningTokens: [
      'ai.usage.outputTokenDetails.reasoningTokens',
      'ai.usage.reasoningTokens',
      providerCount('reasoningTokens'),
    ],
    costUsd: [
      {
        key: 'ai.response.providerMetadata',
        read: (value) => readAmount(asJsonObject(asJsonObject(value)?.gateway)?.cost),
      },
    ],
    sessionId: ['ai.telemetry.metadata.sessionId', 'ai.telemetry.metadata.threadId', 'ai.settings.context.sessionId'],
    userId: ['ai.telemetry.metadata.userId', 'ai.settings.context.userId'],
    tags: ['ai.telemetry.metadata.tags', 'ai.settings.context.tags'],
    failure: ['ai.response.finishReason'],
  },
  parameters: {
    keys: { 'ai.prompt.tools': 'tools', 'ai.prompt.toolChoice': 'tool_choice' },
    prefixes: ['ai.settings.'],
  },
}

/** One message with the reasoning, the text and the tool calls of the model. Returns null if there is only one of these. */
function joinAnswer({ attributes }: MappableSpan) {
  const said = answerKeys.flatMap((key) => {
    const value = attributes.get(key)
    return value === undefined || value === null || value === '' ? [] : [{ key, value }]
  })
  if (said.length < 2) return null
  const parts = said.flatMap(({ key, value }): unknown[] => {
    if (key === 'ai.response.reasoning') return [{ type: 'reasoning', content: value }]
    if (key === 'ai.response.toolCalls') return asJsonList(value)?.map(asToolCall) ?? [value]
    if (key === 'ai.response.files') return [...(asJsonList(value) ?? [value])]
    return [{ type: 'text', content: value }]
  })
  const text = stringifyGuarded([{ role: 'assistant', parts }])
  return text === undefined ? null : { text, key: null }
}

function asToolCall(call: unknown): unknown {
  const object = asJsonObject(call)
  return object === undefined ? call : { type: 'tool-call', ...object }
}

/** A list whose entries are JSON, because an attribute can only be a list of strings. */
function listOfJson(key: string): Assembly {
  return {
    keys: [key],
    assemble: ({ attributes }) => {
      const list = asJsonList(attributes.get(key))
      const text = list && list.length > 0 ? stringifyGuarded(list.map(parseEntry)) : undefined
      return text === undefined ? null : { text, key: null }
    },
  }
}

/** A text that was sent as JSON, including the quotes. */
function textOfJson(key: string): Assembly {
  return {
    keys: [key],
    assemble: ({ attributes }) => {
      const value = attributes.get(key)
      if (value === undefined || value === null || value === '') return null
      const parsed = parseEntry(value)
      const text = typeof parsed === 'string' ? parsed : stringifyGuarded(parsed)
      return text === undefined ? null : { text, key: null }
    },
  }
}

function parseEntry(entry: unknown): unknown {
  if (typeof entry !== 'string') return entry
  try {
    return JSON.parse(entry)
  } catch {
    // Other senders may send plain entries.
    return entry
  }
}

/** A count that providers report only under their own name and in their own terms. */
function providerCount(...names: string[]): Source {
  return {
    key: 'ai.response.providerMetadata',
    read: (value) => {
      for (const provider of Object.values(asJsonObject(value) ?? {})) {
        const counts = asJsonObject(provider)
        const name = names.find((candidate) => readCount(counts?.[candidate]) !== undefined)
        if (counts && name) return readCount(counts[name])
      }
      return undefined
    },
  }
}
