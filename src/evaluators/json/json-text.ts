/** Reads JSON from the texts of traces and items, which are untrusted. */
import type { WorkBudget } from '../work-budget.ts'

/** Deeper values are not compared, because comparisons are recursive. */
const JSON_DEPTH_MAX = 500

const UNITS_PER_CHARACTER = 5
const UNITS_PER_MEMBER = 60
/** For objects with so many members that V8 stores them as a hash table. */
const UNITS_PER_WIDE_MEMBER = 400
const MEMBERS_WIDE = 100
const UNITS_PER_VALUE = 20
/** For the array or object itself. */
const UNITS_PER_HOLDER = 80

export type ReadJson = { value: unknown } | { problem: string }

export function readJson(text: string, budget: WorkBudget): ReadJson {
  const { depth, work } = surveyJson(text)
  budget.spend(work)
  if (depth > JSON_DEPTH_MAX) return { problem: `is nested deeper than ${JSON_DEPTH_MAX} levels` }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return {
      problem: `is not JSON: ${error instanceof Error ? error.message.replace(/ in JSON(?= at)/, '') : 'unreadable'}`,
    }
  }
}

/** Whether a text looks like an object or an array, well-formed or not. Prose, numbers and words do not. */
export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text)
}

/** Measures the depth and the parsing cost of a text without parsing it, because a parser has no limits of its own. */
export function surveyJson(text: string): { depth: number; work: number } {
  const work = text.length * UNITS_PER_CHARACTER
  if (!looksLikeJson(text)) return { depth: 0, work }
  let depth = 0
  let deepest = 0
  let members = 0
  let wideMembers = 0
  let values = 0
  let holders = 0
  /** The number of members of the open object at each depth. */
  const counts: number[] = []
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place)
    if (code === 0x22) place = endOfString(text, place)
    else if (code === 0x3a) {
      members += 1
      const count = (counts[depth] ?? 0) + 1
      counts[depth] = count
      if (count > MEMBERS_WIDE) wideMembers += 1
    } else if (code === 0x2c) values += 1
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      holders += 1
      counts[depth] = 0
      deepest = Math.max(deepest, depth)
    } else if (code === 0x7d || code === 0x5d) depth = Math.max(0, depth - 1)
  }
  const objects = members * UNITS_PER_MEMBER + wideMembers * UNITS_PER_WIDE_MEMBER
  return { depth: deepest, work: work + objects + values * UNITS_PER_VALUE + holders * UNITS_PER_HOLDER }
}

/** Returns the position of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let place = start + 1; place < text.length; place += 1) {
    const code = text.charCodeAt(place)
    if (code === 0x5c) place += 1
    else if (code === 0x22) return place
  }
  return text.length
}
