import type { AttributeValue, ReceivedEvent } from '../../storing/received-span.ts'
import { asJsonObject, type JsonObject, parseGuarded, stringifyGuarded } from '../json/guarded-json.ts'
import type { Assembly, Convention } from './convention.ts'

/** LiteLLM names the called function, with the prefix `a` for asynchronous calls. */
export const LITELLM_CALLS = {
  acompletion: 'llm',
  text_completion: 'llm',
  atext_completion: 'llm',
  responses: 'llm',
  aresponses: 'llm',
  aembedding: 'embedding',
  arerank: 'reranker',
} as const

/** The GenAI convention up to version 1.36, which most instrumentations still follow: messages are events of the span. */
export const genAiOld: Convention = {
  name: 'GenAI before 1.37',
  kinds: { 'gen_ai.operation.name': { completion: 'llm', generate: 'llm', ...LITELLM_CALLS } },
  impliedKinds: { 'gen_ai.tool.name': 'tool', 'gen_ai.tool.call.id': 'tool' },
  fields: {
    input: [
      ofToolCall('gen_ai.tool.message', 'content'),
      messagesOfEvents({
        'gen_ai.system.message': 'system',
        'gen_ai.user.message': 'user',
        'gen_ai.assistant.message': 'assistant',
        'gen_ai.tool.message': 'tool',
      }),
      contentOfEvents('gen_ai.content.prompt', 'gen_ai.prompt'),
      'gen_ai.prompt',
    ],
    output: [
      ofToolCall('gen_ai.choice', 'message'),
      messagesOfEvents({ 'gen_ai.choice': 'assistant' }),
      contentOfEvents('gen_ai.content.completion', 'gen_ai.completion'),
      'gen_ai.completion',
    ],
    provider: ['gen_ai.system'],
    inputTokens: ['gen_ai.usage.prompt_tokens'],
    outputTokens: ['gen_ai.usage.completion_tokens'],
  },
  parameters: { prefixes: ['gen_ai.openai.request.'] },
}

/** Attributes of the span that are repeated on every event, and the position in the source code that sent it. */
const ABOUT_THE_CALL = /^(?:gen_ai\.(?:system|provider\.name)$|event\.name$|code\.)/
/** Some senders put all fields of an event into one attribute, or into a log record whose body is text. */
const BODIES = ['gen_ai.event.content', 'body']

/** Strands sends the arguments and the result of a tool as messages. */
function ofToolCall(eventName: string, key: string): Assembly {
  return {
    events: [eventName],
    uses: (candidate) => candidate === key,
    assemble: ({ attributes, events }) => {
      if (attributes.get('gen_ai.operation.name') !== 'execute_tool') return null
      const value = events.findLast(({ name }) => name === eventName)?.attributes.get(key)
      return typeof value === 'string' && value !== '' ? { text: value, key: null } : null
    },
  }
}

/** One message per event, in chronological order. The name of the event defines the role. */
function messagesOfEvents(roles: Readonly<Record<string, string>>): Assembly {
  const roleByEvent = new Map(Object.entries(roles))
  return {
    events: [...roleByEvent.keys()],
    uses: (key) => !ABOUT_THE_CALL.test(key),
    assemble: ({ events }) => {
      const messages = events.flatMap((event) => {
        const role = roleByEvent.get(event.name)
        return role === undefined ? [] : [messageOfEvent(event, role)]
      })
      const text = messages.length > 0 ? stringifyGuarded(messages) : undefined
      return text === undefined ? null : { text, key: null }
    },
  }
}

function messageOfEvent({ attributes }: ReceivedEvent, role: string): JsonObject {
  const message: JsonObject = Object.create(null)
  message.role = role
  for (const [key, value] of attributes) {
    if (ABOUT_THE_CALL.test(key)) continue
    if (BODIES.includes(key)) addBody(message, value)
    else if (key === 'message') addMessage(message, value)
    else message[key] = parsed(key, value)
  }
  return message
}

/** A body that is not JSON is the content. */
function addBody(message: JsonObject, body: AttributeValue): void {
  const { message: inner, ...fields } = asJsonObject(body) ?? { content: body }
  for (const [name, field] of Object.entries(fields)) message[name] = field
  if (inner !== undefined) addMessage(message, inner)
}

/** A choice contains the message and the finish reason. */
function addMessage(message: JsonObject, inner: unknown): void {
  const fields = asJsonObject(inner)
  if (fields === undefined) message.content = inner
  else for (const [name, field] of Object.entries(fields)) message[name] = field
}

function parsed(key: string, value: AttributeValue): unknown {
  // Message content stays unchanged, even if it is JSON.
  return typeof value === 'string' && key !== 'content' ? (parseGuarded(value) ?? value) : value
}

/** The whole conversation in one attribute of one event. */
function contentOfEvents(eventName: string, key: string): Assembly {
  return {
    events: [eventName],
    uses: (candidate) => candidate === key,
    assemble: ({ events }) => {
      const contents = events.flatMap(({ name, attributes }) => {
        const content = name === eventName ? attributes.get(key) : undefined
        return content === undefined || content === null || content === '' ? [] : [content]
      })
      const [only] = contents
      if (only === undefined) return null
      if (contents.length === 1 && typeof only === 'string') return { text: only, key: null }
      const text = stringifyGuarded(contents.length === 1 ? only : contents.map((content) => parsed('', content)))
      return text === undefined ? null : { text, key: null }
    },
  }
}
