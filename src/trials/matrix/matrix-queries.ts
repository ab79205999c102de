import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { inIdList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { type CallRow, ofTrial } from '../calls/call-queries.ts'
import type { TrialScope } from '../trial-queries.ts'

export const MATRIX_FILTERS = [
  'all',
  'worse',
  'better',
  'same',
  'unscored',
  'differ',
  'flips',
  'failed',
  'waiting',
] as const
export type MatrixFilter = (typeof MATRIX_FILTERS)[number]

/** The mean of an item is added up in another order on each engine. */
const ROUNDING = 1e-9

/** The evaluations that the scores of an item are read from. */
export type Scored = {
  metric: string
  evaluationIds: readonly string[]
  /** Undefined if there is no pair, or one of both has no evaluation. */
  pair: { baselineId: string; candidateId: string; higherIsBetter: boolean } | undefined
}

/** The calls of an item follow each other, so that its place follows from the number of any of them. */
export type MatrixScope = TrialScope & {
  callsPerItem: number
  variant: number | undefined
  /** Null if there are no scores that the reader may see. */
  scored: Scored | null
}

type Bounds = { above?: number; upTo?: number }

/** One row for each item, with what a filter asks for: calls in a state, and how its scores differ. */
function itemsOf(q: Queries, { callsPerItem, variant, scored, ...of }: MatrixScope, { above, upTo }: Bounds = {}) {
  const place = sql<number>`(number - 1) / ${sql.lit(callsPerItem)}`
  const calls = ofTrial(q, of)
    .select([
      place.as('place'),
      'item_id as itemId',
      sql<number>`sum(case when state = 'failed' then 1 else 0 end)`.as('failed'),
      sql<number>`sum(case when state in ('queued', 'running', 'retrying') then 1 else 0 end)`.as('waiting'),
    ])
    .$if(variant !== undefined, (rows) => rows.where('variant', '=', variant ?? 0))
    .$if(above !== undefined, (rows) => rows.where('number', '>', above ?? 0))
    .$if(upTo !== undefined, (rows) => rows.where('number', '<=', upTo ?? 0))
    .groupBy([place, 'item_id'])
  const items = q.selectFrom(calls.as('c'))
  const columns = ['c.place', 'c.itemId', 'c.failed', 'c.waiting'] as const
  if (!scored) return items.select([...columns, NONE.as('differ'), NONE.as('flips'), NO_CHANGE.as('change')])
  return items
    .leftJoin(scoresOf(q, of.workspaceId, scored).as('s'), 's.itemId', 'c.itemId')
    .select([...columns, 's.differ', 's.flips', 's.change'])
}

const NONE = sql<number>`0`
/** A plain null can be taken for text. */
const NO_CHANGE = sql<number | null>`cast(null as integer)`

/** Of each item: whether its scores differ at all, or between repetitions, and whether the candidate is better (1) or worse (-1). */
function scoresOf(q: Queries, workspaceId: string, { metric, evaluationIds, pair }: Scored) {
  const byEvaluation = selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId })
    .select([
      'item_id',
      'evaluation_id',
      sql<number>`avg(score)`.as('mean'),
      sql<number>`min(score)`.as('least'),
      sql<number>`max(score)`.as('most'),
    ])
    .where(inIdList(q, 'evaluation_id', evaluationIds))
    .where('evaluator', '=', metric)
    .where('state', '=', 'scored')
    .where('score', 'is not', null)
    .where('item_id', 'is not', null)
    .groupBy(['item_id', 'evaluation_id'])
  const meanIn = (id: string) => sql`max(case when evaluation_id = ${id} then mean end)`
  const gain = pair && sql`(${meanIn(pair.candidateId)} - ${meanIn(pair.baselineId)})`
  const [up, down] = pair?.higherIsBetter === false ? [-1, 1] : [1, -1]
  const change = gain
    ? sql<number | null>`case when ${gain} is null then null when ${gain} > ${sql.lit(ROUNDING)} then ${sql.lit(up)}
        when ${gain} < ${sql.lit(-ROUNDING)} then ${sql.lit(down)} else 0 end`
    : NO_CHANGE
  return q
    .selectFrom(byEvaluation.as('e'))
    .select([
      'e.item_id as itemId',
      sql<number>`case when min(least) <> max(most) then 1 else 0 end`.as('differ'),
      sql<number>`max(case when least <> most then 1 else 0 end)`.as('flips'),
      change.as('change'),
    ])
    .groupBy('e.item_id')
}

