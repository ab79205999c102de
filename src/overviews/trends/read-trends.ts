/** How the quality, cost, duration and errors of a component developed, and when its version changed. */

import { createHash } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { lowestIdAt } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import { findComponent } from '../../components/component-queries.ts'
import { readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { sampleTraces, type TimeSlice } from '../../trace-lists/series-queries.ts'
import type { PlainFilter } from '../../traces/query/plain-filter.ts'
import { listResourceScopes } from '../../traces/trace-queries.ts'
import { bucketsOf, type Period, periodTimes, splitRange } from '../overview-period.ts'
import { listRunsWithMetadata } from '../overview-queries.ts'
import { readResults } from '../read-results.ts'
import {
  costOf,
  costPerTraceOf,
  countedOf,
  hasManyTraces,
  quantileOf,
  rateOf,
  readCountedSums,
  TRACES_READ_MAX,
} from '../trace-numbers.ts'
import { listFirstResourceScopes, listTrendEvaluations } from './trend-queries.ts'
import { runChanges, serviceChanges } from './version-changes.ts'

const SETTINGS_KEY_LENGTH = 12
const EVALUATIONS_MAX = 100
const RUNS_MAX = 200
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
    beforeId: lowestIdAt(Number(period.range.to / 1_000_000n)),
  }
  const runs = await listRunsWithMetadata(q, by.workspaceId, { componentId, ...between, limit: RUNS_MAX })
  // What the first run of the period is compared with.
  const beforeId = runs.at(-1)?.id ?? between.sinceId
  const [before] = await listRunsWithMetadata(q, by.workspaceId, { componentId, beforeId, limit: 1 })
  const slices = bucketsOf(period)
  const traces = await listFirstResourceScopes(q, scope, { slices, perSlice: RESOURCE_SCOPES_PER_BUCKET })
  const resourceScopes = await listResourceScopes(q, scope.workspaceId, [
    ...new Set(traces.map(({ resourceScopeHash }) => resourceScopeHash)),
  ])
  const versions = [...runChanges(runs, before), ...serviceChanges(traces, resourceScopes)]
  return {
    ...periodTimes(period),
    ...(await readQuality(q, by, { componentId, ...between, datasetId })),
    traces: await readBuckets(q, scope, { period, slices }),
    versions: versions.toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  }
}

async function readQuality(
  q: Queries,
  by: Principal,
  filter: { componentId: string; sinceId: string; beforeId: string; datasetId: string | undefined },
) {
  const found = await listTrendEvaluations(q, by.workspaceId, { ...filter, limit: EVALUATIONS_MAX + 1 })
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
  const sums = await readCountedSums(q, { workspaceId, componentIds: [componentId], ...period })
  const counted = countedOf(sums.production, componentId)
  const sumByBucket = new Map(sums.counted.map((sum) => [sum.bucket, sum]))
  const isSampled = await hasManyTraces(q, workspaceId, period.range)
  const parts = isSampled
    ? slices.flatMap(({ bucket, ...range }) =>
        splitRange(range, SLICES_PER_BUCKET).map((part) => ({ bucket, ...part })),
      )
    : slices
  const perSlice = isSampled ? Math.ceil(TRACES_READ_MAX / parts.length) : TRACES_READ_MAX
  const filter: PlainFilter = { parts: [], componentId, ...(counted === 'production' && { source: counted }) }
  const sampled = await sampleTraces(q, workspaceId, filter, { slices: parts, perSlice, groupBy: undefined })
  const tracesOf = Map.groupBy(sampled, ({ bucket }) => bucket)
  const bucketSums = slices.map(({ bucket }) => ({
    bucket,
    sum: sumByBucket.get(bucket) ?? { count: 0, errors: 0, costUsd: 0 },
    traces: tracesOf.get(bucket) ?? [],
  }))
  const buckets: Awaited<ReturnType<typeof measureBucket>>[] = []
  for (const one of bucketSums) buckets.push(await measureBucket(one, { period, isSampled }))
  return { counted, others: sums.others.get(componentId) ?? 0, isSampled, buckets }
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
  return {
    start: timestamp(bucket * period.bucketSeconds * 1_000),
    count,
    errors,
    errorRate: rateOf(errors, count),
    p50: quantileOf(durationsNs, 0.5),
    p95: quantileOf(durationsNs, 0.95),
    cost: costOf({ durationsNs, costs, read: traces.length }, { costUsd, count, isSampled }),
    costPerTrace: await costPerTraceOf(costs),
  }
}

/**
 * Identifies the settings that a metric was measured with: its evaluator, the model connection and the split. Two measurements with
 * different settings must not be connected by a line.
 */
function settingsKeyOf(configText: string, metric: string): string {
  const { split = null }: { split?: unknown } = Object(JSON.parse(configText))
  const { evaluators, provider = null } = readStoredConfig(configText)
  const options = evaluators?.find(({ name }) => name === metric)?.options ?? null
  const text = JSON.stringify(sorted({ options, provider, split }))
  return createHash('sha256').update(text).digest('hex').slice(0, SETTINGS_KEY_LENGTH)
}

/** The same settings in another order are the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, field]) => [name, sorted(field)]))
}
