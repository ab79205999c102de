import { sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inIdList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { type CallRow, ofTrial } from '../calls/call-queries.ts'
import type { TrialScope } from '../trial-queries.ts'

export const MATRIX_FILTERS = ['all', 'differ', 'failed', 'waiting'] as const
export type MatrixFilter = (typeof MATRIX_FILTERS)[number]

/** The calls of an item follow each other, so that its place follows from the number of any of them. */
export type MatrixScope = TrialScope & {
  callsPerItem: number
  variant: number | undefined
  /** Null if there are no scores that the reader may see. */
  scored: { metric: string; evaluationIds: readonly string[] } | null
}

type Bounds = { above?: number; upTo?: number }

/** One row for each item, with its calls in each state that a filter asks for. */
function itemsOf(q: Queries, { callsPerItem, variant, scored, ...of }: MatrixScope, { above, upTo }: Bounds = {}) {
  const place = sql<number>`(number - 1) / ${sql.lit(callsPerItem)}`
  const differing = scored && differingItems(q, of.workspaceId, scored)
  return ofTrial(q, of)
    .select([
      place.as('place'),
      'item_id as itemId',
      sql<number>`sum(case when state = 'failed' then 1 else 0 end)`.as('failed'),
      sql<number>`sum(case when state in ('queued', 'running', 'retrying') then 1 else 0 end)`.as('waiting'),
      (differing ? sql<number>`max(case when item_id in ${differing} then 1 else 0 end)` : sql<number>`0`).as('differ'),
    ])
    .$if(variant !== undefined, (calls) => calls.where('variant', '=', variant ?? 0))
    .$if(above !== undefined, (calls) => calls.where('number', '>', above ?? 0))
    .$if(upTo !== undefined, (calls) => calls.where('number', '<=', upTo ?? 0))
    .groupBy([place, 'item_id'])
}

/** Items with different scores: of two variants, or of two repetitions. */
function differingItems(
  q: Queries,
  workspaceId: string,
  { metric, evaluationIds }: NonNullable<MatrixScope['scored']>,
) {
  return selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId })
    .select('item_id')
    .where(inIdList(q, 'evaluation_id', evaluationIds))
    .where('evaluator', '=', metric)
    .where('state', '=', 'scored')
    .where('item_id', 'is not', null)
    .groupBy('item_id')
    .having(sql<boolean>`min(score) <> max(score)`)
}

/** In the order of the calls, after the place of the last page; one more than the limit. */
export async function listMatrixItems(
  q: Queries,
  scope: MatrixScope,
  { filter, after, limit }: { filter: MatrixFilter; after: number; limit: number },
): Promise<{ place: number; itemId: string }[]> {
  const above = (after + 1) * scope.callsPerItem
  const upTo = filter === 'all' ? above + (limit + 1) * scope.callsPerItem : undefined
  const rows = await q
    .selectFrom(itemsOf(q, scope, { above, ...(upTo !== undefined && { upTo }) }).as('i'))
    .select(['i.place', 'i.itemId'])
    .$if(filter !== 'all', (items) => items.where(filter === 'all' ? 'i.failed' : `i.${filter}`, '>', 0))
    .orderBy('i.place')
    .limit(limit + 1)
    .execute()
  return rows.map(({ place, itemId }) => ({ place: Number(place), itemId }))
}

export async function countMatrixItems(q: Queries, scope: MatrixScope): Promise<Record<MatrixFilter, number>> {
  const having = (column: 'failed' | 'waiting' | 'differ') =>
    sql<number>`coalesce(sum(case when ${sql.ref(`i.${column}`)} > 0 then 1 else 0 end), 0)`.as(column)
  const row = await q
    .selectFrom(itemsOf(q, scope).as('i'))
    .select(({ fn }) => [fn.countAll<number>().as('all'), having('differ'), having('failed'), having('waiting')])
    .executeTakeFirstOrThrow()
  return {
    all: Number(row.all),
    differ: Number(row.differ),
    failed: Number(row.failed),
    waiting: Number(row.waiting),
  }
}

export type MatrixCall = Pick<CallRow, 'number' | 'variant' | 'itemId' | 'repetition' | 'state' | 'attempt'>

export async function listMatrixCalls(
  q: Queries,
  { workspaceId, trialId, callsPerItem, variant }: MatrixScope,
  places: readonly number[],
): Promise<MatrixCall[]> {
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return []
  return ofTrial(q, { workspaceId, trialId })
    .select(['number', 'variant', 'item_id as itemId', 'repetition', 'state', 'attempt'])
    .where('number', '>', first * callsPerItem)
    .where('number', '<=', (last + 1) * callsPerItem)
    .where(({ or, and, eb }) =>
      or(
        places.map((place) =>
          and([eb('number', '>', place * callsPerItem), eb('number', '<=', (place + 1) * callsPerItem)]),
        ),
      ),
    )
    .$if(variant !== undefined, (calls) => calls.where('variant', '=', variant ?? 0))
    .orderBy('number')
    .execute()
}

/** By the trace of the call; several verdicts on one trace count as their mean. */
export async function findMatrixScores(
  q: Queries,
  workspaceId: string,
  { metric, evaluationIds }: NonNullable<MatrixScope['scored']>,
  itemIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId })
    .select(({ fn }) => [sql<string>`coalesce(trace_ref, case_ref)`.as('ref'), fn.avg<number>('score').as('score')])
    .where(inIdList(q, 'evaluation_id', evaluationIds))
    .where(inIdList(q, 'item_id', itemIds))
    .where('evaluator', '=', metric)
    .where('state', '=', 'scored')
    .where('score', 'is not', null)
    .groupBy(sql`coalesce(trace_ref, case_ref)`)
    .execute()
  return new Map(rows.map(({ ref, score }) => [ref.toLowerCase(), Number(score)]))
}

/** The states of the next calls, in the order of their numbers. */
export async function listStates(
  q: Queries,
  { workspaceId, trialId, variant }: MatrixScope,
  { after, limit }: { after: number; limit: number },
): Promise<{ number: number; state: CallRow['state'] }[]> {
  return ofTrial(q, { workspaceId, trialId })
    .select(['number', 'state'])
    .where('number', '>', after)
    .$if(variant !== undefined, (calls) => calls.where('variant', '=', variant ?? 0))
    .orderBy('number')
    .limit(limit)
    .execute()
}
