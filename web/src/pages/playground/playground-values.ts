/** The values that rows give to the variables and placeholders of a prompt. */
import type { DatasetItem, PromptContent } from '../../api/generated/api.ts'
import { isObject } from '../prompts/prompt-draft.ts'
import { templateNames } from '../prompts/template-text.tsx'
import type { TypedValues } from './playground-record.ts'

type Values = Record<string, unknown>
export type Names = ReturnType<typeof templateNames>

/** Of all columns, each once: a row gives its values to all of them. */
export function namesOf(contents: readonly PromptContent[]): Names {
  return templateNames(contents.flatMap(({ messages }) => messages))
}

/** What was typed for a name; also `constructor` and `__proto__` are names, which objects have without anyone having typed them. */
export function typedText(typed: TypedValues, name: string): string {
  return Object.hasOwn(typed, name) ? (typed[name] ?? '') : ''
}

/** An empty field has no value. A placeholder without messages is an empty list: a conversation has a beginning. */
export function typedValues(typed: TypedValues, { variables, placeholders }: Names): Values {
  const texts = variables.map((name) => [name, typedText(typed, name)]).filter(([, text]) => text !== '')
  const lists = placeholders.map((name) => [name, readMessages(typedText(typed, name)) ?? []])
  return Object.fromEntries([...texts, ...lists])
}

/** Undefined if the text is no list of messages. */
export function readMessages(text: string): unknown[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) && value.every(isObject) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * What an item gives, by the rules of the server: the members of a JSON object by their names; other inputs are the only variable that has
 * no value yet, and lists the only placeholder. The server reads the item itself: this is for what the page shows, and for what is missing.
 */
export function itemValues(
  { input }: Pick<DatasetItem, 'input'>,
  { variables, placeholders }: Names,
  typed: TypedValues,
): Values {
  const value = readInput(input)
  const isOpen = (name: string) => typedText(typed, name) === ''
  const names = [...variables, ...placeholders].filter(isOpen)
  if (isObject(value)) {
    return Object.fromEntries(names.filter((name) => Object.hasOwn(value, name)).map((name) => [name, value[name]]))
  }
  const [only, ...others] = Array.isArray(value) ? placeholders.filter(isOpen) : variables.filter(isOpen)
  return only === undefined || others.length > 0 ? {} : { [only]: value ?? '' }
}

/** What is sent next to an item: only what it does not have. */
export function valuesBesideItem(item: Pick<DatasetItem, 'input'>, names: Names, typed: TypedValues): Values {
  const own = itemValues(item, names, typed)
  return Object.fromEntries(Object.entries(typedValues(typed, names)).filter(([name]) => !Object.hasOwn(own, name)))
}

/** Neither values with names nor a list of messages. */
export function isText({ input }: Pick<DatasetItem, 'input'>): boolean {
  return typeof readInput(input) === 'string'
}

function readInput(input: string | null): unknown {
  if (input === null || !/^\s*[{[]/.test(input)) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** The names that a prompt needs and that have no value. */
export function missingNames({ messages }: PromptContent, values: Values): string[] {
  return templateNames(messages).variables.filter((name) => !Object.hasOwn(values, name))
}

/** What a row is about: the last variable of the prompt, which is usually the question, or else the whole input. */
export function questionOf(values: Values, { variables }: Names, input: string | null): string {
  const name = variables.findLast((variable) => Object.hasOwn(values, variable))
  const value = name === undefined ? input : values[name]
  return typeof value === 'string' ? value : JSON.stringify(value ?? '')
}

/**
 * Numbers from 1 to `total`, each once. The same seed chooses the same ones, also if more are asked for later.
 */
export function chooseBySeed(total: number, count: number, seed: number): number[] {
  const random = randomNumbers(seed)
  const chosen = new Set<number>()
  while (chosen.size < Math.min(count, total)) chosen.add(1 + Math.floor(random() * total))
  return [...chosen]
}

/** Mulberry32: numbers from 0 to 1, the same for a seed in every browser. */
function randomNumbers(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
