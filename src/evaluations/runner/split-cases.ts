/** The cases of an evaluation that are limited to a split of the dataset. */
import { findItemsInSplit } from '../../datasets/split-queries.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { type CaseSource, countCases, findCases, listCases, listLinkedItems } from './case-queries.ts'

type CasePage = {
  cases: CaseKey[]
  /** Where the next page begins; undefined after the last one. A page may have no case of the split and not be the last. */
  last: string | undefined
}

/**
 * A page of cases, without those of other splits. A trace belongs to the split of its item, which is found as for its
 * scores: by its link, by the trace that the item was created from, or by an equal input.
 */
export async function listSplitCases(
  q: Queries,
  source: CaseSource,
  page: { after: string; limit: number },
): Promise<CasePage> {
  const cases = await listCases(q, source, page)
  const last = cases.at(-1)?.ref
  const { split } = source
  if (split === undefined || cases.length === 0) return { cases, last }
  const items = await itemsOf(q, source, cases)
  const inSplit = await findItemsInSplit(q, { ...source, split }, [...items.values()])
  return { cases: cases.filter(({ ref }) => inSplit.has(items.get(ref) ?? '')), last }
}

/** All pages. */
export async function* splitCasePages(q: Queries, source: CaseSource, limit: number): AsyncGenerator<CaseKey[]> {
  for (let after = ''; ; ) {
    const { cases, last } = await listSplitCases(q, source, { after, limit })
    if (last === undefined) return
    after = last
    if (cases.length > 0) yield cases
  }
}

/** The first cases of the split, or of all. */
export async function firstSplitCases(q: Queries, source: CaseSource, count: number): Promise<CaseKey[]> {
  const first: CaseKey[] = []
  for await (const cases of splitCasePages(q, source, Math.max(count, FIRST_CASES_READ))) {
    first.push(...cases.slice(0, count - first.length))
    if (first.length === count) break
  }
  return first
}

/** A split may have few of the cases, so pages of a few cases would be many. */
const FIRST_CASES_READ = 100
const CASES_PER_PAGE = 500

export async function countSplitCases(q: Queries, source: CaseSource): Promise<number> {
  if (source.split === undefined) return countCases(q, source)
  let count = 0
  for await (const cases of splitCasePages(q, source, CASES_PER_PAGE)) count += cases.length
  return count
}

/** What `findCaseItems` returns: the item of a case, and its key. */
export type CaseItem = {
  itemId: string | null
  /** Undefined if the run or the dataset has no such case in the split. */
  key: CaseKey | undefined
}

/** Finds cases and their items, by reference. */
export async function findCaseItems(
  q: Queries,
  source: CaseSource,
  refs: readonly string[],
): Promise<Map<string, CaseItem>> {
  if (refs.length === 0) return new Map()
  const cases = await findCases(q, source, refs)
  const keys = refs.map((ref, index): CaseKey => cases[index] ?? { ref, itemId: null, traceRef: null })
  const items = await itemsOf(q, source, keys)
  const { split } = source
  const inSplit = split && (await findItemsInSplit(q, { ...source, split }, [...items.values()]))
  return new Map(
    refs.map((ref, index) => {
      const itemId = items.get(ref) ?? null
      const isInSplit = inSplit === undefined || inSplit.has(itemId ?? '')
      return [ref, { itemId, key: isInSplit ? cases[index] : undefined }]
    }),
  )
}

async function itemsOf(q: Queries, source: CaseSource, cases: readonly CaseKey[]): Promise<Map<string, string>> {
  const { runId } = source
  if (runId === null) return new Map(cases.map(({ ref, itemId }) => [ref, itemId ?? ref]))
  const refs = cases.map(({ ref }) => ref)
  const items = await listLinkedItems(q, { ...source, runId }, refs)
  const unmatched = refs.filter((ref) => !items.has(ref))
  for (const [ref, itemId] of await findItemsByQuestion(q, source, unmatched)) items.set(ref, itemId)
  return items
}
