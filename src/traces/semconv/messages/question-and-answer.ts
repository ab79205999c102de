/**
 * Extracts the question and the answer, as a person would read them, from the text of an input or output. A trace shows this content,
 * items are matched by it, and evaluators compare it.
 */
import { storableText } from '../../../base/text.ts'
import type { Message, MessagePart } from '../../storing/mapped-span.ts'
import { isJsonObject } from '../json/guarded-json.ts'
import { messagesIn, readContent } from './read-content.ts'

/**
 * `none`: no content, such as instructions without a question. `unreadable`: only Python representations of objects, used if no other
 * span has content. `value` is the text, or the value parsed from it. A text becomes the input of items, so it must be storable, and JSON
 * may contain what is not. `asked` has all user messages of a conversation with several; which of them is the question depends on the
 * first model call.
 */
export type Said = { text: string; value: unknown; asked?: readonly string[] } | 'none' | 'unreadable'

export function questionIn(text: string, kind?: string): Said {
  const content = readContent(text, 'input')
  if (content.form !== 'messages') return saidIn(content)
  if (kind === 'embedding') return said(textsToEmbed(content.messages))
  const question = said(lastQuestion(content.messages))
  if (kind === 'llm' || typeof question === 'string') return question
  const asked = content.messages.filter(isQuestion)
  if (asked.length < 2) return question
  return { ...question, asked: asked.map((message) => storableText(messageText(message) ?? '')) }
}

/** Instrumentations send the texts to embed as messages, or as parts of one. */
function textsToEmbed(messages: readonly Message[]): string | null {
  const texts = messages.flatMap(({ parts }) => parts.flatMap(partTexts))
  return texts.length > 1 ? JSON.stringify(texts) : lastQuestion(messages)
}

/**
 * The conversation up to the question, as JSON of `{role, content}`, if it has more than one user message; null otherwise, because the
 * question is then complete.
 */
export function earlierTurnsIn(text: string): string | null {
  const content = readContent(text, 'input')
  if (content.form !== 'messages' || content.messages.filter(isQuestion).length < 2) return null
  const turns = content.messages.flatMap((message) => {
    const said = messageText(message) ?? toolResultText(message)
    return said === null ? [] : [{ role: message.role, content: said }]
  })
  return JSON.stringify(turns)
}

export function answerIn(text: string, kind?: string): Said {
  const content = readContent(text, 'output')
  if (content.form === 'messages') return said(lastAnswer(content.messages))
  const vectors = content.form === 'text' ? vectorsIn(content.value, kind === 'embedding') : []
  return vectors.length > 0 ? said(vectorsText(vectors)) : saidIn(content)
}

/** A shorter list of numbers may be the answer of something else than an embedding. */
const DIMENSIONS_MIN = 32

/** The embeddings in a response of any form: a vector, a list of vectors, or fields with that name. */
function vectorsIn(value: unknown, isEmbedding: boolean): readonly unknown[][] {
  if (Array.isArray(value)) {
    if (isVector(value)) return isEmbedding || value.length >= DIMENSIONS_MIN ? [value] : []
    const isTable = value.every(isVector) && value.flat().some((entry) => !Number.isInteger(entry))
    return value.flatMap((entry) => vectorsIn(entry, isEmbedding || isTable))
  }
  if (!isJsonObject(value)) return []
  return Object.keys(value)
    .filter((name) => typeof value[name] === 'object')
    .flatMap((name) => vectorsIn(value[name], isEmbedding || /^embeddings?$/.test(name)))
}

function isVector(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1 && value.every((entry) => typeof entry === 'number')
}

function vectorsText(vectors: readonly unknown[][]): string {
  const count = vectors.length === 1 ? '1 vector' : `${vectors.length} vectors`
  return `[${count} of ${vectors[0]?.length} numbers]`
}

function saidIn(content: Exclude<ReturnType<typeof readContent>, { form: 'messages' }>): Said {
  if (content.form === 'text') {
    const { text, value } = content
    return { text: storableText(text), value: typeof value === 'string' ? storableText(value) : value }
  }
  return content.form === 'objects' ? 'unreadable' : 'none'
}

function said(text: string | null): Said {
  if (text === null) return 'none'
  const stored = storableText(text)
  return { text: stored, value: stored }
}

const INSTRUCTIONS = ['system', 'developer']

/** The last user message of a conversation, or else the last message that is not an instruction. */
function lastQuestion(messages: readonly Message[]): string | null {
  const asked = messages.findLast(isQuestion)
  if (asked !== undefined) return messageText(asked)
  const other = messages.findLast(({ role, parts }) => !INSTRUCTIONS.includes(role) && parts.length > 0)
  return other === undefined ? null : (messageText(other) ?? toolResultText(other))
}

function isQuestion(message: Message): boolean {
  return message.role === 'user' && isSpoken(message)
}

/** The last user message of a model call: later calls may have the prompts of retries, and earlier messages are earlier turns. */
export function questionOfCall(text: string): string | null {
  return storable(lastQuestion(messagesIn(text, 'input')))
}

export function lastAnswerIn(text: string): string | null {
  return storable(lastAnswer(messagesIn(text, 'output')))
}

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text)
}

function lastAnswer(messages: readonly Message[]): string | null {
  const answered = messages.findLast((message) => message.role === 'assistant' && messageText(message) !== null)
  if (answered !== undefined) return messageText(answered)
  const last = messages.at(-1)
  const isRepeated = last === undefined || last.role === 'user' || INSTRUCTIONS.includes(last.role)
  return isRepeated ? null : (messageText(last) ?? toolResultText(last))
}

/** The readable text of a message; null if it has none. For a message with only tool calls, the calls, one per line. */
function messageText({ parts }: Message): string | null {
  const said = parts.flatMap(partTexts).join('\n').trim()
  if (said !== '') return said
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [callText(part)] : []))
  return calls.length > 0 ? calls.join('\n') : null
}

/** Whether the message has its own text, and not only a tool result. */
function isSpoken({ parts }: Message): boolean {
  return parts.some((part) => partTexts(part).some((text) => text.trim() !== ''))
}

/** The tool result in a message; null if it has none. */
function toolResultText({ parts }: Message): string | null {
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [jsonText(part.result)] : []))
  return results.length > 0 ? results.join('\n') : null
}

function partTexts(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text]
  if (part.type === 'media') return [mediaText(part)]
  return part.type === 'json' ? [jsonText(part.value)] : []
}

function callText({ name, arguments: given }: MessagePart & { type: 'tool_call' }): string {
  return `${name}(${given === null ? '' : jsonText(given)})`
}

function mediaText({ mediaType, url, extra }: MessagePart & { type: 'media' }): string {
  const kind = mediaType?.split('/')[0]
  if (kind === 'image' || kind === 'audio' || kind === 'video') return `[${kind}]`
  const named = FILE_NAMES.map((name) => extra?.[name]).find((value) => typeof value === 'string' && value !== '')
  const name = named ?? FILE_OF_URL.exec(url ?? '')?.[1]
  return name === undefined ? '[file]' : `[file ${name}]`
}

const FILE_NAMES = ['filename', 'file_name', 'name', 'title', 'file_id']
const FILE_OF_URL = /^(?!data:)[^?#]*\/([^/?#]+\.\w+)(?:[?#]|$)/i

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
