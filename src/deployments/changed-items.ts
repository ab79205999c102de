/** Whether the items that evaluations judged are still what they were. A verdict on other questions or answers says nothing. */
import { readPages } from '../base/event-loop.ts'
import { isSameItem } from '../comparisons/pairing/compared-items.ts'
import { hashItems } from '../evaluations/runner/case-queries.ts'
import type { Queries } from '../storage/db.ts'
import { countItemsAfter, type JudgedItem, listJudgedItems } from './run-version-queries.ts'

const ITEMS_PER_PAGE = 500

export type ItemsSince = {
  /** Their question, expected answer, split or group is another one now. */
  edited: number
  deleted: number
  /** Judged by an older version of the server, which did not store what it judged. */
  unverified: number
  /** Newer than the evaluations. They decide nothing. */
  added: number
}

type Judged = {
  workspaceId: string
  datasetId: string
  evaluationIds: readonly string[]
  evaluator: string | undefined
}

/** `evaluator`: only the items that it judged. */
export async function itemsSince(q: Queries, { evaluationIds, ...judged }: Judged): Promise<ItemsSince> {
  const { workspaceId, datasetId } = judged
  const edited = new Set<string>()
  const deleted = new Set<string>()
  const unverified = new Set<string>()
  for (const evaluationId of evaluationIds) {
    for await (const rows of pagesOf(q, { ...judged, evaluationId })) {
      const now = await hashItems(
        q,
        { workspaceId, datasetId, runId: null },
        rows.map(({ itemId }) => itemId),
      )
      for (const row of rows) {
        const current = now.get(row.itemId)
        if (current === undefined) deleted.add(row.itemId)
        else if (row.firstHash === null || row.lastHash === null) unverified.add(row.itemId)
        else if (!isSameItem(row.firstHash, current) || !isSameItem(row.lastHash, current)) edited.add(row.itemId)
      }
    }
  }
  // Ids are in the order of creation.
  const [oldest] = evaluationIds.toSorted()
  const added = oldest === undefined ? 0 : await countItemsAfter(q, { workspaceId, datasetId, after: oldest })
  return { edited: edited.size, deleted: deleted.size, unverified: unverified.size, added }
}

/** The items of an evaluation with what it judged of them. */
export function pagesOf(
  q: Queries,
  scope: { workspaceId: string; evaluationId: string; evaluator: string | undefined },
): AsyncGenerator<readonly JudgedItem[]> {
  const byRef = { first: '', limit: ITEMS_PER_PAGE, keyOf: ({ ref }: JudgedItem) => ref }
  return readPages((page) => listJudgedItems(q, { ...scope, ...page }), byRef)
}

/** `3 items were edited and 1 was deleted`, or undefined if they are what they were. */
export function changesSince({ edited, deleted }: Pick<ItemsSince, 'edited' | 'deleted'>): string | undefined {
  return countsOf([
    [edited, 'edited'],
    [deleted, 'deleted'],
  ])
}

/** `summary` is null if nothing changed. */
export function changesBetween(counts: { edited: number; added: number; removed: number }) {
  const { edited, added, removed } = counts
  const changes = countsOf([
    [edited, 'edited'],
    [added, 'added'],
    [removed, 'deleted'],
  ])
  return { ...counts, summary: changes === undefined ? null : `${changes} between the two evaluations.` }
}

function countsOf(counts: readonly (readonly [count: number, done: string])[]): string | undefined {
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, done], place) => {
      const items = place > 0 ? '' : count === 1 ? ' item' : ' items'
      return `${count}${items} ${count === 1 ? 'was' : 'were'} ${done}`
    })
  if (parts.length < 2) return parts[0]
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
