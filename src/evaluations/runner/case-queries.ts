import { sql } from 'kysely'
import { activeAnnotations } from '../../annotations/annotation-list-queries.ts'
import { hasRating } from '../../annotations/annotation-queries.ts'
import { isUuid, NIL_ID } from '../../base/ids.ts'
import { groupAt } from '../../datasets/items/group-by-path.ts'
import { hashOfItem } from '../../datasets/items/input-hash.ts'
import { findGroupBy } from '../../datasets/items/item-group-queries.ts'
import type { Split } from '../../datasets/splits/split.ts'
import { findItemsInSplit } from '../../datasets/splits/split-queries.ts'
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import { linksWithItems } from '../../runs/run-trace-queries.ts'
import type { CaseKey } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'

/** The cases of an evaluation: the traces of a run, or the items of a dataset. */
export type CaseSource = {
  workspaceId: string
  datasetId: string
  runId: string | null
  /** Only cases of items in this split. See `listSplitCases`. */
  split?: Split | undefined
}

/** Ignores the split. */
export async function countCases(q: Queries, { workspaceId, datasetId, runId }: CaseSource): Promise<number> {
  const of =
    runId === null ? sql`dataset_items where dataset_id = ${datasetId}` : sql`run_traces where run_id = ${runId}`
  const { rows } = await sql<{
    count: number
  }>`select count(*) as count from ${of} and workspace_id = ${workspaceId}`.execute(q)
  return Number(rows[0]?.count ?? 0)
}

/** Ignores the split. Returns a page of cases after `after`, in their own order. The cost of a page does not depend on its position. */
export async function listCases(
  q: Queries,
  { workspaceId, datasetId, runId }: CaseSource,
  { after, limit }: { after: string; limit: number },
): Promise<CaseKey[]> {
  if (runId === null) {
    const items = await q
      .selectFrom('dataset_items')
      .select(['id', 'trace_ref'])
      .where('workspace_id', '=', workspaceId)
      .where('dataset_id', '=', datasetId)
      .where('id', '>', after === '' ? NIL_ID : after)
      .orderBy('id')
      .limit(limit)
      .execute()
    return items.map(({ id, trace_ref }) => ({ ref: id, itemId: id, traceRef: trace_ref }))
  }
  const traces = await q
    .selectFrom('run_traces')
    .select('trace_ref')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where('trace_ref', '>', after)
    .orderBy('trace_ref')
    .limit(limit)
    .execute()
  return traces.map(({ trace_ref }) => ({ ref: trace_ref, itemId: null, traceRef: trace_ref }))
}

/** The cases with these ids, in the same order: items or, of a run, traces by either of their ids. Undefined if there is none. */
export async function findCases(
  q: Queries,
  { workspaceId, datasetId, runId }: CaseSource,
  ids: readonly string[],
): Promise<(CaseKey | undefined)[]> {
  if (runId === null) {
    const wanted = ids.map((id) => id.toLowerCase())
    const items = await q
      .selectFrom('dataset_items')
      .select(['id', 'trace_ref'])
      .where('workspace_id', '=', workspaceId)
      .where('dataset_id', '=', datasetId)
      .where('id', 'in', wanted.filter(isUuid).concat(NIL_ID))
      .execute()
    const found = new Map(items.map(({ id, trace_ref }) => [id, { ref: id, itemId: id, traceRef: trace_ref }]))
    return wanted.map((id) => found.get(id))
  }
  const refs = await canonicalRefs(q, workspaceId, ids)
  const links = await q
    .selectFrom('run_traces')
    .select('trace_ref')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(inList(q, 'trace_ref', refs))
    .execute()
  const found = new Set(links.map(({ trace_ref }) => trace_ref))
  return refs.map((ref) => (found.has(ref) ? { ref, itemId: null, traceRef: ref } : undefined))
}

/** The items of these traces of a run: the item that the link names, or the item that was created from the trace. */
export async function listLinkedItems(
  q: Queries,
  source: CaseSource & { runId: string },
  traceRefs: readonly string[],
): Promise<Map<string, string>> {
  const rows = await linksWithItems(q, source)
    .where(inList(q, 'l.trace_ref', traceRefs))
    .execute()
  return new Map(rows.flatMap(({ ref, itemId }) => (itemId === null ? [] : [[ref, itemId]])))
}

/** The cases of a run whose link names one of these items, or from whose trace one was created, with the item. */
export async function listCasesOfItems(
  q: Queries,
  source: CaseSource & { runId: string },
  itemIds: readonly string[],
): Promise<[ref: string, itemId: string][]> {
  const rows = await linksWithItems(q, source)
    .where(({ eb, fn }) => eb(fn.coalesce('named.id', 'own.id'), 'in', itemIds))
    .orderBy('l.trace_ref')
    .execute()
  return rows.flatMap(({ ref, itemId }) => (itemId === null ? [] : [[ref, itemId]]))
}

/** The cases of a run that only their input can match with an item. */
export async function listUnlinkedCases(
  q: Queries,
  source: CaseSource & { runId: string },
  limit: number,
): Promise<string[]> {
  const rows = await linksWithItems(q, source)
    .where('named.id', 'is', null)
    .where('own.id', 'is', null)
    .orderBy('l.trace_ref')
    .limit(limit)
    .execute()
  return rows.map(({ ref }) => ref)
}

type ItemTexts = { input: string | null; output: string | null; expected: string | null }

export async function listItemTexts(
  q: Queries,
  { workspaceId, datasetId }: CaseSource,
  itemIds: readonly string[],
): Promise<Map<string, ItemTexts>> {
  if (itemIds.length === 0) return new Map()
  const rows = await q
    .selectFrom('dataset_items')
    .select(['id', 'input', 'output', 'expected'])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('id', 'in', [...new Set(itemIds)])
    .execute()
  return new Map(rows.map(({ id, ...texts }) => [id, texts]))
}

/** What of these items a score judges, as hashes. */
export async function hashItems(
  q: Queries,
  { workspaceId, datasetId }: CaseSource,
  itemIds: readonly string[],
): Promise<Map<string, string>> {
  if (itemIds.length === 0) return new Map()
  const { groupBy: field = null } = (await findGroupBy(q, { workspaceId, datasetId })) ?? {}
  const rows = await q
    .selectFrom('dataset_items')
    .select(['id', 'input_hash as inputHash', 'expected', 'split'])
    // Metadata may be large, and only groups are read from it.
    .select(field === null ? sql<null>`null`.as('metadata') : 'metadata')
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('id', 'in', [...new Set(itemIds)])
    .execute()
  return new Map(
    rows.map(({ id, metadata, ...item }) => {
      const group = field === null ? undefined : { field, value: groupAt(field, metadata) }
      return [id, hashOfItem({ ...item, group })]
    }),
  )
}

/** The ratings of these traces: those of the run if there is one, else those of all runs. */
export async function listRatings(
  q: Queries,
  { workspaceId, runId }: CaseSource,
  traceRefs: readonly string[],
): Promise<Map<string, string[]>> {
  const all = activeAnnotations(q)
    .select(['a.trace_ref as ref', 'a.rating'])
    .where('a.workspace_id', '=', workspaceId)
    .where(inList(q, 'a.trace_ref', traceRefs))
    .where(hasRating('a'))
  const rows = await (runId === null ? all : all.where('a.run_id', '=', runId)).execute()
  const ratings = new Map<string, string[]>()
  for (const { ref, rating } of rows) {
    const known = ratings.get(ref)
    if (known) known.push(rating ?? '')
    else ratings.set(ref, [rating ?? ''])
  }
  return ratings
}

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
