/**
 * Numbers of traces over time, for charts. The work is bounded for any number of traces:
 *
 * - Filters that the rollups cover: counts, tokens and costs are read from the rollups; if there are many traces, durations are from a sample.
 * - Other conditions: traces are read one by one, up to a limit. If there are more, the series covers the latest part of the range only, and
 *   says where it begins.
 */
import { timestamp } from '../base/clock.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'
import { isCoveredByRollups } from '../traces/query/matching-trace-queries.ts'
import { chooseFacet, later, type PlainFilter, plainFilter } from '../traces/query/plain-filter.ts'
import { isFoundByIndex } from '../traces/query/text-search-queries.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { planSearch, type SearchPlan } from '../traces/trace-list-queries.ts'
import {
  findFirstHour,
  type GroupColumn,
  listHourCounts,
  listModelsOfTraces,
  listSeriesTraces,
  sampleTraces,
  sumTraces,
  type TimeSlice,
} from './series-queries.ts'
import {
  chooseBucket,
  FIRST_TRACE,
  type RangeParameters,
  readRange,
  type TimeRange,
  wholeBuckets,
} from './series-range.ts'
import { type BucketRange, SeriesSums } from './series-sums.ts'
import { listModels } from './trace-row-queries.ts'

/** The number of traces that are read one by one; fewer if their models must be looked up. */
const TRACES_READ_MAX = 10_000
const TRACES_WITH_MODELS_MAX = 5_000
/** The number of traces in the sample of durations. */
const SAMPLE_TRACES = 6_000
/** Traces of a sample are taken from several parts of a bucket, because load changes within hours. */
const SLICES_PER_BUCKET = 3
/** The newest traces, whose models are the candidates for groups. */
const MODEL_CANDIDATE_TRACES = 200
const MODELS_MAX = 5
const HOUR_S = 3_600
const HOUR_NS = 3_600_000_000_000n
const SECOND_NS = 1_000_000_000n

export type SeriesRequest = RangeParameters & { filter: TraceFilter; groupBy?: GroupColumn | 'model' }

type Deps = { q: Queries; workspaceId: string }

export async function readSeries(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  workspaceId: string,
  { filter, groupBy, ...parameters }: SeriesRequest,
) {
  const deps = { q: db.search({ application: workspaceId, signal, from: 'request' }), workspaceId }
  const plain = plainFilter(filter)
  const asked = readRange(parameters, plain, clock.now())
  const first = parameters.from === FIRST_TRACE ? await findFirstHour(deps.q, workspaceId) : undefined
  if (first !== undefined && first < asked.to) asked.from = first
  const hasRollups = isCoveredByRollups(plain) && groupBy !== 'model'
  const usesRollups = hasRollups && (await hasManyTraces(deps, asked))
  const seconds = chooseBucket(parameters.bucket, asked, usesRollups ? HOUR_S : 0)
  const range = wholeBuckets(asked, seconds)
  const sums = new SeriesSums()
  const labels = new Map<string, string>()
  const collected = { sums, labels, asked, range, seconds, groupBy }
  const from = usesRollups ? await collectRollups(deps, plain, collected) : await collectTraces(deps, filter, collected)
  const covered = { from, to: range.to }
  return {
    from: timeOf(range.from),
    to: timeOf(range.to),
    bucketSeconds: seconds,
    completeFrom: timeOf(from),
    durationsAreSampled: usesRollups,
    series: writeSeries(collected, bucketsOf(covered, seconds)),
  }
}

async function hasManyTraces({ q, workspaceId }: Deps, range: TimeRange): Promise<boolean> {
  const hours = await listHourCounts(q, workspaceId, range)
  return hours.reduce((sum, { traces }) => sum + traces, 0) > TRACES_READ_MAX
}

type Collected = {
  sums: SeriesSums
  labels: Map<string, string>
  /** Only its traces are counted. */
  asked: TimeRange
  /** The same in whole buckets. */
  range: TimeRange
  seconds: number
  groupBy: SeriesRequest['groupBy']
}

function timeOf(ns: bigint): string {
  return timestamp(Number(ns / 1_000_000n))
}

function bucketsOf({ from, to }: TimeRange, seconds: number): BucketRange {
  const length = BigInt(seconds) * SECOND_NS
  return { first: Number(from / length), end: Number(to / length), seconds }
}