const CONDITIONS: Record<MatrixFilter, RawBuilder<boolean>> = {
  all: sql`true`,
  worse: sql`i.change = -1`,
  better: sql`i.change = 1`,
  same: sql`i.change = 0`,
  unscored: sql`i.change is null`,
  differ: sql`i.differ = 1`,
  flips: sql`i.flips = 1`,
  failed: sql`i.failed > 0`,
  waiting: sql`i.waiting > 0`,
}

/** In the order of the calls, after the place of the last page; one more than the limit. */
export async function listMatrixItems(
  q: Queries,
  scope: MatrixScope,
  { filter, after, limit }: { filter: MatrixFilter; after: number; limit: number },
): Promise<{ place: number; itemId: string; change: number | null }[]> {
  const above = (after + 1) * scope.callsPerItem
  const upTo = filter === 'all' ? above + (limit + 1) * scope.callsPerItem : undefined
  const rows = await q
    .selectFrom(itemsOf(q, scope, { above, ...(upTo !== undefined && { upTo }) }).as('i'))
    .select(['i.place', 'i.itemId', 'i.change'])
    .$if(filter !== 'all', (items) => items.where(CONDITIONS[filter]))
    .orderBy('i.place')
    .limit(limit + 1)
    .execute()
  return rows.map(({ place, itemId, change }) => ({
    place: Number(place),
    itemId,
    change: change === null ? null : Number(change),
  }))
}

export async function countMatrixItems(q: Queries, scope: MatrixScope): Promise<Record<MatrixFilter, number>> {
  const counts = MATRIX_FILTERS.map((filter) =>
    sql<number>`coalesce(sum(case when ${CONDITIONS[filter]} then 1 else 0 end), 0)`.as(filter),
  )
  const row = await q.selectFrom(itemsOf(q, scope).as('i')).select(counts).executeTakeFirstOrThrow()
  return {
    all: Number(row.all),
    worse: Number(row.worse),
    better: Number(row.better),
    same: Number(row.same),
    unscored: Number(row.unscored),
    differ: Number(row.differ),
    flips: Number(row.flips),
    failed: Number(row.failed),
    waiting: Number(row.waiting),
  }
}

const MATRIX_COLUMNS = ['number', 'variant', 'item_id as itemId', 'repetition', 'state', 'attempt'] as const

export type MatrixCall = Pick<CallRow, 'number' | 'variant' | 'itemId' | 'repetition' | 'state' | 'attempt'>

export async function listMatrixCalls(
  q: Queries,
  { workspaceId, trialId, callsPerItem, variant }: MatrixScope,
  places: readonly number[],
): Promise<MatrixCall[]> {
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return []
  return ofTrial(q, { workspaceId, trialId })
    .select(MATRIX_COLUMNS)
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
  { metric, evaluationIds }: Scored,
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

/** The next calls, in the order of their numbers. */
export async function listCompactCalls(
  q: Queries,
  { workspaceId, trialId, variant }: MatrixScope,
  { after, limit }: { after: number; limit: number },
): Promise<MatrixCall[]> {
  return ofTrial(q, { workspaceId, trialId })
    .select(MATRIX_COLUMNS)
    .where('number', '>', after)
    .$if(variant !== undefined, (calls) => calls.where('variant', '=', variant ?? 0))
    .orderBy('number')
    .limit(limit)
    .execute()
}
