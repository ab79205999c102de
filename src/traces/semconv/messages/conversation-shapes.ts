/** A conversation in any of the formats that providers and frameworks use: lists of messages, request bodies and response bodies. */
import type { Message } from '../../storing/mapped-span.ts'
import { isJsonObject, type JsonObject } from '../json/guarded-json.ts'
import { type JsonCursor, readFrom } from '../json/json-cursor.ts'
import { asPart, asPartList } from './message-parts.ts'
import { asMessage, isMessage } from './message-shapes.ts'

/** Converts any value to messages. A value that is not a message becomes a part of one, with the given role. */
export function asMessages(value: unknown, role: string): Message[] {
  if (value === '' || value === null) return []
  const messages = conversationOf(value, role)
  if (messages !== undefined) return messages
  if (Array.isArray(value)) return value.length === 0 ? [] : [{ role, parts: asPartList(value) }]
  return [{ role, parts: [asPart(value)] }]
}

/** The messages of a recognized conversation; undefined for any other value. `role` is the role of messages without one. */
export function conversationOf(value: unknown, role: string): Message[] | undefined {
  const message = asMessage(value)
  if (message !== undefined) return [message]
  if (Array.isArray(value)) return hasMessage(value) ? messagesOfList(value, role) : undefined
  return isJsonObject(value) ? conversationOfObject(value, role) : undefined
}

function messagesOfList(list: readonly unknown[], role: string): Message[] {
  const messages: Message[] = []
  for (const entry of list) for (const message of asMessages(entry, role)) messages.push(message)
  return messages
}

/** Also checks nested lists: LangChain sends a list of conversations. */
function hasMessage(list: readonly unknown[]): boolean {
  return list.some(
    (entry) => isMessage(entry) || (Array.isArray(entry) ? hasMessage(entry) : isJsonObject(entry) && isUpdate(entry)),
  )
}

function conversationOfObject(value: JsonObject, role: string): Message[] | undefined {
  for (const read of READERS) {
    const messages = read(value, role)
    if (messages !== undefined) return messages
  }
  return undefined
}

const READERS = [ofRequest, ofChoices, ofGenerations, ofCandidates, ofResponse, ofUpdate, ofNestedMessage]

/** A request body: messages and the fields next to them. */
function ofRequest(value: JsonObject, role: string): Message[] | undefined {
  const cursor = readFrom(value)
  const messages = cursor.any('messages', 'contents', ...(role === 'user' ? HISTORIES : [])) ?? []
  const prompt = cursor.any('prompt') ?? ''
  if (!Array.isArray(messages)) return undefined
  const asked = messages.length === 0 && prompt === '' ? askedOfResponses(value, cursor) : ''
  // A history ends before the question.
  const askedLast = HISTORIES.some((name) => value[name] === messages) ? cursor.text(...ASKED_LAST) : undefined
  const isEmpty = messages.length === 0 && (typeof prompt !== 'string' || prompt === '') && asked === ''
  if (isEmpty) return undefined
  const system = cursor.any('system', 'instructions', 'systemInstruction', 'system_instruction') ?? ''
  const said = [
    ...asMessages(system, 'system'),
    ...asMessages(prompt, 'user'),
    ...asMessages(asked, 'user'),
    ...messagesOfList(messages, role),
    ...asMessages(askedLast ?? '', 'user'),
  ]
  return withExtra(said, cursor)
}

const HISTORIES = ['chat_history', 'history', 'message_history']
const ASKED_LAST = ['input', 'question', 'query', 'message', 'user_input', 'human_input']

/** `{"model": …, "instructions": …, "input": …}`, a request of OpenAI's Responses API. `input` alone may be any value. */
function askedOfResponses(value: JsonObject, cursor: JsonCursor): unknown {
  const isRequest = typeof value.model === 'string' || typeof value.instructions === 'string'
  return isRequest && (typeof value.input === 'string' || Array.isArray(value.input)) ? cursor.any('input') : ''
}

/** A response body of OpenAI and compatible providers. */
function ofChoices(value: JsonObject): Message[] | undefined {
  const { choices } = value
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isJsonObject)) return undefined
  const messages = choices.flatMap((choice) => {
    const choiceCursor = readFrom(choice)
    return withExtra(asMessages(choiceCursor.any('message', 'delta', 'text') ?? '', 'assistant'), choiceCursor)
  })
  return withExtra(messages, readFrom(value, ['choices']))
}

/** The model results of LangChain: a list per prompt, each with its alternatives. */
function ofGenerations({ generations }: JsonObject): Message[] | undefined {
  if (!Array.isArray(generations) || generations.length === 0) return undefined
  const entries = generations.flat().filter(isJsonObject)
  if (entries.length === 0) return undefined
  return entries.flatMap((entry) =>
    asMessages(asMessage(entry.message) ? entry.message : (entry.text ?? ''), 'assistant'),
  )
}

/** A response body of Gemini. */
function ofCandidates(value: JsonObject): Message[] | undefined {
  const { candidates } = value
  if (!Array.isArray(candidates) || candidates.length === 0 || !candidates.every(isJsonObject)) return undefined
  const messages = candidates.flatMap((candidate) => {
    const candidateCursor = readFrom(candidate)
    return withExtra(asMessages(candidateCursor.any('content') ?? '', 'assistant'), candidateCursor)
  })
  return withExtra(messages, readFrom(value, ['candidates']))
}

/** A response body of OpenAI's Responses API, or of Bedrock, which has one message in that field. */
function ofResponse(value: JsonObject): Message[] | undefined {
  const { output } = value
  const isOutput = Array.isArray(output) ? hasMessage(output) : isJsonObject(output) && isMessage(output.message)
  return isOutput ? withExtra(asMessages(output, 'assistant'), readFrom(value, ['output'])) : undefined
}

/** The changes of a LangGraph node: `{"update": {"messages": […]}, "goto": …}`. */
function ofUpdate(value: JsonObject, role: string): Message[] | undefined {
  return isUpdate(value) ? withExtra(asMessages(value.update, role), readFrom(value, ['update'])) : undefined
}

function isUpdate({ update }: JsonObject): boolean {
  return isJsonObject(update) && Array.isArray(update.messages) && update.messages.length > 0
}

/**
 * A message next to other fields: `message` and `response` of LlamaIndex and Logfire, `new_message` and `content` of Google's agents,
 * `chat_message` of AutoGen.
 */
const NESTED_MESSAGES = ['message', 'response', 'new_message', 'content', 'chat_message']

function ofNestedMessage(value: JsonObject): Message[] | undefined {
  const name = NESTED_MESSAGES.find((candidate) => isMessage(value[candidate]))
  if (name === undefined) return undefined
  const message = asMessage(value[name])
  return message && withExtra([message], readFrom(value, [name]))
}

/** Adds the remaining fields to the first message, or as a separate message before it if the names conflict. */
function withExtra(messages: Message[], cursor: JsonCursor): Message[] {
  const { extra } = cursor.rest()
  if (extra === undefined) return messages
  const [first, ...others] = messages
  const extraMessage: Message = { role: 'assistant', parts: [{ type: 'json', value: extra }] }
  if (first === undefined) return [extraMessage]
  if (Object.keys(extra).some((name) => Object.hasOwn(first.extra ?? {}, name))) return [extraMessage, ...messages]
  return [{ ...first, extra: { ...extra, ...first.extra } }, ...others]
}
