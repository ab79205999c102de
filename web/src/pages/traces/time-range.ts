/** Ranges that end now. Without one, and without times, all traces are shown. */
export const rangePresets = ['15m', '1h', '24h', '7d', '30d'] as const

export type RangePreset = (typeof rangePresets)[number]

export const presetNames: Record<RangePreset, string> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const presetMs: Record<RangePreset, number> = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
}

/** The part of an address that says which times are shown. */
export interface RangeSearch {
  /** A range that ends now. Without it and without times, all traces are shown. */
  range: RangePreset | undefined
  from: string | undefined
  to: string | undefined
}

export function readRangePreset(text: unknown): RangePreset | undefined {
  return rangePresets.find((preset) => preset === text)
}

export function isRangeLimited({ range, from, to }: RangeSearch): boolean {
  return range !== undefined || from !== undefined || to !== undefined
}

/** Times of the address have precedence over a range that ends now. */
export function timesOf({ range, from, to }: RangeSearch, nowMs: number): Pick<RangeSearch, 'from' | 'to'> {
  if (from || to || !range) return { from, to }
  return { from: new Date(nowMs - presetMs[range]).toISOString(), to: undefined }
}