function writeSeries({ sums, labels, groupBy }: Collected, buckets: BucketRange) {
  if (groupBy === undefined) {
    return [{ kind: 'all', value: null, label: null, buckets: sums.writeBuckets([undefined], buckets) }]
  }
  // Traces with none of the most frequent models are others.
  const top = sums.topGroups(groupBy === 'model' ? 'named only' : 'all')
  const named = top.map((value) => ({
    kind: 'value',
    value,
    label: value === null ? null : (labels.get(value) ?? value),
    buckets: sums.writeBuckets([value], buckets),
  }))
  const others = sums.othersOf(top)
  if (others.length === 0) return named
  return [...named, { kind: 'others', value: null, label: null, buckets: sums.writeBuckets(others, buckets) }]
}

/** Returns the start of the covered range, which is all of it. */
async function collectRollups({ q, workspaceId }: Deps, plain: PlainFilter, collected: Collected): Promise<bigint> {
  const { sums, labels, asked, range, seconds } = collected
  const groupBy = columnOf(collected.groupBy)
  const keyOf = (value: string | null) => (groupBy === undefined ? undefined : value)
  const isKnown = new Set<string | null>()
  for (const { value, label, bucket, ...sum } of await sumTraces(q, workspaceId, plain, {
    range: asked,
    bucketSeconds: seconds,
    groupBy,
  })) {
    sums.add(keyOf(value), bucket, sum)
    isKnown.add(value)
    if (value !== null && label !== null) labels.set(value, label)
  }
  const slices = slicesOf(range, seconds).filter(({ from, to }) => from < asked.to && to > asked.from)
  const perSlice = Math.ceil(SAMPLE_TRACES / slices.length)
  for (const { bucket, durationNs, value } of await sampleTraces(q, workspaceId, plain, {
    slices,
    perSlice,
    groupBy,
  })) {
    // A deleted component has no group of its own.
    if (durationNs !== null) sums.addDuration(keyOf(isKnown.has(value) ? value : null), bucket, durationNs)
  }
  return range.from
}

function slicesOf(range: TimeRange, seconds: number): TimeSlice[] {
  const { first, end } = bucketsOf(range, seconds)
  const length = BigInt(seconds) * SECOND_NS
  const slices: TimeSlice[] = []
  for (let bucket = first; bucket < end; bucket += 1) {
    for (let part = 0n; part < SLICES_PER_BUCKET; part += 1n) {
      const from = BigInt(bucket) * length + (length * part) / BigInt(SLICES_PER_BUCKET)
      slices.push({ bucket, from, to: from + length / BigInt(SLICES_PER_BUCKET) })
    }
  }
  return slices
}

type Hours = readonly { hour: number; traces: number }[]

type Scanned = { filter: TraceFilter; plain: PlainFilter }
type SeriesTraces = Awaited<ReturnType<typeof listSeriesTraces>>

/** Returns the start of the covered range. */
async function collectTraces(deps: Deps, filter: TraceFilter, collected: Collected): Promise<bigint> {
  const { asked, range, seconds } = collected
  const ofRange = { ...filter, startAfter: later(filter.startAfter, asked.from), startBefore: asked.to }
  const { plan, searchedSince } = await planSearch(deps.q, deps.workspaceId, ofRange)
  const searched = searchedSince === undefined ? filter : { ...filter, startAfter: searchedSince }
  const scanned = { filter: searched, plain: plainFilter(searched) }
  const all = isSelective(scanned.plain, plan) ? await findAllTraces(deps, scanned, plan, collected) : undefined
  const found = all ?? (await findLatestTraces(deps, scanned, plan, collected))
  const start = later(found.start, wholeBucketsSince(searchedSince ?? 0n, range, seconds))
  const traces = found.traces.filter(({ bucket }) => BigInt(bucket) * BigInt(seconds) * SECOND_NS >= start)
  const { sums, labels, groupBy } = collected
  const models = groupBy === 'model' ? await modelsOf(deps, traces) : undefined
  for (const { id, status, tokens, costUsd, bucket, durationNs, value, label } of traces) {
    const sum = { count: 1, errors: status === 'error' ? 1 : 0, tokens: tokens ?? 0, costUsd: costUsd ?? 0 }
    const own = models && (models.get(id) ?? [null])
    for (const key of own ?? [groupBy === undefined ? undefined : value]) {
      sums.add(key, bucket, sum)
      if (durationNs !== null) sums.addDuration(key, bucket, durationNs)
    }
    if (value !== null && label !== null) labels.set(value, label)
  }
  return start
}

