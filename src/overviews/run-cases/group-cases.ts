/**
 * The rows of the list of cases: one for each item of the dataset, with all traces that answer it, because these are repetitions of one
 * case; and one for each trace without an item.
 */
import { compareText, type RunCase } from '../../comparisons/pairing/pair-items.ts'
import { cursorOf, isNumberOrNull, isText, type PositionIn } from '../../http/query-parameters.ts'
import { meanOf } from '../../statistics/sums.ts'

export const CASE_FILTERS = [
  'failed',
  'rated',
  'unrated',
  'passed',
  'not_passed',
  'not_measured',
  'not_arrived',
  'without_item',
] as const
export type CaseFilter = (typeof CASE_FILTERS)[number]

export const CASE_SORTS = ['item', 'duration', '-duration', 'cost', '-cost', 'score', '-score'] as const
export type CaseSort = (typeof CASE_SORTS)[number]

export type CaseGroup = {
  /** The order of the items; traces without an item follow in the order in which they were linked. */
  readonly key: string
  readonly itemId: string | null
  /** In the order in which they were linked. */
  readonly cases: readonly RunCase[]
}

export function groupCases(cases: readonly RunCase[]): CaseGroup[] {
  const groups = Map.groupBy(cases, keyOf)
  return [...groups].map(([key, members]) => ({
    key,
    itemId: members[0]?.itemId ?? null,
    cases: members.toSorted(compareInOrder),
  }))
}

function keyOf({ itemId, linkedAt, ref }: RunCase): string {
  return itemId === null ? `1 ${linkedAt} ${ref}` : `0 ${itemId}`
}

function compareInOrder(a: RunCase, b: RunCase): number {
  return (
    compareText(a.linkedAt, b.linkedAt) ||
    compareText(a.traceDbId ?? '~', b.traceDbId ?? '~') ||
    compareText(a.ref, b.ref)
  )
}

/** The results of one metric, by the reference of the trace: one for each repetition of the evaluator. */
type Outcomes = ReadonlyMap<string, readonly { score: number | null; passed: number | null }[]>

export type GroupFacts = { rated: ReadonlySet<string>; outcomes: Outcomes; hasPassMark: boolean }

/** Which of the filters a row matches. */
export function filtersOf({ itemId, cases }: CaseGroup, { rated, outcomes, hasPassMark }: GroupFacts): Set<CaseFilter> {
  const results = cases.flatMap(({ ref }) => outcomes.get(ref) ?? [])
  const marks = results.flatMap(({ passed }) => passed ?? [])
  const matched = new Set<CaseFilter>()
  if (cases.some(({ trace }) => trace?.isError)) matched.add('failed')
  matched.add(cases.some(({ ref }) => rated.has(ref)) ? 'rated' : 'unrated')
  if (results.length === 0) matched.add('not_measured')
  if (marks.length > 0) matched.add(marks.every((mark) => mark === 1) ? 'passed' : 'not_passed')
  else if (hasPassMark && matched.has('failed')) matched.add('not_passed')
  if (cases.some(({ trace }) => trace === null)) matched.add('not_arrived')
  if (itemId === null) matched.add('without_item')
  return matched
}

type Measured = { outcomes: Outcomes; higherIsBetter: boolean }

/** What a row is sorted by; null if it has no such value. An error without a score is worse than any score. */
export function sortValueOf({ cases }: CaseGroup, sort: CaseSort, { outcomes, higherIsBetter }: Measured) {
  switch (sort) {
    case 'duration':
    case '-duration':
      return meanOf(cases.flatMap(({ trace }) => trace?.durationMs ?? []))
    case 'cost':
    case '-cost':
      return meanOf(cases.flatMap(({ trace }) => trace?.costUsd ?? []))
    case 'score':
    case '-score':
      return (
        meanOf(cases.flatMap(({ ref }) => (outcomes.get(ref) ?? []).flatMap(({ score }) => score ?? []))) ??
        (cases.some(({ trace }) => trace?.isError) ? (higherIsBetter ? -1 : 1) * Number.MAX_VALUE : null)
      )
    default:
      return null
  }
}

/** The position of a row in the order: `key` decides between equal values. */
export const runCaseCursor = cursorOf({ value: isNumberOrNull, key: isText })
export type CasePosition = PositionIn<typeof runCaseCursor>

/** Rows without a value are last in both directions. The order is total, so that a cursor continues at one position. */
export function comparePositions(sort: CaseSort, a: CasePosition, b: CasePosition): number {
  if (a.value !== b.value) {
    if (a.value === null) return 1
    if (b.value === null) return -1
    return sort.startsWith('-') ? b.value - a.value : a.value - b.value
  }
  return compareText(a.key, b.key)
}
