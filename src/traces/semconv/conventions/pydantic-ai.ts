import type { MappedText } from '../../storing/mapped-span.ts'
import type { Attributes } from '../../storing/received-span.ts'
import { asJsonList, asJsonObject, isJsonObject, type JsonObject, stringifyGuarded } from '../json/guarded-json.ts'
import type { Assembly, Convention, Source } from './convention.ts'

/** The whole conversation of an agent, including its answer. The newest name comes first. */
const conversationKeys = ['pydantic_ai.all_messages', 'all_messages', 'all_messages_events']

/** The attributes that are specific to Pydantic AI and Logfire. */
export const pydanticAi: Convention = {
  name: 'Pydantic AI',
  fields: {
    messageName: ['logfire.msg'],
    input: [
      { keys: conversationKeys, assemble: ({ attributes }) => splitConversation(attributes)?.before ?? null },
      'tool_arguments',
      ofEvents((message) => message.role !== 'assistant' || message['event.name'] === 'gen_ai.assistant.message'),
      withAny('request_data', 'messages', 'prompt', 'input'),
    ],
    output: [
      'final_result',
      { keys: conversationKeys, assemble: ({ attributes }) => splitConversation(attributes)?.answer ?? null },
      'tool_response',
      ofEvents((message) => message['event.name'] === 'gen_ai.choice'),
      withAny('response_data', 'message', 'combined_chunk_content', 'choices'),
    ],
    tags: ['logfire.tags'],
  },
}

/** The last model message is the output, and all messages before it are the input. */
function splitConversation(
  attributes: Attributes,
): { before: MappedText | null; answer: MappedText | null } | undefined {
  const key = conversationKeys.find((candidate) => attributes.has(candidate))
  const messages = key === undefined ? undefined : asJsonList(attributes.get(key))
  if (messages === undefined || messages.length === 0) return undefined
  const last = messages.at(-1)
  const isAnswered = isJsonObject(last) && last.role === 'assistant'
  return { before: textOf(isAnswered ? messages.slice(0, -1) : messages), answer: isAnswered ? textOf([last]) : null }
}

/** The first versions put the events of the old convention into one attribute. */
function ofEvents(isWanted: (event: JsonObject) => boolean): Assembly {
  return {
    keys: ['events'],
    assemble: ({ attributes }) => {
      const events = asJsonList(attributes.get('events'))?.filter(isJsonObject) ?? []
      if (!events.some((event) => typeof event['event.name'] === 'string')) return null
      return textOf(events.filter(isWanted).map(messageOf))
    },
  }
}

function messageOf(event: JsonObject): JsonObject {
  const { 'event.name': _name, 'gen_ai.system': _system, 'gen_ai.message.index': _index, message, ...fields } = event
  return { ...fields, ...(isJsonObject(message) ? message : {}) }
}

/** Logfire's record of a request or a response, if it has more than settings. */
function withAny(key: string, ...names: string[]): Source {
  return {
    key,
    isWhole: true,
    read: (value) => {
      const object = asJsonObject(value)
      return object && names.some((name) => object[name] !== undefined && object[name] !== null) ? value : undefined
    },
  }
}

function textOf(messages: readonly unknown[]): MappedText | null {
  const text = messages.length === 0 ? undefined : stringifyGuarded(messages)
  return text === undefined ? null : { text, key: null }
}
