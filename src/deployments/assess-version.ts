/**
 * Whether a version may get more weight than it has: compares it with the version of the largest weight, as the gate of the label asks,
 * by the rule that decides the gates of evaluations. Reads only; the caller records that the comparison was read.
 */
import type { Clock } from '../base/clock.ts'
import { type Comparison, compareRuns } from '../comparisons/compare-runs.ts'
import { WITHHELD_REASON } from '../comparisons/pairing/compared-metrics.ts'
import { isBlindReader } from '../comparisons/pairing/pair-runs.ts'
import type { ComparedMetric } from '../comparisons/verdicts/metric-verdicts.ts'
import { formatMargin } from '../comparisons/verdicts/verdict-summary.ts'
import type { Evidence, GivenEvidence, LabelGate } from '../prompts/evidence-schemas.ts'
import type { Queries } from '../storage/db.ts'
import { itemsSince } from './changed-items.ts'
import { type Condition, type Facts, findings } from './conditions.ts'
import { evidenceOf } from './evidence-of.ts'
import { type ComparedVersions, findGivenPair, findNewestPair, type RunPair } from './find-compared-runs.ts'
import { isMetricOfEveryRun, RATIO_METRICS } from './find-version-runs.ts'
import { listEvaluationFacts } from './run-version-queries.ts'

export type Assessment = {
  conditions: Condition[]
  isMet: boolean
  /** Of the comparison, whether it passes or not; null if there is none. */
  evidence: Evidence | null
  comparison: Comparison | null
  /** True if the caller may not see what the comparison says. */
  isHidden: boolean
  /** What a move is rejected with. */
  error: string
}

export type Asked = {
  label: string
  gate: LabelGate
  compared: ComparedVersions
  given: GivenEvidence | undefined
  readerId: string
}

export async function assessVersion(q: Queries, clock: Clock, asked: Asked): Promise<Assessment> {
  const { compared, given, gate } = asked
  const pair = given ? await findGivenPair(q, compared, given) : await findNewestPair(q, compared)
  if ('problem' in pair) return withoutComparison(asked, pair)
  const { comparison, isFromRatings } = await comparePair(q, asked, pair)
  const metric = comparison.metrics.find(({ name }) => name === gate.metric)
  if (!metric) {
    const reason = comparison.notCompared.find(({ name }) => name === gate.metric)?.reason
    const problem = `${gate.metric} is not compared (${reason ?? 'not both runs have it'}).`
    const remedy = 'Evaluate both runs the same way, then move the label again.'
    return { ...withoutComparison(asked, { problem, remedy }), comparison }
  }
  const facts = await readFacts(q, clock, asked, { pair, comparison, metric })
  const isHidden = isFromRatings && (await isBlindReader(q, { ...runsOf(asked, pair), readerId: asked.readerId }))
  const found = findings(facts).map((one) => (isHidden && one.key === 'notWorse' ? HIDDEN : one))
  const passed = found.every(({ key, met }) => key !== 'notWorse' || met)
  const failed = found.find(({ met }) => !met)
  const error = errorOf(asked, { problem: failed?.summary ?? '', remedy: failed?.remedy ?? '', metric })
  return {
    conditions: found.map(({ remedy: _, ...condition }) => condition),
    isMet: failed === undefined,
    evidence: isHidden ? null : evidenceOf(facts, { passed, isFromRatings, summary: summaryIn(found) }),
    comparison,
    isHidden,
    error,
  }
}

/** Also whether it passes would reveal the ratings of others to someone who rates the runs blindly. */
const HIDDEN = {
  key: 'notWorse',
  met: false,
  summary: 'It is decided by ratings, which are not shown to you, because you rate one of the runs blindly.',
  remedy: 'Someone who does not rate the runs moves the label.',
} as const

function summaryIn(found: readonly Condition[]): string {
  return found.find(({ key }) => key === 'notWorse')?.summary ?? ''
}

/** `Label production needs a verdict: no comparison of version 12 with version 11 shows that correct is not worse by more than 0.02.` */
function errorOf(
  { label, gate, compared }: Asked,
  { problem, remedy, metric }: { problem: string; remedy: string; metric?: ComparedMetric },
): string {
  const { candidate, baseline } = compared
  const isRatio = metric ? metric.ratio !== null : RATIO_METRICS.includes(gate.metric)
  const claim = `${gate.metric} is not worse by more than ${formatMargin({ isRatio }, gate.margin)}`
  return [
    `Label ${label} needs a verdict: no comparison of version ${candidate.number} with version ${baseline.number} shows that ${claim}.`,
    problem,
    remedy,
  ].join(' ')
}

/** A version without a comparison, with the reason and what to do. */
export function withoutComparison(asked: Asked, why: { problem: string; remedy: string }): Assessment {
  const nothing = 'There is no comparison.'
  return {
    conditions: [
      { key: 'compared', met: false, summary: `${why.problem} ${why.remedy}` },
      { key: 'unchanged', met: false, summary: nothing },
      { key: 'recent', met: false, summary: nothing },
      { key: 'notWorse', met: false, summary: nothing },
    ],
    isMet: false,
    evidence: null,
    comparison: null,
    isHidden: false,
    error: errorOf(asked, why),
  }
}

function runsOf({ compared: { prompt } }: Asked, { baseline, candidate }: RunPair) {
  return { workspaceId: prompt.workspaceId, baselineRunId: baseline.runId, candidateRunId: candidate.runId }
}

/**
 * Without what is derived from ratings, because the result is stored and shown to raters later; with it only if the gate asks for such a
 * metric.
 */
async function comparePair(q: Queries, asked: Asked, pair: RunPair) {
  const { gate, compared } = asked
  const request = { ...runsOf(asked, pair), componentId: compared.prompt.componentId, margin: gate.margin }
  const comparison = await compareRuns(q, { ...request, withholdsRatings: true })
  const isFromRatings = comparison.notCompared.some(
    ({ name, reason }) => name === gate.metric && reason === WITHHELD_REASON,
  )
  return { comparison: isFromRatings ? await compareRuns(q, request) : comparison, isFromRatings }
}

async function readFacts(
  q: Queries,
  clock: Clock,
  { compared, gate }: Asked,
  { pair, comparison, metric }: { pair: RunPair; comparison: Comparison; metric: ComparedMetric },
): Promise<Facts> {
  const { workspaceId } = compared.prompt
  const { baseline, candidate } = comparison
  const used = metric.evaluations ?? { baseline: baseline.evaluationId, candidate: candidate.evaluationId }
  const evaluationIds = [used.baseline, used.candidate].flatMap((id) => id ?? [])
  const facts = await listEvaluationFacts(q, { workspaceId, evaluationIds })
  const evaluator = isMetricOfEveryRun(gate.metric) ? undefined : gate.metric
  const judged = { workspaceId, datasetId: gate.datasetId, evaluationIds, evaluator }
  const since = await itemsSince(q, judged)
  return { compared, gate, pair, comparison, metric, evaluations: facts, used, since, nowMs: clock.now() }
}
