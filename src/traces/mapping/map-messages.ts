import type { MappedText, Message } from '../mapped-span.ts'
import type { MappableSpan } from './convention.ts'
import { parseGuarded } from './guarded-json.ts'
import { takePayload } from './map-span.ts'
import { asMessages } from './message-shapes.ts'
import { pickFields } from './pick-fields.ts'
import { SLOTS } from './rules.ts'

/** The input and the output of a span as a conversation; null when it has neither. Made of the same texts that `mapSpan` finds. */
export function mapMessages(span: MappableSpan): { input: Message[]; output: Message[] } | null {
  const picks = pickFields(span)
  const input = takePayload(picks, SLOTS.input)
  const output = takePayload(picks, SLOTS.output)
  if (input === null && output === null) return null
  // Instructions without messages, as on the span that creates an agent.
  const isInstruction = picks.rules[SLOTS.input]?.key === 'gen_ai.system_instructions'
  return {
    input: messagesOfText(input, isInstruction ? 'system' : 'user'),
    output: messagesOfText(output, 'assistant'),
  }
}

function messagesOfText(mapped: MappedText | null, role: string): Message[] {
  return mapped === null ? [] : asMessages(parseGuarded(mapped.text) ?? mapped.text, role)
}
