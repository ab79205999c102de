/**
 * Finds the items that are not the same in the two evaluations. A comparison of answers that were judged against different
 * expected answers says nothing about the change, and one that lacks the items that a run lost is not a comparison of the
 * runs.
 */
import { byId, readPages } from '../../base/event-loop.ts'
import { hashContent } from '../../datasets/items/input-hash.ts'
import { findItemIds } from '../../datasets/items/item-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { Metric } from './compared-metrics.ts'
import { listRepeatedQuestions } from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'
import type { RunData } from './read-run-data.ts'

export type ItemChanges = {
  /** Items that were edited between the two evaluations: their question, expected answer or split. They are not compared. */
  readonly changed: readonly string[]
  /** Items that the baseline was evaluated on and that were deleted before the candidate was. */
  readonly removed: readonly string[]
  /** Compared items of which it is not known whether they changed, because an evaluation is of an older version. */
  readonly unverified: number
}

type Judged = Pick<RunData, 'itemHashes' | 'evaluationId'>
type Cases = { baseline: readonly RunCase[]; candidate: readonly RunCase[] }
type Compared = {
  sides: { baseline: Judged; candidate: Judged }
  cases: Cases
  metrics: readonly Pick<Metric, 'evaluations'>[]
}

/** An item has changed if the two evaluations of a compared metric judged different content of it. */
export async function findItemChanges(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
  { sides, cases, metrics }: Compared,
): Promise<ItemChanges> {
  const [before, after] = [itemsIn(cases.baseline), itemsIn(cases.candidate)]
  const hashes = comparedHashes(sides, metrics)
  const changed: string[] = []
  let unverified = 0
  for (const itemId of before) {
    if (!after.has(itemId)) continue
    const contents = hashes.map(({ one, other }) => ({ one: one.get(itemId), other: other.get(itemId) }))
    const known = contents.filter(({ one, other }) => one !== undefined && other !== undefined)
    if (known.some(({ one, other }) => one !== other)) changed.push(itemId)
    else if (known.length < contents.length) unverified += 1
  }
  const onlyBefore = [...before].filter((itemId) => !after.has(itemId))
  const existing = await findItemIds(q, dataset, onlyBefore)
  const removed = onlyBefore.filter((itemId) => !existing.has(itemId))
  return { changed: changed.sort(), removed: removed.sort(), unverified }
}

/** By item, of both evaluations of each metric. If no evaluator is compared, of the newest evaluations. */
function comparedHashes({ baseline, candidate }: Compared['sides'], metrics: Compared['metrics']) {
  const compared = metrics.flatMap(({ evaluations }) => evaluations ?? [])
  const newest = { baseline: baseline.evaluationId, candidate: candidate.evaluationId }
  const pairs = new Map(
    (compared.length > 0 ? compared : [newest]).map((two) => [`${two.baseline} ${two.candidate}`, two]),
  )
  return [...pairs.values()].flatMap((two) => {
    const [one, other] = [baseline.itemHashes.get(two.baseline ?? ''), candidate.itemHashes.get(two.candidate ?? '')]
    return one && other ? [{ one, other }] : []
  })
}

function itemsIn(cases: readonly RunCase[]): Set<string> {
  return new Set(cases.flatMap(({ itemId }) => itemId ?? []))
}

/** Without the traces of items that are not the same: they belong to no item of this comparison. */
export function withoutChanged<Side extends Cases>(cases: Side, { changed, removed }: ItemChanges): Side {
  if (changed.length + removed.length === 0) return cases
  const left = new Set([...changed, ...removed])
  const keep = (one: RunCase) => (one.itemId !== null && left.has(one.itemId) ? { ...one, itemId: null } : one)
  return { ...cases, baseline: cases.baseline.map(keep), candidate: cases.candidate.map(keep) }
}

/** `20 items were edited and 8 deleted between the two evaluations`, or null. */
export function changesSummary({ changed, removed }: ItemChanges): string | null {
  const parts = [
    changed.length === 0 ? [] : [`${countOf(changed.length)} edited`],
    removed.length === 0 ? [] : [`${changed.length === 0 ? countOf(removed.length) : removed.length} deleted`],
  ].flat()
  return parts.length === 0 ? null : `${parts.join(' and ')} between the two evaluations`
}

function countOf(count: number): string {
  return count === 1 ? '1 item was' : `${count} items were`
}

const DUPLICATES_PER_PAGE = 500

/**
 * By item that has the same question and expected answer as an earlier one: that earlier item. Ten copies of a question are
 * one item: they say no more about other questions than one.
 */
export async function readDuplicates(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
): Promise<Map<string, string>> {
  const first = new Map<string, string>()
  const sameAs = new Map<string, string>()
  for await (const rows of readPages(
    (page) => listRepeatedQuestions(q, { ...dataset, ...page }),
    byId(DUPLICATES_PER_PAGE),
  )) {
    for (const { id, inputHash, expected } of rows) {
      const content = `${inputHash} ${expected === null ? '' : hashContent(expected)}`
      const known = first.get(content)
      if (known === undefined) first.set(content, id)
      else sameAs.set(id, known)
    }
  }
  return sameAs
}
