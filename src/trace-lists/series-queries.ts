import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { asId, jsonArrayOf, textRows } from '../storage/dialect.ts'
import { matchingTraces, rollupsBySource, rollupsOf } from '../traces/query/matching-trace-queries.ts'
import type { PlainFilter } from '../traces/query/plain-filter.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { newestTraces, type SearchPlan } from '../traces/trace-list-queries.ts'
import { onActiveComponent } from '../traces/trace-queries.ts'
import type { TimeRange } from './series-range.ts'
import type { BucketSum } from './series-sums.ts'

/** What traces are grouped by. A deleted component is not shown, though a trace may still name it. */
export type GroupColumn = 'component' | 'status' | 'service' | 'environment' | 'source' | undefined

const HOUR_NS = 3_600_000_000_000n

function hoursOf({ from, to }: TimeRange): { firstHour: bigint; endHour: bigint } {
  return { firstHour: from / HOUR_NS, endHour: (to + HOUR_NS - 1n) / HOUR_NS }
}

/** The start of the hour in which the first trace started; undefined if there is none. */
export async function findFirstHour(q: Queries, workspaceId: string): Promise<bigint | undefined> {
  const first = await matchingTraces(q, workspaceId, { parts: [] }, {})
    .select(sql<number>`t.start_ns / ${sql.lit(HOUR_NS)}`.as('hour'))
    .orderBy('t.start_ns')
    .limit(1)
    .executeTakeFirst()
  return first && BigInt(first.hour) * HOUR_NS
}

/** The number of all traces of each hour of a range, latest first. */
export async function listHourCounts(
  q: Queries,
  workspaceId: string,
  range: TimeRange,
): Promise<{ hour: number; traces: number }[]> {
  const rows = await rollupsOf(q, workspaceId, { parts: [] }, hoursOf(range))
    .select(['h.hour', sql<number>`sum(h.traces)`.as('traces')])
    .groupBy('h.hour')
    .orderBy('h.hour', 'desc')
    .execute()
  return rows.map(({ hour, traces }) => ({ hour, traces: Number(traces) }))
}

type SummedSeries = { range: TimeRange; bucketSeconds: number; groupBy: GroupColumn }

/** Sums for buckets of whole hours: whole hours from the rollups, and the parts of hours at both ends of the range from their traces. */
export async function sumTraces(q: Queries, workspaceId: string, plain: PlainFilter, summed: SummedSeries) {
  const { from, to } = summed.range
  const inner = { from: ((from + HOUR_NS - 1n) / HOUR_NS) * HOUR_NS, to: (to / HOUR_NS) * HOUR_NS }
  if (inner.from >= inner.to) return sumPartOfHours(q, workspaceId, plain, summed)
  const ends = [
    { from, to: inner.from },
    { from: inner.to, to },
  ]
  const sums = [await sumRollups(q, workspaceId, plain, { ...summed, range: inner })]
  for (const range of ends) {
    if (range.from < range.to) sums.push(await sumPartOfHours(q, workspaceId, plain, { ...summed, range }))
  }
  return sums.flat()
}

async function sumPartOfHours(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  { range, bucketSeconds, groupBy }: SummedSeries,
) {
  const { value, label } = groupOf(groupBy, 't')
  const bucket = sql<number>`t.start_ns / ${sql.lit(BigInt(bucketSeconds) * 1_000_000_000n)}`
  const within = { ...plain, startAfter: range.from, startBefore: range.to }
  const rows = await matchingTraces(q, workspaceId, within, {})
    .leftJoin('components as c', onActiveComponent)
    .select([
      bucket.as('bucket'),
      value.as('value'),
      label.as('label'),
      sql<number>`count(*)`.as('count'),
      sql<number>`sum(case when t.status = 'error' then 1 else 0 end)`.as('errors'),
      sql<number>`coalesce(sum(t.total_tokens), 0)`.as('tokens'),
      sql<number>`coalesce(sum(t.cost_usd), 0)`.as('costUsd'),
    ])
    .groupBy([bucket, value, label])
    .execute()
  return rows.map(numbersOf)
}

