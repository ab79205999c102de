import { quartiles } from '../statistics/quartiles.ts'
import type { Finder } from './insight.ts'
import { formatDuration, formatShare } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { quartileDistances, tracesAtLeast } = INSIGHT_THRESHOLDS.latency_outlier

type TimedTrace = { id: string; durationMs: number }

/** Finds traces that are much slower than most. Frequency: the share of traces that have ended. */
export function findLatencyOutliers(): Finder {
  // An array of doubles needs eight bytes per entry, like a typed array, and grows by itself.
  const durations: number[] = []
  const slowest = createSlowest()
  return {
    add({ id, durationMs }) {
      if (durationMs === null) return
      durations.push(durationMs)
      slowest.add({ id, durationMs })
    },
    finish() {
      const count = durations.length
      const middle = count < tracesAtLeast ? undefined : quartiles(durations)
      if (middle === undefined) return []
      const { q1, median, q3 } = middle
      const fenceMs = q3 + quartileDistances * (q3 - q1)
      let outliers = 0
      for (const durationMs of durations) if (durationMs > fenceMs) outliers += 1
      if (outliers === 0) return []
      const listed = slowest.list().filter(({ durationMs }) => durationMs > fenceMs)
      const slowestMs = listed[0]?.durationMs ?? fenceMs
      return [
        {
          title: `${formatShare(outliers, count, 'trace')} took longer than ${formatDuration(fenceMs)}`,
          description: `Half of the traces take ${formatDuration(median)} or less and three quarters ${formatDuration(q3)} or less; these exceed the third quartile by more than ${quartileDistances} times the interquartile range. The slowest took ${formatDuration(slowestMs)}.`,
          frequency: outliers / count,
          affected: { add: () => {}, count: () => outliers, ids: () => listed.map(({ id }) => id).sort() },
          details: { q1Ms: q1, medianMs: median, q3Ms: q3, fenceMs, slowestMs },
          suggestedFix:
            'Open the slowest of them and look for the longest step: retries and waiting for a provider need a time limit, steps that do not need each other can run at the same time.',
        },
      ]
    },
  }
}

/** Keeps the slowest traces, up to the limit of ids per insight. Ties are broken by id. */
function createSlowest() {
  const max = INSIGHT_LIMITS.affectedIds
  let kept: TimedTrace[] = []
  let minKeptMs = 0
  const prune = () => {
    kept = kept.sort((a, b) => b.durationMs - a.durationMs || (a.id < b.id ? -1 : 1)).slice(0, max)
    if (kept.length === max) minKeptMs = kept.at(-1)?.durationMs ?? 0
  }
  return {
    add(trace: TimedTrace) {
      if (trace.durationMs < minKeptMs) return
      kept.push(trace)
      if (kept.length >= max * 2) prune()
    },
    list(): TimedTrace[] {
      prune()
      return kept
    },
  }
}
