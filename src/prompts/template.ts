/**
 * The templates of prompts: `{{name}}` in texts, and placeholders, which stand for whole messages. There is nothing else: no conditions,
 * no escapes, no includes; other braces are text. The vectors in `test/prompts/vectors.json` define it for every client.
 */
import { badRequest } from '../base/errors.ts'

export type TextMessage = { role: string; content: string }
export type TemplateMessage = TextMessage | { placeholder: string }

/** Of variables and placeholders. */
export const NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$'

/** For `matchAll` and `replace`, which keep no position in it. */
export const VARIABLE = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g

/** Each name once, in the order of their first use. */
export function namesIn(messages: readonly TemplateMessage[]): { variables: string[]; placeholders: string[] } {
  const variables = new Set<string>()
  const placeholders = new Set<string>()
  for (const message of messages) {
    if ('placeholder' in message) placeholders.add(message.placeholder)
    else for (const [, name = ''] of message.content.matchAll(VARIABLE)) variables.add(name)
  }
  return { variables: [...variables], placeholders: [...placeholders] }
}

/**
 * Replaces variables with texts, and placeholders with lists of messages. Values are inserted as they are: a variable in a value is text.
 * Texts that the prompt does not use are ignored, because another version of it may use them; messages for an unknown placeholder are not,
 * because a conversation would be lost.
 */
export function renderMessages(
  messages: readonly TemplateMessage[],
  values: Readonly<Record<string, unknown>>,
): TextMessage[] {
  const { variables, placeholders } = namesIn(messages)
  rejectMissing(variables, placeholders, values)
  for (const name of variables)
    if (typeof values[name] !== 'string') throw badRequest(`The variable ${name} must be a string`)
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value) && !placeholders.includes(name)) throw unknownPlaceholder(name, placeholders)
  return messages.flatMap((message) => {
    if ('placeholder' in message) return messagesOf(message.placeholder, values[message.placeholder])
    return { ...message, content: message.content.replace(VARIABLE, (_, name: string) => String(values[name])) }
  })
}

function rejectMissing(
  variables: readonly string[],
  placeholders: readonly string[],
  values: Readonly<Record<string, unknown>>,
): void {
  const missing = [...variables, ...placeholders].filter((name) => !Object.hasOwn(values, name))
  if (missing.length > 0) throw badRequest(`These variables of the prompt have no value: ${missing.join(', ')}`)
}

function unknownPlaceholder(name: string, known: readonly string[]) {
  const rest = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`
  return badRequest(`The prompt has no placeholder ${name}; ${rest}`)
}

function messagesOf(name: string, value: unknown): TextMessage[] {
  if (Array.isArray(value) && value.every(isTextMessage)) return value
  throw badRequest(`The placeholder ${name} must be a list of messages with role and content`)
}

function isTextMessage(value: unknown): value is TextMessage {
  const { role, content }: Record<string, unknown> = Object(value)
  return typeof role === 'string' && typeof content === 'string'
}
