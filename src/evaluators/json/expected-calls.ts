import type { WorkBudget } from '../work-budget.ts'
import { looksLikeJson, readJson } from './json-text.ts'

/** `arguments` is undefined if any arguments are accepted. */
export type ExpectedCall = { name: string; arguments: unknown }

/**
 * Reads the expected calls from the expected value of an item: a list of names or of calls, directly or as `toolCalls`
 * or `tool_calls` of an object. A call has `name` and `arguments`, directly or below `function` as in the OpenAI API.
 * Returns undefined for anything else.
 */
export function readExpectedCalls(expected: string, budget: WorkBudget): ExpectedCall[] | undefined {
  const json = readJson(expected, budget)
  if ('problem' in json) return undefined
  const { value } = json
  const list = Array.isArray(value) ? value : fieldOf(value, ['toolCalls', 'tool_calls', 'calls', 'steps'])
  if (!Array.isArray(list)) return undefined
  const calls = list.map((entry) => readExpectedCall(entry, budget))
  return calls.every((call) => call !== undefined) ? calls : undefined
}

export function readExpectedCall(entry: unknown, budget: WorkBudget): ExpectedCall | undefined {
  if (typeof entry === 'string') return { name: entry, arguments: undefined }
  const call = fieldOf(entry, ['function']) ?? entry
  const name = fieldOf(call, ['name', 'toolName'])
  if (typeof name !== 'string') return undefined
  return { name, arguments: readArguments(fieldOf(call, ['arguments', 'args', 'input']), budget) }
}

/** Arguments are often sent as JSON text. */
export function readArguments(value: unknown, budget: WorkBudget): unknown {
  if (typeof value !== 'string' || !looksLikeJson(value)) return value ?? undefined
  const json = readJson(value, budget)
  return 'problem' in json ? value : json.value
}

function fieldOf(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = new Map<string, unknown>(Object.entries(value))
  return names.map((name) => fields.get(name)).find((field) => field !== undefined && field !== null)
}
