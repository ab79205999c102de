import { AppError, badRequest } from '../../base/errors.ts'
import { namesIn, renderMessages, type TemplateMessage, type TextMessage, VARIABLE } from '../template.ts'

/** More than the largest context of a model has. A variable of a megabyte could be used ten thousand times. */
const RENDERED_BYTES_MAX = 4_194_304

export type Values = Readonly<Record<string, unknown>>

/** `unused` are the names of values that the prompt does not use. Throws 400 or 413 if the values do not fit the prompt. */
export function renderPrompt(
  messages: readonly TemplateMessage[],
  values: Values,
): { messages: TextMessage[]; unused: string[] } {
  const { variables, placeholders } = namesIn(messages)
  const names = new Set([...variables, ...placeholders])
  const missing = [...names].filter((name) => !Object.hasOwn(values, name))
  if (missing.length > 0) {
    throw badRequest(
      `These variables of the prompt have no value: ${missing.join(', ')}; pass them in "variables", or choose an item whose input has them`,
    )
  }
  rejectTooLarge(messages, values)
  const rendered = renderMessages(messages, values)
  if (rendered.length === 0) {
    throw badRequest(
      `The prompt has no messages with these values, because its placeholders are empty: ${placeholders.join(', ')}; pass at least one message`,
    )
  }
  return { messages: rendered, unused: Object.keys(values).filter((name) => !names.has(name)) }
}

/** Before anything is rendered, so that the size is never reached in memory. */
function rejectTooLarge(messages: readonly TemplateMessage[], values: Values): void {
  const sizes = new Map<string, number>()
  /** By value: thousands of variables may have the same large one. */
  const known = new Map<unknown, number>()
  const sizeOf = (name: string) => {
    const value = values[name]
    const size = known.get(value) ?? bytesOf(value)
    known.set(value, size)
    sizes.set(name, size)
    return size
  }
  let bytes = 0
  for (const message of messages) {
    if ('placeholder' in message) bytes += sizeOf(message.placeholder)
    else {
      bytes += Buffer.byteLength(message.content)
      for (const [, name = ''] of message.content.matchAll(VARIABLE)) bytes += sizeOf(name)
    }
  }
  if (bytes <= RENDERED_BYTES_MAX) return
  const [largest] = [...sizes].sort(([, a], [, b]) => b - a)
  throw new AppError(
    413,
    `The messages have ${bytes} bytes with these values, and a call of a model at most ${RENDERED_BYTES_MAX}; shorten ${largest?.[0] ?? 'the prompt'}, which is the largest value`,
  )
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
