import { readJson } from './json/json-text.ts'
import type { WorkBudget } from './work-budget.ts'

const PLAIN = /^[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[+-]?\d+)?$/i
const IN_TEXT = /(?:(?<!\w)[+-])?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?/gi

export type Finding = 'whole' | 'first' | 'last'

/**
 * Returns the number that a text represents, or the first or last number in it. Accepts thousands separators (commas),
 * a typographic minus, surrounding white space and JSON quotes. Undefined if there is no finite number.
 */
export function readNumber(text: string, find: Finding, budget: WorkBudget): number | undefined {
  const plain = unquoted(text.trim(), budget).trim().replaceAll('−', '-')
  if (find === 'whole') return PLAIN.test(plain) && /\d/.test(plain) ? finite(plain) : undefined
  const found = plain.match(IN_TEXT)?.at(find === 'first' ? 0 : -1)
  return found === undefined ? undefined : finite(found)
}

function unquoted(text: string, budget: WorkBudget): string {
  if (!text.startsWith('"')) return text
  const json = readJson(text, budget)
  return 'value' in json && typeof json.value === 'string' ? json.value : text
}

function finite(text: string): number | undefined {
  const number = Number(text.replaceAll(',', ''))
  return Number.isFinite(number) ? number : undefined
}
