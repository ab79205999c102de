/** The guards of a proposed prompt: what must survive, how long it may be, and that it quotes no training item. */
import { isDeepStrictEqual } from 'node:util'
import { namesIn, type TemplateMessage } from '../../prompts/template.ts'
import type { CandidateContent } from '../iteration-queries.ts'
import type { Fate } from '../search/search.ts'
import { describedTools } from '../tools/tool-descriptions.ts'
import { copiedPhrase } from './copied-phrase.ts'

export type GuardSettings = {
  start: readonly TemplateMessage[]
  startTools: readonly Record<string, unknown>[]
  /** JSON pointers such as `/messages/1`, and texts that must stay word for word. */
  frozen: readonly string[]
  frozenTexts: readonly string[]
  /** Of a classification: those that are in the start must stay in it. */
  labels: readonly string[]
  maxPromptTokens: number
}

/** English prose has about four characters to a token. */
export const CHARACTERS_PER_TOKEN = 4
const SHOWN_LENGTH_MAX = 100

/** With the descriptions of tools. */
export function tokensOf(messages: readonly TemplateMessage[], tools: readonly Record<string, unknown>[] = []): number {
  return Math.ceil([...textsOf(messages), ...descriptionsOf(tools)].join('').length / CHARACTERS_PER_TOKEN)
}

function descriptionsOf(tools: readonly Record<string, unknown>[]): string[] {
  return describedTools(tools).map(({ description }) => description)
}

/** Undefined if the proposal passes. `items` are the texts of the training items that the reflection has read. */
export function checkProposal(
  { messages: proposed, tools = [] }: CandidateContent,
  { items, ...settings }: GuardSettings & { items: readonly string[] },
): { fate: Fate; reason: string } | undefined {
  const missing = missingPart(proposed, settings)
  if (missing !== undefined) return { fate: 'frozen', reason: missing }
  const length = tooLong({ messages: proposed, tools }, settings.maxPromptTokens)
  if (length !== undefined) return length
  const phrase = copiedPhrase([...textsOf(proposed), ...descriptionsOf(tools)], {
    items,
    start: [...textsOf(settings.start), ...descriptionsOf(settings.startTools)],
  })
  // The phrase itself is not repeated: the reason is read by those who may not know the item.
  if (phrase !== undefined)
    return { fate: 'copied', reason: 'It copies a phrase of a training item (8 words or 40 characters in a row)' }
  return undefined
}

export function tooLong(
  { messages, tools }: CandidateContent,
  maxPromptTokens: number,
): { fate: Fate; reason: string } | undefined {
  const tokens = tokensOf(messages, tools)
  if (tokens <= maxPromptTokens) return undefined
  return { fate: 'tooLong', reason: `It has about ${tokens} tokens, and at most ${maxPromptTokens} are allowed` }
}

function missingPart(
  proposed: readonly TemplateMessage[],
  { start, frozen, frozenTexts, labels }: GuardSettings,
): string | undefined {
  const [before, after] = [namesIn(start), namesIn(proposed)]
  for (const kind of ['variables', 'placeholders'] as const) {
    const [old, now] = [new Set(before[kind]), new Set(after[kind])]
    const lost = before[kind].find((name) => !now.has(name))
    if (lost !== undefined) return `It lost the ${kind === 'variables' ? 'variable' : 'placeholder'} ${lost}`
    const added = after[kind].find((name) => !old.has(name))
    if (added !== undefined)
      return `It added the ${kind === 'variables' ? 'variable' : 'placeholder'} ${added}, which has no value`
  }
  const changed = frozen.find((pointer) => !isDeepStrictEqual(at(proposed, pointer), at(start, pointer)))
  if (changed !== undefined) return `It changed ${changed}, which is frozen`
  const texts = textsOf(proposed)
  const startTexts = textsOf(start)
  const has = (all: readonly string[], part: string) => all.some((text) => text.includes(part))
  const lostText = frozenTexts.find((text) => !has(texts, text))
  if (lostText !== undefined) return `It lost the frozen text ${shown(lostText)}`
  const lostLabel = labels.find((label) => has(startTexts, label) && !has(texts, label))
  return lostLabel === undefined ? undefined : `It lost the label ${shown(lostLabel)}`
}

/** Undefined if there is nothing at the pointer. */
export function at(messages: readonly TemplateMessage[], pointer: string): unknown {
  let value: unknown = { messages }
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

export function textsOf(messages: readonly TemplateMessage[]): string[] {
  return messages.flatMap((message) => ('placeholder' in message ? [] : [message.content]))
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text)
}
