/** A trace in a list. Only this file converts a row to the resource. */
import { timestamp } from '../base/clock.ts'

export type TraceSummaryRow = {
  id: string
  traceId: string
  name: string | null
  status: string
  aiComponentId: string | null
  componentName: string | null
  totalTokens: number | null
  costUsd: number | null
  startMs: number
  endMs: number | null
  durationNs: number | null
}

export function toTraceSummary(row: TraceSummaryRow) {
  return {
    id: row.id,
    traceId: row.traceId,
    name: row.name,
    status: row.status,
    aiComponentId: row.aiComponentId,
    componentName: row.componentName,
    durationMs: wholeMilliseconds(row.durationNs),
    totalTokens: row.totalTokens,
    totalCostUsd: dollars(row.costUsd),
    startTime: timestamp(row.startMs),
    endTime: row.endMs === null ? null : timestamp(row.endMs),
  }
}

/** Clients expect whole milliseconds for traces. Spans keep their fractions. */
function wholeMilliseconds(nanoseconds: number | null): number | null {
  return nanoseconds === null ? null : Math.round(nanoseconds / 1e6)
}

export function milliseconds(nanoseconds: number | null): number | null {
  return nanoseconds === null ? null : nanoseconds / 1e6
}

/** A billionth of a cent. */
const UNITS_PER_DOLLAR = 1e11
/** Below this limit, the rounding error of a product is far less than half a unit. */
const EXACT_DOLLARS_MAX = 2 ** 50 / UNITS_PER_DOLLAR

/** Sums of decimal fractions have rounding errors, as in 0.1 + 0.2. A billionth of a cent is exact enough. */
export function dollars(sum: number | null): number | null {
  if (sum === null) return null
  // Dividing integers gives the double nearest to the decimal fraction, at a tenth of the cost of formatting and parsing.
  if (Math.abs(sum) < EXACT_DOLLARS_MAX) return Math.round(sum * UNITS_PER_DOLLAR) / UNITS_PER_DOLLAR
  return Number(sum.toFixed(11))
}
