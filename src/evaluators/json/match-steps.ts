import { commonSubsequence } from '../text/common-subsequence.ts'
import type { WorkBudget } from '../work-budget.ts'
import { matchingSize } from './bipartite-matching.ts'

export const MATCH_MODES = ['exact', 'ordered', 'unordered', 'subset'] as const
export type MatchMode = (typeof MATCH_MODES)[number]

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
