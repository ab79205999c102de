/** The conditions of a gate, each with what to do if it is not met. */
import type { Comparison } from '../comparisons/compare-runs.ts'
import { judgeGate } from '../comparisons/verdicts/gate-verdict.ts'
import type { ComparedMetric } from '../comparisons/verdicts/metric-verdicts.ts'
import { formatItems } from '../comparisons/verdicts/verdict.ts'
import type { LabelGate } from '../prompts/evidence-schemas.ts'
import { changesSince, type ItemsSince } from './changed-items.ts'
import type { ComparedVersions, RunPair } from './find-compared-runs.ts'
import { shownRun } from './find-version-runs.ts'

export type Condition = { key: 'compared' | 'unchanged' | 'recent' | 'notWorse'; met: boolean; summary: string }

type Finding = Condition & { remedy: string }

/** What the conditions are read from. */
export type Facts = {
  compared: ComparedVersions
  gate: LabelGate
  pair: RunPair
  comparison: Comparison
  metric: ComparedMetric
  /** The evaluations that the metric is read from. A preference has one. */
  used: { baseline: string | null; candidate: string | null }
  /** When they were completed, and their metrics as JSON. */
  evaluations: readonly { id: string; completedAt: string | null; metrics: string | null }[]
  since: ItemsSince
  nowMs: number
}

const DAY_MS = 24 * 60 * 60 * 1_000
const AGAIN = 'Evaluate both runs again, then move the label again.'

export function findings(facts: Facts): Finding[] {
  return [compared(facts), unchanged(facts), recent(facts), notWorse(facts)]
}

/** An edit since then shows here, too: what was compared is not what the dataset asks now. */
function compared({ compared: { candidate, baseline, dataset }, pair, metric, since }: Facts): Finding {
  const items = formatItems({ items: metric.items, groups: metric.groups ?? undefined })
  const versions = `Version ${candidate.number} (${shownRun(pair.candidate)}) was compared with version ${baseline.number} (${shownRun(pair.baseline)})`
  const changes = changesSince(since)
  const where = `${versions} on ${dataset.name}, ${items}`
  if (changes === undefined) return { key: 'compared', met: true, summary: `${where}.`, remedy: '' }
  return { key: 'compared', met: false, summary: `${where}, and ${changes} since then.`, remedy: AGAIN }
}

function unchanged({ since }: Facts): Finding {
  const { unverified, added } = since
  const changes = changesSince(since)
  const notes = [
    changes === undefined ? [] : `${changes} since the evaluations.`,
    unverified === 0
      ? []
      : `Whether ${formatItems({ items: unverified })} changed is not known: an evaluation is of an older version of the server.`,
    added === 0
      ? []
      : `${added} ${added === 1 ? 'item is' : 'items are'} newer than the evaluations and decided nothing.`,
  ].flat()
  const met = changes === undefined && unverified === 0
  const summary = met ? ['The items are what they were when they were evaluated.', ...notes] : notes
  return { key: 'unchanged', met, summary: summary.join(' '), remedy: AGAIN }
}

/** Of the older evaluation: an old one of what is served says as little as an old one of the version. */
function recent({ evaluations, gate: { maxAgeDays }, nowMs }: Facts): Finding {
  const times = evaluations.map(({ completedAt }) => (completedAt === null ? 0 : Date.parse(completedAt)))
  const age = nowMs - Math.min(...times)
  const met = times.length > 0 && age <= maxAgeDays * DAY_MS
  const older = times.length > 1 ? 'The older of the two evaluations' : 'The evaluation'
  const summary = `${older} is ${formatAge(age)} old, and at most ${maxAgeDays} ${maxAgeDays === 1 ? 'day is' : 'days are'} allowed.`
  return { key: 'recent', met, summary, remedy: AGAIN }
}

function formatAge(ms: number): string {
  const units = [
    [DAY_MS, 'day'],
    [60 * 60 * 1_000, 'hour'],
    [60 * 1_000, 'minute'],
  ] as const
  const [size, unit] = units.find(([least]) => ms >= least) ?? units[2]
  const count = Math.max(0, Math.floor(ms / size))
  return `${count} ${count === 1 ? unit : `${unit}s`}`
}

/** An improvement passes also where the interval of the margin, which allows for unseen breakage, does not. */
function notWorse(facts: Facts): Finding {
  const { comparison, gate, metric } = facts
  const drifted = facts.evaluations.flatMap(({ metrics }) => driftOf(metrics, gate.metric))
  const remedy = 'Improve the version, or compare both on more items, then move the label again.'
  if (drifted.length > 0)
    return {
      key: 'notWorse',
      met: false,
      summary: `Cannot decide: ${drifted[0]}`,
      remedy: 'Evaluate both runs with the same judge, then move the label again.',
    }
  const { passed, isDecided, summary } = judgeGate(
    { ...comparison, looks: comparison.look.looks, coverage: comparison.dataset.coverage },
    { metric: gate.metric, margin: gate.margin },
  )
  if (passed || !isDecided) return { key: 'notWorse', met: passed, summary, remedy }
  if (metric.verdict !== 'improved') return { key: 'notWorse', met: false, summary, remedy }
  return { key: 'notWorse', met: true, summary: `Passed: ${metric.summary}`, remedy }
}

/** The difference of two judges is no difference of the versions. */
function driftOf(metrics: string | null, name: string): string[] {
  const stored: unknown = JSON.parse(metrics ?? '[]')
  if (!Array.isArray(stored)) return []
  return stored.flatMap((metric) => {
    const { name: own, drift }: Record<string, unknown> = Object(metric)
    const { hasDrifted, summary }: Record<string, unknown> = Object(drift)
    return own === name && hasDrifted === true ? String(summary) : []
  })
}
