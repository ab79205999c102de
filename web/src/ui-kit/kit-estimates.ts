import type { HistogramBin } from '../ui/charts/histogram.tsx'
import type { TimeBucket } from '../ui/charts/time-buckets.ts'
import type { TrendPoint } from '../ui/charts/trend-plot.tsx'

/** The numbers of the examples; one story: prompt v7 against v6. */
export const GROUNDED_V6 = { mean: 0.88, low: 0.82, high: 0.92, n: 187 }
export const GROUNDED_V7 = { mean: 0.78, low: 0.72, high: 0.83, n: 187 }
export const GROUNDED_CORRECTED = { mean: 0.84, low: 0.71, high: 0.98, n: 108 }
export const GROUNDED_DIFFERENCE = { mean: -0.1, low: -0.16, high: -0.04, n: 187 }
export const CITES_DIFFERENCE = { mean: 0.02, low: -0.03, high: 0.07, n: 196 }
export const ERROR_RATE = { mean: 0.019, low: 0.016, high: 0.023, n: 6214 }
export const TOO_FEW = { summary: '12 of 30 scores; too few for a mean' }

export const VERSIONS: TrendPoint[] = [
  { label: 'v8', date: '12 Oct', estimate: { mean: 0.67, low: 0.6, high: 0.73, n: 212 } },
  { label: 'v9', date: '19 Oct', estimate: { mean: 0.71, low: 0.65, high: 0.77, n: 212 } },
  { label: 'v10', date: '24 Oct', estimate: { mean: 0.7, low: 0.63, high: 0.76, n: 212 } },
  {
    label: 'v11',
    date: '30 Oct',
    estimate: { mean: 0.71, low: 0.64, high: 0.77, n: 184 },
    breakBefore: 'dataset revised',
  },
  { label: 'v12', date: '4 Nov', estimate: { summary: 'too few: 12 of 30' } },
  { label: 'v13', date: '10 Nov', estimate: { mean: 0.76, low: 0.69, high: 0.81, n: 184 }, series: 'baseline' },
  { label: 'v14', date: '14 Nov', estimate: { mean: 0.86, low: 0.81, high: 0.91, n: 184 }, series: 'candidate' },
]

export const HELPFUL_BINS: HistogramBin[] = [
  { label: '1', count: 4, outcome: 'fail' },
  { label: '2', count: 9, outcome: 'fail' },
  { label: '3', count: 36, outcome: 'fail' },
  { label: '4', count: 92, outcome: 'pass' },
  { label: '5', count: 54, outcome: 'pass' },
]

export const DURATION_BINS: HistogramBin[] = [3, 9, 14, 11, 8, 6, 4, 3, 2, 1].map((count, index) => ({
  label: `${index} to ${index + 1} s`,
  count,
}))

const START = Date.UTC(2026, 10, 15, 14, 40)
export const BUCKET_MS = 30 * 60_000
export const DAY = { from: START, to: START + 48 * BUCKET_MS }

/** A day with a quiet night and a bad morning. */
export const BUCKETS: TimeBucket[] = Array.from({ length: 48 }, (_, index) => {
  const count = Math.round(26 + 22 * Math.cos((index / 48) * 2 * Math.PI) + ((index * 7) % 5))
  const errors = index >= 37 && index <= 40 ? 9 - Math.abs(index - 38) * 2 : index % 6 === 1 ? 1 : 0
  return { start: START + index * BUCKET_MS, count, errors }
})

export const RELEASE = { time: START + 11.3 * BUCKET_MS, label: 'v14 released 20:20' }

export const WEEK = Array.from({ length: 28 }, (_, index) => ({
  count: 10 + Math.round(8 * Math.sin(index)),
  errors: index === 19 || index === 20 ? 4 : index % 9 === 0 ? 1 : 0,
}))
