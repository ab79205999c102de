/** How many traces of production a label serves a day, and what a share of them can show. */
import type { ComparedMetric } from '../comparisons/verdicts/metric-verdicts.ts'
import type { Label } from '../prompts/label-queries.ts'
import { normalQuantile } from '../statistics/distributions.ts'
import { detectableMeanDifference } from '../statistics/power.ts'
import type { Queries } from '../storage/db.ts'
import { listPromptTraffic, type PromptTraffic } from './traffic-queries.ts'

const DAYS = 7
const HOUR_MS = 3_600_000

export type Traffic = { tracesPerDay: number | null; days: number; traces: number; summary: string }

/** Of the last seven days, or since the first trace in them. */
export async function readTraffic(
  q: Queries,
  prompt: { workspaceId: string; componentId: string; name: string },
  { label, nowMs }: { label: Pick<Label, 'name' | 'splits'>; nowMs: number },
): Promise<Traffic> {
  const hour = Math.floor(nowMs / HOUR_MS)
  const rows = await listPromptTraffic(q, { ...prompt, prompt: prompt.name, fromHour: hour - DAYS * 24 })
  const served = new Set(label.splits.map(({ version }) => String(version)))
  const named = rows.filter((row) => row.label === label.name)
  const used = named.length > 0 ? named : rows.filter((row) => row.label === '' && served.has(row.version))
  const traces = used.reduce((sum, { uses }) => sum + uses, 0)
  if (traces === 0) {
    const summary = `No trace of production named label ${label.name} or a version that it serves in the last ${DAYS} days.`
    return { tracesPerDay: null, days: DAYS, traces, summary }
  }
  const days = Math.max(1, Math.min(DAYS, (hour + 1 - firstHour(used)) / 24))
  const tracesPerDay = traces / days
  const how = named.length > 0 ? '' : ', by the versions that it serves: they do not name the label'
  const summary = `About ${rounded(tracesPerDay)} traces of production a day${how}.`
  return { tracesPerDay, days: Math.ceil(days), traces, summary }
}

function firstHour(rows: readonly PromptTraffic[]): number {
  return Math.min(...rows.map(({ hour }) => hour))
}

export type Share = {
  weight: number
  tracesPerDay: number
  othersPerDay: number
  detectable: { days: number; difference: number }[]
  daysForMargin: number | null
  summary: string
}

const SHOWN_DAYS = [1, 2, 7, 14, 28]
const DAYS_MAX = 365

type Shown = {
  version: number
  weight: number
  traffic: Traffic
  metric: string | null
  margin: number | null
  /** Of the values of the metric; undefined if unknown. */
  standardDeviation: number | undefined
}

/** Null without traffic. A version that gets all is compared with as many days before. */
export function shareOf({ version, weight, traffic, metric, margin, standardDeviation }: Shown): Share | null {
  const { tracesPerDay: perDay } = traffic
  if (perDay === null || weight === 0) return null
  const tracesPerDay = (perDay * weight) / 100
  const othersPerDay = perDay - tracesPerDay
  const compared = othersPerDay > 0 ? othersPerDay : perDay
  const detectableAfter = (days: number) =>
    standardDeviation === undefined
      ? undefined
      : detectableMeanDifference({ sizes: [tracesPerDay * days, compared * days], standardDeviation })
  const detectable = SHOWN_DAYS.flatMap((days) => {
    const difference = detectableAfter(days)
    return difference === undefined ? [] : [{ days, difference }]
  })
  const daysFor = (difference: number) => {
    for (let days = 1; days <= DAYS_MAX; days += 1) if ((detectableAfter(days) ?? Infinity) <= difference) return days
    return null
  }
  const numbers = { weight, tracesPerDay, othersPerDay, detectable }
  const gets = `At ${weight} %, version ${version} gets about ${counted(tracesPerDay)} a day`
  if (metric === null || margin === null || detectable.length === 0 || !(margin > 0))
    return { ...numbers, daysForMargin: null, summary: `${gets}.` }
  const daysForMargin = daysFor(margin)
  const shows = (difference: number, days: number | null) =>
    `a loss of ${Number(difference.toPrecision(2))} on ${metric} shows ${days === null ? 'not within a year' : days === 1 ? 'within a day' : `after about ${days} days`}`
  const summary = `${gets}. If all of them are scored, ${shows(margin, daysForMargin)}; ${shows(2 * margin, daysFor(2 * margin))}.`
  return { ...numbers, daysForMargin, summary }
}

/** Of the values of what is served, from its mean or its interval. */
export function spreadOf({ baseline, kind, scale, values, ratio }: ComparedMetric): number | undefined {
  const { mean, ci } = baseline
  if (ratio !== null || mean === null) return undefined
  if (kind === 'binary' && scale !== null) {
    const [low, high] = scale
    const rate = Math.min(1, Math.max(0, (mean - low) / (high - low)))
    return (high - low) * Math.sqrt(rate * (1 - rate))
  }
  if (ci === null || values.baseline < 2) return undefined
  return ((ci[1] - ci[0]) / 2 / normalQuantile(0.975)) * Math.sqrt(values.baseline)
}

function counted(traces: number): string {
  const count = rounded(traces)
  return `${count} ${count === '1' ? 'trace' : 'traces'}`
}

/** Two digits are enough. */
function rounded(count: number): string {
  return count < 1
    ? String(Number(count.toPrecision(1)))
    : Math.round(Number(count.toPrecision(3))).toLocaleString('en')
}
