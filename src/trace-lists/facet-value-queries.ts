import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { inList, textRows } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'
import { rollupsBySource, rollupsOf } from '../traces/query/matching-trace-queries.ts'
import { later, type PlainFilter } from '../traces/query/plain-filter.ts'
import { isOpenRating, isOutsideBlindRuns } from '../traces/query/visible-score-queries.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { newestTraces, type SearchPlan } from '../traces/trace-list-queries.ts'
import { bytesOf, onActiveComponent } from '../traces/trace-queries.ts'
import { sumTraces } from './series-queries.ts'
import { LISTED_MODELS } from './trace-row-queries.ts'

/** The end of the range of a nanosecond column. */
const LAST_NS = 2n ** 63n - 1n

type StoredFacet = { workspaceId: string; facet: string }

/** The distinct values of a facet in order, from `from` on. Each is one lookup in the index, however many traces have it. */
export async function listFacetValues(
  q: Queries,
  { workspaceId, facet }: StoredFacet,
  { from, limit }: { from: string; limit: number },
): Promise<string[]> {
  const least = (condition: RawBuilder<unknown>) =>
    sql`select min(f.value) from trace_facets as f where f.workspace_id = ${workspaceId} and f.facet = ${facet} and ${condition}`
  const { rows } = await sql<{ value: string }>`with recursive found(value) as (
      ${least(sql`f.value >= ${from}`)}
      union all
      select (${least(sql`f.value > found.value`)}) from found where found.value is not null
    ) select value from found where value is not null limit ${sql.lit(limit)}`.execute(q)
  return rows.map(({ value }) => value)
}

/** The number of traces with each value, counted up to a limit. Deleted traces count until their rows are deleted. */
export async function countFacetValues(
  q: Queries,
  { workspaceId, facet }: StoredFacet,
  { values, limit }: { values: readonly string[]; limit: number },
): Promise<{ value: string; count: number }[]> {
  if (values.length === 0) return []
  const some = sql`select 1 from trace_facets as f where f.workspace_id = ${workspaceId} and f.facet = ${facet}
    and f.value = v.value limit ${sql.lit(limit)}`
  const { rows } = await sql<{ value: string; count: number }>`
    select v.value, (select count(*) from (${some}) as counted) as count
    from ${textRows(
      q,
      ['value'],
      values.map((value) => [value]),
    )} as v`.execute(q)
  return rows.map(({ value, count }) => ({ value, count: Number(count) }))
}

export type RolledUpField = 'status' | 'service' | 'environment' | 'source' | 'component'

/** Longer than any time range, so that there is one bucket or two. */
const ALL_SECONDS = 9_000_000_000

/** Exact numbers of the traces of a time range by a column that the rollups contain. */
export async function countValuesWithin(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  field: RolledUpField,
): Promise<{ value: string; count: number }[]> {
  const range = { from: later(plain.startAfter, 0n), to: plain.startBefore ?? LAST_NS }
  if (range.from >= range.to) return []
  const sums = await sumTraces(q, workspaceId, plain, { range, bucketSeconds: ALL_SECONDS, groupBy: field })
  const counts = new Map<string, number>()
  for (const { label, count } of sums) if (label !== null) counts.set(label, (counts.get(label) ?? 0) + count)
  return [...counts].map(([value, count]) => ({ value, count }))
}

/** Exact numbers of all traces by a column that the rollups contain. */
export async function countRolledUpValues(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  field: RolledUpField,
): Promise<{ value: string; count: number }[]> {
  const value =
    field === 'component' ? sql<string | null>`c.name` : sql<string | null>`nullif(${sql.ref(`h.${field}`)}, '')`
  const rollups = field === 'source' ? rollupsBySource : rollupsOf
  const rows = await rollups(q, workspaceId, plain, 'all time')
    .leftJoin('components as c', (join) =>
      join
        .onRef('c.workspace_id', '=', 'h.workspace_id')
        .onRef('c.id', '=', 'h.component_id')
        .on('c.deleted_at', 'is', null),
    )
    .select([value.as('value'), sql<number>`sum(h.traces)`.as('count')])
    .where(value, 'is not', null)
    .groupBy(value)
    .execute()
  return rows.flatMap(({ value, count }) => (value === null ? [] : [{ value, count: Number(count) }]))
}

/** The newest traces that match a filter, with the columns that have values to suggest. */
export async function listSampledTraces(
  q: Queries,
  workspaceId: string,
  { filter, plan, limit }: { filter: TraceFilter; plan: SearchPlan; limit: number },
) {
  return newestTraces(q, workspaceId, filter, plan)
    .leftJoin('components as c', onActiveComponent)
    .select([
      't.id',
      't.trace_id as traceId',
      't.status',
      't.service',
      't.environment',
      't.session_id as session',
      't.user_id as user',
      't.tags',
      't.source',
      't.prompts',
      'c.name as component',
      't.span_count as spanCount',
      LISTED_MODELS.as('models'),
    ])
    .limit(limit)
    .execute()
}