async function sumRollups(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  { range, bucketSeconds, groupBy }: SummedSeries,
) {
  const hoursPerBucket = sql.lit(bucketSeconds / 3_600)
  // Components are joined after the summing: there may be a hundred thousand rollups.
  const value = groupBy === 'component' ? sql<string | null>`cast(h.component_id as text)` : groupOf(groupBy, 'h').value
  const rollups = groupBy === 'source' ? rollupsBySource : rollupsOf
  const summed = rollups(q, workspaceId, plain, hoursOf(range))
    .select([
      sql<number>`h.hour / ${hoursPerBucket}`.as('bucket'),
      value.as('value'),
      sql<number>`sum(h.traces)`.as('count'),
      sql<number>`sum(case when h.status = 'error' then h.traces else 0 end)`.as('errors'),
      sql<number>`sum(h.tokens)`.as('tokens'),
      sql<number>`sum(h.cost_usd)`.as('costUsd'),
    ])
    .groupBy([sql`h.hour / ${hoursPerBucket}`, value])
  const rows = await (groupBy === 'component'
    ? q
        .selectFrom(summed.as('s'))
        .leftJoin('components as c', (join) =>
          join
            .on('c.workspace_id', '=', workspaceId)
            .on('c.id', '=', asId(q, 's.value'))
            .on('c.deleted_at', 'is', null),
        )
        .select(['s.bucket', 's.count', 's.errors', 's.tokens', 's.costUsd', 'c.id as value', 'c.name as label'])
    : summed.select(value.as('label'))
  ).execute()
  return rows.map(numbersOf)
}

/** One of the drivers returns sums of large integers as text. */
function numbersOf<Row extends BucketSum>(row: Row): Row {
  const { count, errors, tokens, costUsd } = row
  return {
    ...row,
    count: Number(count),
    errors: Number(errors),
    tokens: Number(tokens),
    costUsd: Number(costUsd),
  }
}

function groupOf(groupBy: GroupColumn, table: 'h' | 't') {
  const column = (name: string): RawBuilder<string | null> => sql`nullif(${sql.ref(`${table}.${name}`)}, '')`
  const none: RawBuilder<string | null> = sql`cast(null as text)`
  if (groupBy === undefined) return { value: none, label: none }
  if (groupBy === 'component')
    return { value: sql<string | null>`cast(c.id as text)`, label: sql<string | null>`c.name` }
  if (groupBy === 'source') {
    const source = table === 'h' ? sql<string | null>`h.source` : sql<string | null>`coalesce(t.source, 'production')`
    return { value: source, label: source }
  }
  return { value: column(groupBy), label: column(groupBy) }
}

type ScannedSeries = { range: TimeRange; bucketSeconds: number; groupBy: GroupColumn; limit: number }

/** The latest traces of a series one by one. `scan` decides how they are found; the filter must limit the start time. */
export async function listSeriesTraces(
  q: Queries,
  workspaceId: string,
  {
    filter,
    plain,
    scan,
    plan,
  }: { filter: TraceFilter; plain: PlainFilter; scan: 'by start' | 'newest'; plan: SearchPlan },
  { range, bucketSeconds, groupBy, limit }: ScannedSeries,
) {
  const found =
    scan === 'newest'
      ? newestTraces(q, workspaceId, filter, plan)
      : matchingTraces(q, workspaceId, plain, plan.common ? { common: plan.common } : {}).orderBy('t.start_ns', 'desc')
  const { value, label } = groupOf(groupBy, 't')
  const bucketNs = BigInt(bucketSeconds) * 1_000_000_000n
  return found
    .leftJoin('components as c', onActiveComponent)
    .select([
      't.id',
      't.status',
      't.total_tokens as tokens',
      't.cost_usd as costUsd',
      sql<number>`t.start_ns / ${sql.lit(bucketNs)}`.as('bucket'),
      sql<number>`case when t.start_ns >= ${sql.lit(range.from)} and t.start_ns < ${sql.lit(range.to)} then 1 else 0 end`.as(
        'isWithin',
      ),
      sql<number | null>`t.end_ns - t.start_ns`.as('durationNs'),
      value.as('value'),
      label.as('label'),
    ])
    .limit(limit)
    .execute()
}

