/** Collects what the traces of each bucket and group add up to, and writes it as series. */
import { timestamp } from '../base/clock.ts'
import { dollars } from '../traces/trace-summary.ts'

const NAMED_GROUPS_MAX = 5

export type BucketSum = { count: number; errors: number; tokens: number; costUsd: number }

type Bucket = BucketSum & { durationsNs: number[] }

/** Without a group, the key is undefined. Traces without a value have the key null. */
type GroupKey = string | null | undefined

export class SeriesSums {
  readonly #groups = new Map<GroupKey, Map<number, Bucket>>()

  add(group: GroupKey, bucket: number, sum: BucketSum): void {
    const into = this.#bucketOf(group, bucket)
    into.count += sum.count
    into.errors += sum.errors
    into.tokens += sum.tokens
    into.costUsd += sum.costUsd
  }

  addDuration(group: GroupKey, bucket: number, durationNs: number): void {
    this.#bucketOf(group, bucket).durationsNs.push(durationNs)
  }

  #bucketOf(group: GroupKey, bucket: number): Bucket {
    const buckets = this.#groups.get(group) ?? new Map<number, Bucket>()
    this.#groups.set(group, buckets)
    const known = buckets.get(bucket) ?? emptyBucket()
    buckets.set(bucket, known)
    return known
  }

  /** The keys of the most frequent groups, most frequent first. With `named only`, traces without a value are no group. */
  topGroups(which: 'all' | 'named only'): (string | null)[] {
    const counts = [...this.#groups].flatMap(([key, buckets]) =>
      key === undefined || (key === null && which === 'named only') ? [] : [{ key, count: tracesIn(buckets.values()) }],
    )
    return counts
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || ((a.key ?? '') < (b.key ?? '') ? -1 : 1))
      .slice(0, NAMED_GROUPS_MAX)
      .map(({ key }) => key)
  }

  /** One entry for each bucket, also for those without traces. */
  writeBuckets(groups: readonly GroupKey[], { first, end, seconds }: BucketRange) {
    return Array.from({ length: end - first }, (_, place) => {
      const bucket = first + place
      const parts = groups.flatMap((group) => this.#groups.get(group)?.get(bucket) ?? [])
      return writeBucket(timestamp(bucket * seconds * 1_000), parts)
    })
  }

  /** All groups except these. */
  othersOf(groups: readonly GroupKey[]): GroupKey[] {
    return [...this.#groups.keys()].filter((key) => !groups.includes(key))
  }
}

/** Buckets are numbered from 1970 on. */
export type BucketRange = { first: number; end: number; seconds: number }

function emptyBucket(): Bucket {
  return { count: 0, errors: 0, tokens: 0, costUsd: 0, durationsNs: [] }
}

function tracesIn(buckets: Iterable<Bucket>): number {
  let count = 0
  for (const bucket of buckets) count += bucket.count
  return count
}

function writeBucket(start: string, parts: readonly Bucket[]) {
  const durations = parts.flatMap(({ durationsNs }) => durationsNs).sort((a, b) => a - b)
  return {
    start,
    count: parts.reduce((sum, { count }) => sum + count, 0),
    errors: parts.reduce((sum, { errors }) => sum + errors, 0),
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    costUsd: dollars(parts.reduce((sum, { costUsd }) => sum + costUsd, 0)) ?? 0,
  }
}

/** The smallest duration that at least this share of them does not exceed, in whole milliseconds. */
export function percentile(sortedNs: readonly number[], share: number): number | null {
  const value = sortedNs[Math.ceil(sortedNs.length * share) - 1]
  return value === undefined ? null : Math.round(value / 1e6)
}
