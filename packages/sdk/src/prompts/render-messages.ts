import { TouchstoneError } from '../sdk-errors.ts'

export interface TextMessage {
  role: string
  content: string
}

export type TemplateMessage = TextMessage | { placeholder: string }

const VARIABLE = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g

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
  const missing = [...variables, ...placeholders].filter((name) => !Object.hasOwn(values, name))
  if (missing.length > 0)
    throw new TouchstoneError(`These variables of the prompt have no value: ${missing.join(', ')}.`)
  for (const name of variables)
    if (typeof values[name] !== 'string') throw new TouchstoneError(`The variable ${name} must be a string.`)
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value) && !placeholders.has(name)) throw unknownPlaceholder(name, placeholders)
  return messages.flatMap((message) => {
    if ('placeholder' in message) return messagesOf(message.placeholder, values[message.placeholder])
    return { ...message, content: message.content.replace(VARIABLE, (_, name: string) => String(values[name])) }
  })
}

function namesIn(messages: readonly TemplateMessage[]) {
  const variables = new Set<string>()
  const placeholders = new Set<string>()
  for (const message of messages) {
    if ('placeholder' in message) placeholders.add(message.placeholder)
    else for (const [, name = ''] of message.content.matchAll(VARIABLE)) variables.add(name)
  }
  return { variables, placeholders }
}

function unknownPlaceholder(name: string, known: ReadonlySet<string>): TouchstoneError {
  const rest = known.size === 0 ? 'it has none' : `it has ${[...known].join(', ')}`
  return new TouchstoneError(`The prompt has no placeholder ${name}; ${rest}.`)
}

function messagesOf(name: string, value: unknown): TextMessage[] {
  if (Array.isArray(value) && value.every(isTextMessage)) return value
  throw new TouchstoneError(`The placeholder ${name} must be a list of messages with role and content.`)
}

function isTextMessage(value: unknown): value is TextMessage {
  const { role, content }: Record<string, unknown> = Object(value)
  return typeof role === 'string' && typeof content === 'string'
}
