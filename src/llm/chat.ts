/** A conversation with a model and its answer, independent of the provider. */
import type { ModelClient, Usage } from './model-client.ts'

/** One call is one attempt. Everything that is thrown is a ModelError. */
export type ChatClient = ModelClient & {
  chat(request: ChatRequest): Promise<ChatResult>
  /** The same answer while it arrives. Ending the iteration early stops the call, which the provider may bill. */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>
}

export type ChatRequest = {
  /** Default: the first model of the connection. */
  model?: string | undefined
  messages: readonly ChatMessage[]
  tools?: readonly Tool[] | undefined
  /** Default: `auto`. */
  toolChoice?: ToolChoice | undefined
  /** Default: text. */
  responseFormat?: ResponseFormat | undefined
  parameters?: ChatParameters | undefined
  /** Stops the call, also while it waits for its turn. */
  signal?: AbortSignal | undefined
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; native?: NativeContent | undefined }
  | { role: 'tool'; toolCallId: string; content: string }

/** `arguments` is JSON as the model wrote it, which may be invalid. */
export type ToolCall = { id: string; name: string; arguments: string }

/** `parameters` is a JSON Schema. `strict`: arguments fit it exactly; only OpenAI knows it. */
export type Tool = {
  name: string
  description?: string | undefined
  parameters: Record<string, unknown>
  strict?: boolean | undefined
}

export type ToolChoice = 'auto' | 'none' | 'required' | { name: string }

export type ResponseFormat =
  | { type: 'json' }
  | {
      type: 'schema'
      name: string
      schema: Record<string, unknown>
      /** The provider guarantees the schema; OpenAI then accepts only a subset of JSON Schema. */
      strict?: boolean
    }

/** What a provider does not support is an error and is never omitted silently. */
type ChatParameters = {
  temperature?: number | undefined
  topP?: number | undefined
  /** Of the answer, including reasoning. */
  maxTokens?: number | undefined
  stop?: readonly string[] | undefined
  seed?: number | undefined
  /** In the names of the provider, such as `reasoning_effort`. The caller must have checked them. */
  other?: Readonly<Record<string, unknown>> | undefined
}

/**
 * The answer in the form of its provider, with the signatures of thoughts. Some models reject the result of a tool unless they get
 * back what they sent. Other kinds of providers ignore it.
 */
export type NativeContent = { kind: ProviderKind; content: readonly unknown[] }

/** `anthropic` needs a limit of tokens; where none is set, it gets this one. */
export const MAX_TOKENS_DEFAULT = 8_192

/** The API of a connection. `openai` includes all compatible endpoints. */
export const PROVIDER_KINDS = ['openai', 'anthropic', 'gemini'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** `refusal`: the model or a filter of the provider did not answer; `length`: the answer was cut off. */
export type FinishReason = 'stop' | 'length' | 'toolCalls' | 'refusal' | 'other'

export type ChatResult = {
  text: string
  toolCalls: readonly ToolCall[]
  finishReason: FinishReason
  /** As the provider names it. */
  model: string
  usage: Usage
  native?: NativeContent
}

/** A piece of an answer. The pieces of a tool call have the same index; the first one has its id and name. */
export type ChatDelta =
  | { type: 'text'; text: string }
  | { type: 'toolCall'; index: number; id: string; name: string; arguments: string }

/** The last event of a stream is its result. */
export type ChatEvent = ChatDelta | { type: 'end'; result: ChatResult }
