/** How the quality, cost, duration and errors of a component developed, and when its version changed. */

import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { lowestIdAt } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import { estimateMean } from '../../comparisons/evidence/estimate-mean.ts'
import { findComponent } from '../../components/component-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { listHourCounts, sampleTraces, type TimeSlice } from '../../trace-lists/series-queries.ts'
import { listResourceScopes } from '../../traces/trace-queries.ts'
import { type Period, periodTimes } from '../overview-period.ts'
import { readResults } from '../read-results.ts'
import { sumComponentRollups } from '../trace-number-queries.ts'
import { costOf, quantileOf, rateOf } from '../trace-numbers.ts'
import { settingsKeyOf } from './settings-key.ts'
import { findRunBefore, listFirstResourceScopes, listTrendEvaluations, listTrendRuns } from './trend-queries.ts'
import { runChanges, serviceChanges } from './version-changes.ts'

const EVALUATIONS_MAX = 100
const RUNS_MAX = 200
/** Up to this number, all traces are read; otherwise some of each bucket. */
const TRACES_READ_MAX = 10_000
const SLICES_PER_BUCKET = 3
/** The first traces of a bucket say which version sent them. A version that appears later is found in the next bucket at the latest. */
const RESOURCE_SCOPES_PER_BUCKET = 40

type Scope = { workspaceId: string; componentId: string }

export async function readTrends(
  q: Queries,
  by: Principal,
  { componentId, datasetId, period }: { componentId: string; datasetId: string | undefined; period: Period },
) {
  const scope = { workspaceId: by.workspaceId, componentId }
  const [component] = await findComponent(q, scope)
  if (!component) throw notFound('Component')
  const between = {
    sinceId: lowestIdAt(Number(period.range.from / 1_000_000n)),
    untilId: lowestIdAt(Number(period.range.to / 1_000_000n)),
  }
  const runs = await listTrendRuns(q, { ...scope, ...between, limit: RUNS_MAX })
  const before = await findRunBefore(q, scope, runs.at(-1)?.id ?? between.sinceId)
  const slices = bucketsOf(period)
  const traces = await listFirstResourceScopes(q, scope, { slices, perSlice: RESOURCE_SCOPES_PER_BUCKET })
  const resourceScopes = await listResourceScopes(q, scope.workspaceId, [
    ...new Set(traces.map(({ resourceScopeHash }) => resourceScopeHash)),
  ])
  const versions = [...runChanges(runs, before), ...serviceChanges(traces, resourceScopes)]
  return {
    ...periodTimes(period),
    ...(await readQuality(q, by, { ...scope, ...between, datasetId })),
    traces: await readBuckets(q, scope, { period, slices }),
    versions: versions.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  }
}

async function readQuality(
  q: Queries,
  by: Principal,
  scope: Scope & { sinceId: string; untilId: string; datasetId: string | undefined },
) {
  const found = await listTrendEvaluations(q, { ...scope, limit: EVALUATIONS_MAX + 1 })
  const shown = found.slice(0, EVALUATIONS_MAX).toReversed()
  const results = await readResults(q, by, { evaluationIds: shown.map(({ id }) => id) })
  const evaluations = shown.flatMap(({ id, config, items }) => {
    const evaluation = results.metricsOf(id)
    // Deleted since the ids were read.
    if (!evaluation) return []
    const metrics = evaluation.metrics.map((metric) => ({ ...metric, settingsKey: settingsKeyOf(config, metric.name) }))
    return { ...evaluation, metrics, items }
  })
  return { evaluations, hasMoreEvaluations: found.length > EVALUATIONS_MAX }
}

async function readBuckets(
  q: Queries,
  { workspaceId, componentId }: Scope,
  { period, slices }: { period: Period; slices: readonly TimeSlice[] },
) {
  const sums = await sumComponentRollups(q, { workspaceId, componentIds: [componentId], ...period })
  const sumByBucket = new Map(sums.map((sum) => [sum.bucket, sum]))
  const hours = await listHourCounts(q, workspaceId, period.range)
  const isSampled = hours.reduce((sum, { traces }) => sum + traces, 0) > TRACES_READ_MAX
  const parts = isSampled ? slices.flatMap(partsOf) : slices
  const perSlice = isSampled ? Math.ceil(TRACES_READ_MAX / parts.length) : TRACES_READ_MAX
  const filter = { parts: [], componentId }
  const sampled = await sampleTraces(q, workspaceId, filter, { slices: parts, perSlice, groupBy: undefined })
  const tracesOf = Map.groupBy(sampled, ({ bucket }) => bucket)
  const bucketSums = slices.map(({ bucket }) => ({
    bucket,
    sum: sumByBucket.get(bucket) ?? { count: 0, errors: 0, costUsd: 0 },
    traces: tracesOf.get(bucket) ?? [],
  }))
  const buckets: Awaited<ReturnType<typeof measureBucket>>[] = []
  for (const one of bucketSums) buckets.push(await measureBucket(one, { period, isSampled }))
  return { isSampled, buckets }
}

type BucketSum = {
  bucket: number
  sum: { count: number; errors: number; costUsd: number }
  traces: readonly { durationNs: number | null; costUsd: number | null }[]
}

async function measureBucket(
  { bucket, sum: { count, errors, costUsd }, traces }: BucketSum,
  { period, isSampled }: { period: Period; isSampled: boolean },
) {
  const durationsNs = traces.flatMap(({ durationNs }) => durationNs ?? [])
  const costs = traces.flatMap(({ costUsd: cost }) => cost ?? [])
  const { mean, ci } = await estimateMean(yieldToEventLoop, Float64Array.from(costs), { hasBinaryScale: false })
  return {
    start: timestamp(bucket * period.bucketSeconds * 1_000),
    count,
    errors,
    errorRate: rateOf(errors, count),
    p50: quantileOf(durationsNs, 0.5),
    p95: quantileOf(durationsNs, 0.95),
    cost: costOf({ durationsNs, costs, read: traces.length }, { costUsd, count, isSampled }),
    costPerTrace: { mean, ci, n: costs.length },
  }
}

/** The buckets of a period; the first and the last end with it. */
function bucketsOf({ range, bucketSeconds }: Period): TimeSlice[] {
  const length = BigInt(bucketSeconds) * 1_000_000_000n
  const first = Number(range.from / length)
  const end = Number((range.to + length - 1n) / length)
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => {
    const bucket = first + index
    return {
      bucket,
      from: later(BigInt(bucket) * length, range.from),
      to: earlier(BigInt(bucket + 1) * length, range.to),
    }
  })
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function earlier(a: bigint, b: bigint): bigint {
  return later(a, b) === a ? b : a
}

/** Load changes within a bucket: a sample is from several parts of it. */
function partsOf({ bucket, from, to }: TimeSlice): TimeSlice[] {
  const count = BigInt(SLICES_PER_BUCKET)
  const at = (part: bigint) => from + ((to - from) * part) / count
  return Array.from({ length: SLICES_PER_BUCKET }, (_, index) => ({
    bucket,
    from: at(BigInt(index)),
    to: at(BigInt(index) + 1n),
  }))
}
