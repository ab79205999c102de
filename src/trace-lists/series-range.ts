/** The time range of a series and the length of its buckets. */
import { badRequest } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { readQueryTime } from '../http/query-parameters.ts'
import type { PlainFilter } from '../traces/query/plain-filter.ts'

const HOUR_S = 3_600
const DAY_S = 86_400

/** In seconds, shortest first. */
export const BUCKETS: ReadonlyMap<string, number> = new Map([
  ['1m', 60],
  ['5m', 300],
  ['15m', 900],
  ['1h', HOUR_S],
  ['3h', 3 * HOUR_S],
  ['6h', 6 * HOUR_S],
  ['1d', DAY_S],
  ['7d', 7 * DAY_S],
  ['30d', 30 * DAY_S],
  ['365d', 365 * DAY_S],
])
export const BUCKETS_MAX = 300
/** More are hard to read in a chart. */
const BUCKETS_AUTO = 120

const SECOND_NS = 1_000_000_000n
const DEFAULT_NS = BigInt(DAY_S) * SECOND_NS

/** In nanoseconds, `to` is exclusive. */
export type TimeRange = { from: bigint; to: bigint }

/** As `from`: the start of the first trace. */
export const FIRST_TRACE = 'first'

export type RangeParameters = { from?: string | undefined; to?: string | undefined; bucket?: string | undefined }

/** The parameters decide; without them the conditions of the query on the start time; without these the last 24 hours. */
export function readRange({ from, to }: RangeParameters, plain: PlainFilter, nowMs: number): TimeRange {
  const end = readQueryTime('to', to, nowMs) ?? plain.startBefore ?? BigInt(nowMs) * 1_000_000n
  const start =
    readQueryTime('from', from === FIRST_TRACE ? undefined : from, nowMs) ?? plain.startAfter ?? end - DEFAULT_NS
  const range = { from: start > 0n ? start : 0n, to: end }
  if (range.from >= range.to) throw badRequest('The query parameter from must be before to')
  return range
}

/** `secondsMin` is the shortest bucket that can be read. */
export function chooseBucket(bucket: string | undefined, range: TimeRange, secondsMin: number): number {
  if (bucket !== undefined && bucket !== 'auto') return requireBucket(bucket, range, secondsMin)
  const readable = [...BUCKETS.values()].filter((seconds) => seconds >= secondsMin)
  const chosen =
    readable.find((seconds) => countBuckets(range, seconds) <= BUCKETS_AUTO) ??
    readable.find((seconds) => countBuckets(range, seconds) <= BUCKETS_MAX)
  invariant(chosen !== undefined, 'all times that can be stored must fit into buckets of a year')
  return chosen
}

function requireBucket(bucket: string, range: TimeRange, secondsMin: number): number {
  const seconds = BUCKETS.get(bucket)
  if (seconds === undefined)
    throw badRequest(`The query parameter bucket must be one of auto, ${[...BUCKETS.keys()].join(', ')}`)
  const count = countBuckets(range, seconds)
  if (count > BUCKETS_MAX)
    throw badRequest(`The time range has ${count} buckets of ${bucket}; at most ${BUCKETS_MAX} are possible`)
  if (seconds < secondsMin)
    throw badRequest(
      `There are too many traces in the time range for buckets of ${bucket}; use 1h or longer, or a shorter range`,
    )
  return seconds
}

function countBuckets(range: TimeRange, seconds: number): number {
  const { from, to } = wholeBuckets(range, seconds)
  return Number((to - from) / (BigInt(seconds) * SECOND_NS))
}

/** Extends a range to whole buckets. */
export function wholeBuckets({ from, to }: TimeRange, seconds: number): TimeRange {
  const length = BigInt(seconds) * SECOND_NS
  return { from: (from / length) * length, to: ((to + length - 1n) / length) * length }
}
