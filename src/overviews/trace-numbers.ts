/**
 * How many traces components have in a period, how many failed, how long they needed and what they cost. The number of statements does not
 * depend on the number of components: counts are from the rollups, durations and costs from the traces, or from a sample if there are many.
 *
 * Only traces of production count, because those of runs say how an evaluation was, and not how users are served. A component that has
 * never had one counts all of its traces: otherwise it would look dead.
 */
import { timestamp } from '../base/clock.ts'
import { estimateMean } from '../comparisons/evidence/estimate-mean.ts'
import { quantileRanks } from '../statistics/quantiles.ts'
import { wilsonInterval } from '../statistics/rate-intervals.ts'
import type { Queries } from '../storage/db.ts'
import { listHourCounts, sampleTraces } from '../trace-lists/series-queries.ts'
import type { TimeRange } from '../trace-lists/series-range.ts'
import { percentile } from '../trace-lists/series-sums.ts'
import { dollars } from '../traces/trace-summary.ts'
import { bucketsOf, type Period, splitRange } from './overview-period.ts'
import { findProductionComponents, listNewestTraces, sumComponentRollups } from './trace-number-queries.ts'

/** Up to this number, all traces of a period are read; otherwise a sample. */
export const TRACES_READ_MAX = 10_000
const SLICES = 84
/** A component with fewer in the sample gets its newest traces instead. */
const SAMPLED_MIN = 100
const NEWEST_TRACES = 200
const P95 = 0.95

type Sample = { durationsNs: number[]; costs: number[]; read: number }

export async function readTraceNumbers(
  q: Queries,
  { workspaceId, componentIds }: { workspaceId: string; componentIds: readonly string[] },
  period: Period,
) {
  const scope = { workspaceId, componentIds, ...period }
  const { production, counted, others } = await readCountedSums(q, scope)
  const sums = Map.groupBy(counted, ({ componentId }) => componentId)
  const counts = new Map([...sums].map(([id, rows]) => [id, rows.reduce((sum, { count }) => sum + count, 0)]))
  const { samples, isSampled } = await readSamples(q, { ...scope, production }, counts)
  return new Map(
    componentIds.map((id) => {
      const rows = sums.get(id) ?? []
      const count = counts.get(id) ?? 0
      const errors = rows.reduce((sum, row) => sum + row.errors, 0)
      const costUsd = rows.reduce((sum, row) => sum + row.costUsd, 0)
      const sample = samples.get(id) ?? { durationsNs: [], costs: [], read: 0 }
      return [
        id,
        {
          counted: countedOf(production, id),
          others: others.get(id) ?? 0,
          count,
          errors,
          errorRate: rateOf(errors, count),
          p95: quantileOf(sample.durationsNs, P95),
          cost: costOf(sample, { costUsd, count, isSampled }),
          isSampled,
          series: seriesOf(rows, period),
          knownCosts: sample.costs,
        },
      ]
    }),
  )
}

/** Which traces count, their sums, and how many others each component has. */
export async function readCountedSums(
  q: Queries,
  scope: Period & { workspaceId: string; componentIds: readonly string[] },
) {
  const production = await findProductionComponents(q, scope.workspaceId, scope.componentIds)
  const others = new Map<string, number>()
  const counted = new Map<
    string,
    { componentId: string; bucket: number; count: number; errors: number; costUsd: number }
  >()
  for (const { source, ...sum } of await sumComponentRollups(q, scope)) {
    const { componentId, bucket, count, errors, costUsd } = sum
    if (source !== 'production' && production.has(componentId)) {
      others.set(componentId, (others.get(componentId) ?? 0) + count)
      continue
    }
    const known = counted.get(`${componentId} ${bucket}`) ?? { componentId, bucket, count: 0, errors: 0, costUsd: 0 }
    const total = known.costUsd + costUsd
    counted.set(`${componentId} ${bucket}`, {
      ...known,
      count: known.count + count,
      errors: known.errors + errors,
      // What is left after a subtraction may be a rounding error.
      costUsd: Math.abs(total) < SMALLEST_COST ? 0 : total,
    })
  }
  return { production, counted: [...counted.values()], others }
}

const SMALLEST_COST = 1e-9

export function countedOf(production: ReadonlySet<string>, componentId: string): 'production' | 'all' {
  return production.has(componentId) ? 'production' : 'all'
}

