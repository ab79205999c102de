import type { MappedText, Message } from '../mapped-span.ts'
import type { MappableSpan } from './convention.ts'
import { parseGuarded } from './guarded-json.ts'
import { takePayload } from './map-span.ts'
import { asMessages } from './message-shapes.ts'
import { pickFields } from './pick-fields.ts'
import { SLOTS } from './rules.ts'

/** The input and the output of a span as a conversation; null when it has neither. Made of the same texts that `mapSpan` finds. */
export function mapMessages(span: MappableSpan): Conversation | null {
  const picks = pickFields(span)
  return messagesOfTexts(takePayload(picks, SLOTS.input), takePayload(picks, SLOTS.output))
}

export type Conversation = { input: Message[]; output: Message[] }

/** The same from texts that were found before. */
export function messagesOfTexts(input: MappedText | null, output: MappedText | null): Conversation | null {
  if (input === null && output === null) return null
  // Instructions without messages, as on the span that creates an agent.
  const isInstruction = input?.key === 'gen_ai.system_instructions'
  return {
    input: messagesOfText(input, isInstruction ? 'system' : 'user'),
    output: messagesOfText(output, 'assistant'),
  }
}

function messagesOfText(mapped: MappedText | null, role: string): Message[] {
  return mapped === null ? [] : asMessages(parseGuarded(mapped.text) ?? mapped.text, role)
}