export type TimeSlice = TimeRange & { bucket: number }

type Sampled = { slices: readonly TimeSlice[]; perSlice: number; groupBy: GroupColumn }

export type SampledTrace = {
  bucket: number
  durationNs: number | null
  costUsd: number | null
  value: string | null
  source: string
}

/**
 * Duration and cost of some traces of each slice of time. The filter is applied to a fixed number of traces per slice, so that the work does
 * not depend on how many match.
 */
export async function sampleTraces(
  q: Queries,
  workspaceId: string,
  { status, componentId, service, environment, source }: PlainFilter,
  { slices, perSlice, groupBy }: Sampled,
): Promise<SampledTrace[]> {
  const rows = slices.map(({ bucket, from, to }) => [String(bucket), String(from), String(to)])
  const some = sql`select t.end_ns - t.start_ns as duration, t.cost_usd, t.status, t.component_id, t.service, t.environment,
    coalesce(t.source, 'production') as source
    from traces as t where t.workspace_id = ${workspaceId} and t.start_ns >= cast(s.from_ns as bigint)
    and t.start_ns < cast(s.until_ns as bigint) and (t.deleted_at is null) is true limit ${sql.lit(perSlice)}`
  const conditions: RawBuilder<unknown>[] = []
  if (status !== undefined) conditions.push(sql`x.status = ${status}`)
  if (componentId !== undefined) conditions.push(sql`x.component_id = ${componentId}`)
  if (service !== undefined) conditions.push(sql`x.service = ${service}`)
  if (environment !== undefined) conditions.push(sql`x.environment = ${environment}`)
  if (source !== undefined) conditions.push(sql`x.source = ${source}`)
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
  const value = groupBy === undefined ? sql`null` : sql.ref(`x.${groupBy === 'component' ? 'component_id' : groupBy}`)
  const { rows: found } = await sql<{ bucket: string; samples: string | null }>`
    select s.bucket, (select ${jsonArrayOf(q, [sql`x.duration`, sql`x.cost_usd`, sql`cast(${value} as text)`, sql`x.source`])} from (${some}) as x
      ${where}) as samples
    from ${textRows(q, ['bucket', 'from_ns', 'until_ns'], rows)} as s`.execute(q)
  return found.flatMap(({ bucket, samples }) => {
    const traces: [number | null, number | null, string | null, string][] = JSON.parse(samples ?? '[]')
    return traces.map(([durationNs, costUsd, value, source]) => ({
      bucket: Number(bucket),
      durationNs,
      costUsd,
      value,
      source,
    }))
  })
}

/** Which of these models the traces used. */
export async function listModelsOfTraces(
  q: Queries,
  workspaceId: string,
  { traceDbIds, models }: { traceDbIds: readonly string[]; models: readonly string[] },
): Promise<{ id: string; model: string }[]> {
  if (traceDbIds.length === 0 || models.length === 0) return []
  const { rows } = await sql<{ id: string; model: string }>`
    select t.id, m.model from ${textRows(
      q,
      ['id'],
      traceDbIds.map((id) => [id]),
    )} as t
    cross join ${textRows(
      q,
      ['model'],
      models.map((model) => [model]),
    )} as m
    where exists (select 1 from trace_facets as f where f.workspace_id = ${workspaceId} and f.facet = 'model'
      and f.value = m.model and f.trace_id = ${asId(q, 't.id')})`.execute(q)
  return rows
}