export function rateOf(errors: number, count: number) {
  return {
    rate: count === 0 ? null : errors / count,
    ci: wilsonInterval({ successes: errors, n: count }) ?? null,
    n: count,
  }
}

/** In whole milliseconds. The interval is null if there are too few values for one. */
export function quantileOf(durationsNs: readonly number[], share: number) {
  const sorted = durationsNs.toSorted((a, b) => a - b)
  const ranks = quantileRanks(sorted.length, share)
  const at = (rank: number) => Math.round((sorted[rank - 1] ?? 0) / 1e6)
  return { ms: percentile(sorted, share), ci: ranks ? [at(ranks[0]), at(ranks[1])] : null, n: sorted.length }
}

/** The mean of the known costs. */
export async function costPerTraceOf(costs: readonly number[]) {
  const { mean, ci } = await estimateMean(Float64Array.from(costs), { hasBinaryScale: false, scale: null })
  return { mean, ci, n: costs.length }
}

/** A sum of known costs would look like the whole cost: it is null if no cost is known. */
export function costOf(
  { costs, read }: Sample,
  { costUsd, count, isSampled }: { costUsd: number; count: number; isSampled: boolean },
) {
  const unknown = isSampled ? null : Math.max(0, count - costs.length)
  if (count === 0) return { usd: 0, known: 'all', unknown: 0 }
  if (costs.length === 0 && costUsd === 0) return { usd: null, known: 'none', unknown }
  const isComplete = isSampled ? costs.length === read : unknown === 0
  return { usd: dollars(costUsd), known: isComplete ? 'all' : 'some', unknown }
}

function seriesOf(rows: readonly { bucket: number; count: number; errors: number }[], period: Period) {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]))
  return bucketsOf(period).map(({ bucket }) => {
    const { count = 0, errors = 0 } = byBucket.get(bucket) ?? {}
    return { start: timestamp(bucket * period.bucketSeconds * 1_000), count, errors }
  })
}

/** Whether more traces arrived in a range than are read one by one. */
export async function hasManyTraces(q: Queries, workspaceId: string, range: TimeRange): Promise<boolean> {
  const hours = await listHourCounts(q, workspaceId, range)
  return hours.reduce((sum, { traces }) => sum + traces, 0) > TRACES_READ_MAX
}

type Scope = Period & { workspaceId: string; componentIds: readonly string[]; production: ReadonlySet<string> }

async function readSamples(q: Queries, scope: Scope, counts: ReadonlyMap<string, number>) {
  const { workspaceId, componentIds, production, range } = scope
  const samples = new Map<string, Sample>()
  if (counts.size === 0) return { samples, isSampled: false }
  const isSampled = await hasManyTraces(q, workspaceId, range)
  const parts = isSampled ? splitRange(range, SLICES) : [range]
  const slices = parts.map((part, bucket) => ({ bucket, ...part }))
  const perSlice = Math.ceil(TRACES_READ_MAX / slices.length)
  const filter = { parts: [] }
  for (const { value, source, ...trace } of await sampleTraces(q, workspaceId, filter, {
    slices,
    perSlice,
    groupBy: 'component',
  })) {
    if (value === null || !componentIds.includes(value)) continue
    if (source === 'production' || !production.has(value)) addTo(samples, value, trace)
  }
  if (!isSampled) return { samples, isSampled }
  const rare = [...counts].filter(([id, count]) => {
    const read = samples.get(id)?.read ?? 0
    return read < SAMPLED_MIN && read < count
  })
  const rareIds = rare.map(([id]) => id)
  for (const id of rareIds) samples.delete(id)
  const newest = { workspaceId, componentIds: rareIds, production, range, perComponent: NEWEST_TRACES }
  for (const { componentId, ...trace } of await listNewestTraces(q, newest)) addTo(samples, componentId, trace)
  return { samples, isSampled }
}

type ReadTrace = { durationNs: number | null; costUsd: number | null }

function addTo(samples: Map<string, Sample>, id: string, { durationNs, costUsd }: ReadTrace): void {
  const sample = samples.get(id) ?? { durationsNs: [], costs: [], read: 0 }
  samples.set(id, sample)
  sample.read += 1
  if (durationNs !== null) sample.durationsNs.push(durationNs)
  if (costUsd !== null) sample.costs.push(costUsd)
}