/** The kinds, names, models and providers of traces, each once per trace. */
export async function listSpanValues(
  q: Queries,
  workspaceId: string,
  { traceDbIds, field }: { traceDbIds: readonly string[]; field: 'kind' | 'name' | 'model' | 'provider' },
) {
  if (traceDbIds.length === 0) return []
  return selectScoped(q, 'spans', { workspace_id: workspaceId })
    .select(['trace_id as traceDbId', `${field} as value`])
    .where('trace_id', 'in', traceDbIds)
    .where(field, 'is not', null)
    .groupBy(['trace_id', field])
    .execute()
}

const ATTRIBUTES_BYTES_MAX = 50_000

/** The attributes of some spans of traces, and of their resource scopes, as JSON. */
export async function listAttributes(
  q: Queries,
  workspaceId: string,
  { traceDbIds, limit }: { traceDbIds: readonly string[]; limit: number },
) {
  if (traceDbIds.length === 0) return []
  return q
    .selectFrom('spans as s')
    .leftJoin('resource_scopes as r', (join) =>
      join.onRef('r.workspace_id', '=', 's.workspace_id').onRef('r.hash', '=', 's.resource_scope'),
    )
    .select(['s.trace_id as traceDbId', 's.attributes', 'r.resource'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.trace_id', 'in', traceDbIds)
    .where(bytesOf('s.attributes'), '<=', ATTRIBUTES_BYTES_MAX)
    .limit(limit)
    .execute()
}

/** The newest ratings that may be searched for, which are the same for every caller; of these traces only, if given. */
export async function listNewestRatings(
  q: Queries,
  workspaceId: string,
  { traceIds, limit }: { traceIds: readonly string[] | undefined; limit: number },
): Promise<{ traceId: string; rating: string }[]> {
  const ratings = q
    .selectFrom('annotations as a')
    .innerJoin('runs as r', (join) =>
      join.onRef('r.workspace_id', '=', 'a.workspace_id').onRef('r.id', '=', 'a.run_id'),
    )
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 'r.workspace_id').onRef('d.id', '=', 'r.dataset_id'),
    )
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'r.workspace_id').onRef('c.id', '=', 'r.component_id'),
    )
    .innerJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'a.workspace_id')
        .onRef('t.trace_id', '=', 'a.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
    .select(['a.trace_ref as traceId', 'a.rating'])
    .where('a.workspace_id', '=', workspaceId)
    .where('r.deleted_at', 'is', null)
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .where('a.rating', 'is not', null)
    .where('a.rating', '<>', '')
    .where(isOpenRating(workspaceId))
    .orderBy('a.id', 'desc')
    .limit(limit)
  const rows = await (traceIds === undefined ? ratings : ratings.where(inList(q, 'a.trace_ref', traceIds))).execute()
  return rows.flatMap(({ traceId, rating }) => (rating === null ? [] : [{ traceId, rating }]))
}

/** The same for ratings outside of runs. */
export async function listNewestTraceRatings(
  q: Queries,
  workspaceId: string,
  { traceIds, limit }: { traceIds: readonly string[] | undefined; limit: number },
): Promise<{ traceId: string; rating: string }[]> {
  const ratings = q
    .selectFrom('trace_annotations as o')
    .innerJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'o.workspace_id')
        .onRef('t.id', '=', 'o.trace_id')
        .on('t.deleted_at', 'is', null),
    )
    .select(['t.trace_id as traceId', 'o.rating'])
    .where('o.workspace_id', '=', workspaceId)
    .where('o.rating', 'is not', null)
    .where('o.rating', '<>', '')
    .where(isOutsideBlindRuns(workspaceId))
    .orderBy('o.id', 'desc')
    .limit(limit)
  const rows = await (traceIds === undefined ? ratings : ratings.where(inList(q, 't.trace_id', traceIds))).execute()
  return rows.flatMap(({ traceId, rating }) => (rating === null ? [] : [{ traceId, rating }]))
}

/** The names of the evaluators of the newest evaluations. Every case has a score of every evaluator, so the first scores are enough. */
export async function listEvaluatorNames(
  q: Queries,
  workspaceId: string,
  { evaluations, scoresEach }: { evaluations: number; scoresEach: number },
): Promise<string[]> {
  const newest = await selectScoped(q, 'evaluations', { workspace_id: workspaceId, deleted_at: null })
    .select('id')
    .orderBy('id', 'desc')
    .limit(evaluations)
    .execute()
  if (newest.length === 0) return []
  const ofEach = newest.map(
    ({ id }) => sql`select evaluator from (select x.evaluator from evaluation_scores as x
      where x.workspace_id = ${workspaceId} and x.evaluation_id = ${id} order by x.case_ref limit ${sql.lit(scoresEach)}) as first`,
  )
  const { rows } = await sql<{ evaluator: string }>`${sql.join(ofEach, sql` union all `)}`.execute(q)
  return [...new Set(rows.map(({ evaluator }) => evaluator))]
}
