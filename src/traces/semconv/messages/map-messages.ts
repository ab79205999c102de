import type { MappedText, Message } from '../../storing/mapped-span.ts'
import type { MappableSpan } from '../conventions/convention.ts'
import { parseGuarded } from '../json/guarded-json.ts'
import { takePayload } from '../map-span.ts'
import { SLOTS } from '../mapping-rules.ts'
import { pickFields } from '../pick-fields.ts'
import { asMessages } from './conversation-shapes.ts'
import { messagesIn } from './read-content.ts'

/** The input and output of a span as a conversation; null if it has neither. Uses the same texts as `mapSpan`. */
export function mapMessages(span: MappableSpan): Conversation | null {
  const picks = pickFields(span)
  return messagesOfSpan(span, takePayload(picks, SLOTS.input), takePayload(picks, SLOTS.output))
}

export type Conversation = { input: Message[]; output: Message[] }

/** The same for texts that the caller has already found. */
export function messagesOfSpan(
  { attributes }: Pick<MappableSpan, 'attributes'>,
  input: MappedText | null,
  output: MappedText | null,
): Conversation | null {
  const messages = messagesOfTexts(input, output)
  const instructions = attributes.get('gen_ai.system_instructions')
  // Instructions are not an input, but they are part of the conversation.
  if (instructions === undefined || messages?.input.some(({ role }) => role === 'system')) return messages
  const sent = typeof instructions === 'string' ? (parseGuarded(instructions) ?? instructions) : instructions
  return { input: [...asMessages(sent, 'system'), ...(messages?.input ?? [])], output: messages?.output ?? [] }
}

/** The conversation of two texts, regardless of the other attributes of the span. */
export function messagesOfTexts(input: MappedText | null, output: MappedText | null): Conversation | null {
  if (input === null && output === null) return null
  const asked = messagesIn(input?.text ?? '', 'input')
  return { input: asked, output: withoutRepeated(messagesIn(output?.text ?? '', 'output'), asked) }
}

/** A graph returns all messages, starting with those of its input. */
function withoutRepeated(output: Message[], input: readonly Message[]): Message[] {
  const isRepeated =
    input.length > 0 &&
    input.length < output.length &&
    input.every((message, place) => contentKey(message) === contentKey(output[place]))
  return isRepeated ? output.slice(input.length) : output
}

function contentKey(message: Message | undefined): string {
  return message === undefined ? '' : JSON.stringify([message.role, message.parts])
}
