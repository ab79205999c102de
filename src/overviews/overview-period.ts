import { timestamp } from '../base/clock.ts'
import type { TimeSlice } from '../trace-lists/series-queries.ts'
import { BUCKETS, chooseBucket, readRange, type TimeRange, wholeBuckets } from '../trace-lists/series-range.ts'

const HOUR_S = 3_600
const WEEK_NS = 604_800_000_000_000n
/** More are hard to see in a small chart. */
const BUCKETS_MAX = 36

/** Whole hours, because the rollups have no others. */
export type Period = { range: TimeRange; bucketSeconds: number }

/** By default the last seven days. */
export function readPeriod({ from, to }: { from?: string; to?: string }, nowMs: number): Period {
  const asked = readRange({ from, to }, { parts: [] }, nowMs)
  const start = from === undefined ? asked.to - WEEK_NS : asked.from
  const range = wholeBuckets({ from: start > 0n ? start : 0n, to: asked.to }, HOUR_S)
  const fitting = [...BUCKETS.values()].find((seconds) => seconds >= HOUR_S && lengthIn(range, seconds) <= BUCKETS_MAX)
  return { range, bucketSeconds: fitting ?? chooseBucket(undefined, range, HOUR_S) }
}

/** The period of the same length before it. */
export function periodBefore({ range: { from, to }, bucketSeconds }: Period): Period {
  const start = from - (to - from)
  return { range: { from: start > 0n ? start : 0n, to: from }, bucketSeconds }
}

function lengthIn(range: TimeRange, seconds: number): number {
  const { from, to } = wholeBuckets(range, seconds)
  return Number((to - from) / (BigInt(seconds) * 1_000_000_000n))
}

export function periodTimes({ range: { from, to }, bucketSeconds }: Period) {
  const timeOf = (ns: bigint) => timestamp(Number(ns / 1_000_000n))
  return { from: timeOf(from), to: timeOf(to), bucketSeconds }
}

/** The buckets of a period; the first and the last end with it. */
export function bucketsOf({ range, bucketSeconds }: Period): TimeSlice[] {
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

/** Parts of the same length. Load changes during the day, so a sample is taken from many parts. */
export function splitRange({ from, to }: TimeRange, count: number): TimeRange[] {
  const at = (part: number) => from + ((to - from) * BigInt(part)) / BigInt(count)
  return Array.from({ length: count }, (_, index) => ({ from: at(index), to: at(index + 1) }))
}
