import { commonSubsequence, matchingSize } from '../match-lists.ts'
import type { WorkBudget } from '../work-budget.ts'
import { looksLikeJson, readJson } from './json-text.ts'

export const MATCH_MODES = ['exact', 'ordered', 'unordered', 'subset'] as const
type MatchMode = (typeof MATCH_MODES)[number]

export const MATCH_DESCRIPTION =
  'exact: these, in this order, and no others. ordered: these in this order; others may come between. unordered: these in any order; others may be among them. subset: no others than these; some may be missing. Default: ordered.'

/** Longer lists are not compared, because the work grows with the product of both lengths. */
export const STEPS_MAX = 500

type Lists = { expected: number; got: number; fits(expected: number, got: number): boolean }

/** Returns the share of steps that match, 1 for all, and their number as `matched`. */
export function matchSteps(
  mode: MatchMode,
  { expected, got, fits }: Lists,
  budget: WorkBudget,
): { matched: number; score: number } {
  // 0: not compared yet, 1: equal, 2: different.
  const known = new Uint8Array(expected * got)
  const fitsOnce = (place: number, other: number) => {
    const pair = place * got + other
    known[pair] ||= fits(place, other) ? 1 : 2
    return known[pair] === 1
  }
  const isInOrder = mode === 'exact' || mode === 'ordered'
  const pairs = { left: expected, right: got, fits: fitsOnce }
  const matched = (isInOrder ? commonSubsequence : matchingSize)(pairs, budget)
  const of = { exact: Math.max(expected, got), ordered: expected, unordered: expected, subset: got }[mode]
  return { matched, score: of === 0 ? 1 : matched / of }
}

/** Formats steps as `search → book`, with a bounded length. */
export function shownSteps(names: readonly string[]): string {
  if (names.length === 0) return 'nothing'
  const shown = names.slice(0, 12).map((name) => (name.length > 40 ? `${name.slice(0, 40)}…` : name))
  return `${shown.join(' → ')}${names.length > 12 ? ' → …' : ''}`
}

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
