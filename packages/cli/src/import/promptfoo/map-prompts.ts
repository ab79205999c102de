/** Prompts of a config: each is a prompt with a version. Another import after a change adds a version. */
import type { ImportRecord } from '../import-record.ts'
import { type PromptMessage, promptNameOf, readChat, readSettings, templateReason } from '../prompt-content.ts'
import { chatIn, readSourcePrompts, type SourcePrompt } from './read-prompts.ts'

const TOOL = 'promptfoo'

export async function* mapPrompts(
  prompts: unknown,
  place: { folder: string; dataset: string },
): AsyncGenerator<ImportRecord> {
  const taken = new Set<string>()
  for (const one of await readSourcePrompts(prompts, place)) yield* mapPrompt(one, taken)
}

function* mapPrompt(source: SourcePrompt, taken: Set<string>): Generator<ImportRecord> {
  const read = 'reason' in source ? source : readMessages(source.text)
  if ('reason' in read) {
    yield { kind: 'notTaken', of: 'prompts', what: source.name, reason: read.reason }
    return
  }
  const name = promptNameOf(source.name)
  if (name === undefined || taken.has(name)) {
    const reason = name === undefined ? 'its name has no letter or digit' : `another prompt has the name ${name}`
    yield { kind: 'notTaken', of: 'prompts', what: source.name, reason: `${reason}; give it a label` }
    return
  }
  taken.add(name)
  const { settings, unknown } = readSettings(source.config)
  yield { kind: 'prompt', name, ...(name !== source.name && { description: source.name }) }
  const content = { messages: read.messages, ...settings }
  yield { kind: 'promptVersion', prompt: name, number: 1, sourceName: TOOL, content }
  if (unknown.length > 0) {
    const what = `config of ${name}: ${unknown.join(', ')}`
    yield { kind: 'notTaken', of: 'other', what, reason: 'these are no settings of a model' }
  }
}

function readMessages(text: string): { messages: PromptMessage[] } | { reason: string } {
  const reason = templateReason(text)
  if (reason !== undefined) return { reason }
  const chat = chatIn(text)
  if (chat === undefined) return { messages: [{ role: 'user', content: text }] }
  return Array.isArray(chat) ? readChat(chat) : chat
}
