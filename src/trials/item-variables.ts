/** The values that the items of a trial give to the variables of prompts. */
import { badRequest } from '../base/errors.ts'
import { itemValues, readInput, textOf } from '../playground/item-values.ts'
import { namesIn, type TemplateMessage } from '../prompts/template.ts'

/** A path such as `input.customer.name`, or a value that is the same for all items. */
export type Variables = Record<string, string | { value: unknown }>

export type ItemContent = { input: string | null; metadata: string | null }

const PATH = /^(input|metadata)(\.[^.]+)*$/

/** Throws 400 if a name is used by no prompt, or a path has an invalid format. */
export function checkVariables(variables: Variables, known: ReadonlySet<string>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!known.has(name)) {
      const rest = known.size === 0 ? 'no variant has a prompt with variables' : `they have ${[...known].join(', ')}`
      throw badRequest(`The field variables.${name.slice(0, 100)} is used by no prompt of the trial; ${rest}`)
    }
    if (typeof value === 'string' && !PATH.test(value))
      throw badRequest(
        `The field variables.${name} must be a path that begins with input or metadata, such as input.question, or {"value": …}`,
      )
  }
}

/** The values of an item by name. Those that it does not have are absent. */
export function valuesOf(
  { input, metadata }: ItemContent,
  messages: readonly TemplateMessage[],
  variables: Variables,
): Record<string, unknown> {
  const names = namesIn(messages)
  const read = readOnce({ input, metadata })
  const texts = new Set(names.variables)
  // A map: an assignment to `__proto__`, which is a name like any other, would add nothing to an object.
  const found = new Map<string, unknown>()
  for (const name of [...names.variables, ...names.placeholders]) {
    const mapped = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (mapped === undefined) continue
    // Mapped, so that the input does not give it either.
    found.set(name, read(mapped, texts.has(name) ? 'text' : 'value') ?? undefined)
  }
  const given = Object.fromEntries(found)
  const all = { ...itemValues(input, messages, given), ...given }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** Parses the item once, and writes each part of it as text once: thousands of variables may be mapped to the same large one. */
function readOnce({ input, metadata }: ItemContent) {
  let item: Record<string, unknown> | undefined
  const texts = new Map<string, unknown>()
  return (mapped: string | { value: unknown }, as: 'text' | 'value'): unknown => {
    const isPath = typeof mapped === 'string'
    if (isPath && as === 'text' && texts.has(mapped)) return texts.get(mapped)
    if (isPath) item ??= { input: readInput(input), metadata: readInput(metadata) }
    const value = isPath ? valueAt(item ?? {}, mapped) : mapped.value
    if (as === 'value' || value === undefined || value === null) return value
    const text = textOf(value)
    if (isPath) texts.set(mapped, text)
    return text
  }
}

function valueAt(item: Record<string, unknown>, path: string): unknown {
  let value: unknown = item
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/** The names without a value, in the order of the prompt. */
export function missingNames(messages: readonly TemplateMessage[], values: Record<string, unknown>): string[] {
  const { variables, placeholders } = namesIn(messages)
  return [...variables, ...placeholders].filter((name) => !Object.hasOwn(values, name))
}
