import { namesIn, renderMessages, type TemplateMessage, type TextMessage, VARIABLE } from '../../prompts/template.ts'

export type Demonstration = { values: Record<string, unknown>; output: string }

/** Where the messages of the system end: what follows is what an item fills, and a demonstration is another item in its place. */
function turnOf(messages: readonly TemplateMessage[]): number {
  return messages.findIndex((message) => 'placeholder' in message || !isInstruction(message.role))
}

function isInstruction(role: string): boolean {
  return role === 'system' || role === 'developer'
}

/** False if an item would only fill messages of the system, of which there cannot be several. */
export function canDemonstrate(messages: readonly TemplateMessage[]): boolean {
  const from = turnOf(messages)
  if (from === -1) return false
  const { variables, placeholders } = namesIn(messages.slice(from))
  return variables.length + placeholders.length > 0
}

/** The messages of an item with its answer; undefined if they cannot be part of a prompt. */
export function demonstrationOf(
  messages: readonly TemplateMessage[],
  { values, output }: Demonstration,
): TextMessage[] | undefined {
  const turn = messages.slice(turnOf(messages))
  const { variables, placeholders } = namesIn(turn)
  if (output.trim() === '' || [...variables, ...placeholders].some((name) => !Object.hasOwn(values, name)))
    return undefined
  const used = Object.fromEntries([...variables, ...placeholders].map((name) => [name, values[name]]))
  const rendered = renderMessages(turn, used)
  const last = rendered.at(-1)
  // A prompt that begins the answer itself.
  const shown: TextMessage[] =
    last?.role === 'assistant'
      ? [...rendered.slice(0, -1), { ...last, content: `${last.content}${output}` }]
      : [...rendered, { role: 'assistant', content: output }]
  // A template has no escapes: such a text would become a variable of the prompt.
  return shown.some(({ content }) => content.search(VARIABLE) !== -1) ? undefined : shown
}

/** The prompt with demonstrations between its instructions and the messages that an item fills. */
export function addDemonstrations(
  messages: readonly TemplateMessage[],
  demonstrations: readonly (readonly TextMessage[])[],
): TemplateMessage[] {
  const from = turnOf(messages)
  return [...messages.slice(0, from), ...demonstrations.flat(), ...messages.slice(from)]
}