type FoundTraces = { traces: SeriesTraces; start: bigint }

/** All matches of the range; undefined if there are too many. */
async function findAllTraces(
  { q, workspaceId }: Deps,
  { filter, plain }: Scanned,
  plan: SearchPlan,
  { asked, range, seconds, groupBy }: Collected,
): Promise<FoundTraces | undefined> {
  const limit = readMaxOf(groupBy)
  const options = { range: asked, bucketSeconds: seconds, groupBy: columnOf(groupBy), limit }
  const found = await listSeriesTraces(q, workspaceId, { filter, plain, scan: 'newest', plan }, options)
  if (found.length === limit) return undefined
  // Filtered here, because a database without statistics would search by time for each of the matches.
  return { traces: found.filter(({ isWithin }) => isWithin === 1), start: range.from }
}

/** The matches in the latest part of the range. */
async function findLatestTraces(
  { q, workspaceId }: Deps,
  { filter, plain }: Scanned,
  plan: SearchPlan,
  { asked, range, seconds, groupBy }: Collected,
): Promise<FoundTraces> {
  const hours = await listHourCounts(q, workspaceId, range)
  const start = latestPart(range, { hours, seconds, tracesMax: readMaxOf(groupBy) })
  const startAfter = later(plain.startAfter, later(asked.from, start))
  const within = { ...plain, startAfter, startBefore: asked.to }
  const limit = readMaxOf(groupBy)
  const options = { range: asked, bucketSeconds: seconds, groupBy: columnOf(groupBy), limit }
  const traces = await listSeriesTraces(q, workspaceId, { filter, plain: within, scan: 'by start', plan }, options)
  const earliest = traces.at(-1)
  if (!earliest || traces.length < limit) return { traces, start }
  // The bucket of the earliest trace is not complete.
  return { traces, start: BigInt(earliest.bucket + 1) * BigInt(seconds) * SECOND_NS }
}

function readMaxOf(groupBy: Collected['groupBy']): number {
  return groupBy === 'model' ? TRACES_WITH_MODELS_MAX : TRACES_READ_MAX
}

function columnOf(groupBy: Collected['groupBy']): GroupColumn {
  return groupBy === 'model' ? undefined : groupBy
}

/** True if an index finds the matches, so that the number of traces in the range does not matter. */
function isSelective(plain: PlainFilter, { common }: SearchPlan): boolean {
  return (
    (chooseFacet(plain).facet?.isRare ?? false) || plain.parts.some((part) => isFoundByIndex(part, common ?? new Set()))
  )
}

/** The latest whole buckets with at most as many traces as are read; at least the last one. */
function latestPart(
  { from, to }: TimeRange,
  { hours, seconds, tracesMax }: { hours: Hours; seconds: number; tracesMax: number },
): bigint {
  let read = 0
  for (const { hour, traces } of hours) {
    read += traces
    if (read <= tracesMax) continue
    return wholeBucketsSince(BigInt(hour + 1) * HOUR_NS, { from, to }, seconds)
  }
  return from
}

/** The start of the first whole bucket since a time; at least the last bucket of the range follows it. */
function wholeBucketsSince(ns: bigint, { to }: TimeRange, seconds: number): bigint {
  const length = BigInt(seconds) * SECOND_NS
  const start = ((ns + length - 1n) / length) * length
  return start < to ? start : to - length
}

/** The most frequent models of the newest traces, by trace. Traces with none of them are missing. */
async function modelsOf({ q, workspaceId }: Deps, traces: readonly { id: string }[]): Promise<Map<string, string[]>> {
  const ids = traces.map(({ id }) => id)
  const newest = ids.toSorted().slice(-MODEL_CANDIDATE_TRACES)
  const counts = new Map<string, number>()
  for (const { model } of await listModels(q, workspaceId, newest)) {
    if (model !== null) counts.set(model, (counts.get(model) ?? 0) + 1)
  }
  const models = [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MODELS_MAX)
    .map(([model]) => model)
  const found = await listModelsOfTraces(q, workspaceId, { traceDbIds: ids, models })
  const byTrace = Map.groupBy(found, ({ id }) => id)
  return new Map([...byTrace].map(([id, used]) => [id, used.map(({ model }) => model)]))
}
