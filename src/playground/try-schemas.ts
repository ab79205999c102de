import { type Static, Type } from 'typebox'
import { UUID_PATTERN } from '../base/ids.ts'
import {
  anyObject,
  Count,
  closed,
  NullableId,
  NullableInteger,
  NullableNumber,
  NullableString,
  nullable,
} from '../http/schemas.ts'
import { PROVIDER_KINDS } from '../llm/chat.ts'
import { VersionNumber } from '../prompts/evidence-schemas.ts'
import { NewPromptContent } from '../prompts/prompt-schemas.ts'

const TEXT_LENGTH_MAX = 1_048_576
const MESSAGES_MAX = 100
const CALLS_MAX = 128
const ModelName = Type.String({ minLength: 1, maxLength: 500 })
const Text = Type.String({ maxLength: TEXT_LENGTH_MAX })

const ToolCall = closed(
  {
    id: Type.String({ maxLength: 1_000 }),
    name: Type.String({ maxLength: 1_000 }),
    arguments: Type.String({
      maxLength: TEXT_LENGTH_MAX,
      description: 'JSON as the model wrote it, which may be invalid',
    }),
  },
  { title: 'PromptToolCall' },
)

/** A message after those of the prompt. */
const TriedMessage = Type.Union(
  [
    closed({
      role: Type.Enum(['assistant'], { type: 'string' }),
      content: Text,
      toolCalls: Type.Array(ToolCall, { maxItems: CALLS_MAX }),
      native: nullable(
        closed({
          kind: Type.Enum(PROVIDER_KINDS, { type: 'string' }),
          content: Type.Array(Type.Unknown(), { maxItems: 1_000 }),
        }),
        { description: 'The answer in the form of its provider, which some models need back' },
      ),
    }),
    closed({
      role: Type.Enum(['tool'], { type: 'string' }),
      toolCallId: Type.String({ maxLength: 1_000 }),
      content: Text,
    }),
  ],
  { title: 'TriedMessage' },
)

const ToolAnswer = closed(
  { toolCallId: Type.String({ maxLength: 1_000 }), content: Text },
  { title: 'PromptToolAnswer' },
)

/** What is rendered: a saved version, or content that is not saved. */
const rendered = {
  content: Type.Optional(NewPromptContent),
  version: Type.Optional(VersionNumber),
  variables: Type.Optional(
    anyObject({ description: 'A text for each variable, a list of messages for each placeholder' }),
  ),
  itemId: Type.Optional(
    Type.String({
      format: 'uuid',
      pattern: UUID_PATTERN,
      description:
        'An item of a dataset of the component, whose input gives the variables that `variables` does not have',
    }),
  ),
}

export const RenderPromptBody = closed(rendered)

export const TryPromptBody = closed({
  ...rendered,
  provider: Type.Optional({ ...ModelName, description: 'The name of a connection, instead of that of the content' }),
  model: Type.Optional({ ...ModelName, description: 'Instead of that of the content' }),
  parameters: Type.Optional(
    anyObject({ description: 'Replace those of the content with the same name; null removes one' }),
  ),
  toolAnswers: Type.Optional(
    Type.Enum(['recorded', 'ask', 'none'], {
      type: 'string',
      description:
        '`recorded`: answer the calls of tools from the trace of the item, and return those that it does not have; `ask`: return all of them, for `continue`; `none`: a call is the answer. Default: `recorded` with an item, else `ask`',
    }),
  ),
  continue: Type.Optional(
    closed(
      {
        conversation: Type.Array(TriedMessage, { minItems: 1, maxItems: MESSAGES_MAX }),
        toolAnswers: Type.Array(ToolAnswer, { maxItems: CALLS_MAX }),
      },
      { title: 'ContinuedTry' },
    ),
  ),
})

const RenderedMessage = closed({ role: Type.String(), content: Type.String() }, { title: 'RenderedMessage' })
export const RenderedPrompt = closed(
  {
    messages: Type.Array(RenderedMessage),
    /** Values that the prompt does not use. */
    unused: Type.Array(Type.String()),
  },
  { title: 'RenderedPrompt' },
)

/** Null: unknown. */
const TokenUsage = closed(
  {
    inputTokens: NullableInteger,
    outputTokens: NullableInteger,
    cachedTokens: NullableInteger,
    cacheWriteTokens: NullableInteger,
    reasoningTokens: NullableInteger,
  },
  { title: 'TokenUsage' },
)

const SchemaCheck = closed(
  {
    valid: Type.Boolean(),
    misses: Type.Array(
      closed({
        path: Type.String({ description: 'A JSON Pointer into the answer; empty for the whole of it' }),
        message: Type.String(),
      }),
    ),
  },
  { title: 'SchemaCheck' },
)

export const TryStart = closed(
  {
    provider: Type.String(),
    model: Type.String(),
    maxTokens: Count,
    toolAnswers: Type.Enum(['recorded', 'ask', 'none'], { type: 'string' }),
    /** What was added or left out, for example the limit of tokens. */
    notices: Type.Array(Type.String()),
  },
  { title: 'TryStart' },
)

/** The call waits for a turn at the provider. */
export const TryWaiting = closed({ summary: Type.String() }, { title: 'TryWaiting' })

/** A piece of the text. A try has several calls of the model if tools are answered; they count from 1. */
export const TryText = closed({ call: Count, text: Type.String() }, { title: 'TryText' })

export const TryToolCall = closed(
  {
    call: Count,
    toolCall: ToolCall,
    /** The recorded answer; null if there is none. */
    answer: NullableString,
  },
  { title: 'TryToolCall' },
)

export const TryEnd = closed(
  {
    /** `cutOff`: at the limit of tokens; `toolCalls`: calls of tools have no answer; `failed`: see `error`. */
    reason: Type.Enum(['answered', 'toolCalls', 'cutOff', 'refused', 'failed'], { type: 'string' }),
    /** In plain words; null if the prompt was answered, or calls a tool. */
    error: NullableString,
    /** The same try may succeed later. */
    isTransient: Type.Boolean(),
    /** As the provider asks; null if it does not. */
    retryAfterSeconds: NullableInteger,
    /** Of the last call of the model. */
    text: Type.String(),
    /** Those that have no answer. */
    toolCalls: Type.Array(ToolCall),
    /** For `continue`, together with an answer to each of `toolCalls`; null if there is nothing to continue. */
    conversation: nullable(Type.Array(TriedMessage)),
    /** The answer against the schema of the response format; null without either of them. */
    schema: nullable(SchemaCheck),
    /** As the provider names it. */
    model: Type.String(),
    /** The sums of all calls of the model. */
    calls: Count,
    usage: TokenUsage,
    /** Null without a price. */
    costUsd: NullableNumber,
    /** `application price <id>` or `genai-prices <version>`; null without a price. */
    costBasis: NullableString,
    /** The provider did not report what was used, so the maximum is charged. */
    isCostMaximum: Type.Boolean(),
    durationMs: Count,
    /** Until the first piece of text; null without one. */
    firstTextMs: NullableInteger,
    /** Null if it could not be stored; the last of `notices` then says why. */
    traceId: NullableId,
    notices: Type.Array(Type.String()),
  },
  { title: 'TryEnd' },
)

export type TryPrompt = Static<typeof TryPromptBody>
export type RenderPrompt = Static<typeof RenderPromptBody>
export type TryStart = Static<typeof TryStart>
export type TryEnd = Static<typeof TryEnd>
export type TriedMessage = Static<typeof TriedMessage>
