import { namesIn, type TemplateMessage } from '../prompts/template.ts'

type Values = Record<string, unknown>

/**
 * The values that the input of an item gives to a prompt, without those that are given already. The members of a JSON object are values by
 * their names. Other inputs are the value of the only variable that has none, and a list of messages that of the only placeholder.
 */
export function itemValues(input: string | null, messages: readonly TemplateMessage[], given: Values): Values {
  const { variables, placeholders } = namesIn(messages)
  const isOpen = (name: string) => !Object.hasOwn(given, name)
  const [openVariables, openPlaceholders] = [variables.filter(isOpen), placeholders.filter(isOpen)]
  const value = readInput(input)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members: Values = { ...value }
    const isMember = (name: string) => Object.hasOwn(members, name)
    return Object.fromEntries([
      ...openVariables.filter(isMember).map((name) => [name, textOf(members[name])] as const),
      ...openPlaceholders.filter(isMember).map((name) => [name, members[name]] as const),
    ])
  }
  const names = Array.isArray(value) ? openPlaceholders : openVariables
  const [only] = names
  if (only === undefined || names.length > 1) return {}
  return { [only]: Array.isArray(value) ? value : (input ?? '') }
}

/** A variable is text; what is not becomes JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** JSON objects and lists as values, everything else as text. */
export function readInput(input: string | null): unknown {
  if (input === null || !/^\s*[{[]/.test(input)) return input
  try {
    return JSON.parse(input)
  } catch {
    // Text that only begins like JSON.
    return input
  }
}
