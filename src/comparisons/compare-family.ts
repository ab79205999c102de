/**
 * Compares several candidates with one baseline. The best of ten equal prompts is called improved in 11 of 100 cases if
 * each is compared alone, and its interval covers its true difference in 84. Here each of k candidates has a level of
 * 0.05 / k, and the gain of the chosen candidate is measured on items that did not choose it.
 */
import { badRequest } from '../base/errors.ts'
import { runInSlices } from '../base/event-loop.ts'
import type { Split } from '../datasets/splits/split.ts'
import type { Interval } from '../statistics/interval.ts'
import { expectedGainOfBest } from '../statistics/split-selection.ts'
import type { Queries } from '../storage/db.ts'
import {
  type ComparedSide,
  countsOf,
  type ItemChangeCounts,
  itemChangesOf,
  type MeasuredRuns,
  measureRuns,
} from './compare-runs.ts'
import type { Metric, NotCompared } from './pairing/compared-metrics.ts'
import type { ItemValues } from './pairing/item-values.ts'
import { type ComparedMetric, decideMetricVerdicts } from './verdicts/metric-verdicts.ts'
import { overallVerdict, type Verdict, withNotes } from './verdicts/verdict.ts'
import { formatInterval, formatNumber, type RunNames, UNNAMED } from './verdicts/verdict-summary.ts'

export type FamilyRequest = {
  workspaceId: string
  componentId: string
  baselineRunId: string
  candidateRunIds: readonly string[]
  /** The metric by which a candidate is chosen. Default: the first quality metric that all candidates have. */
  metric?: string | undefined
  margin?: number | undefined
  split?: Split | undefined
  readerId?: string | undefined
}

export type FamilyMember = {
  baseline: ComparedSide
  candidate: ComparedSide
  /** Not part of the response. */
  dataset: MeasuredRuns['dataset']
  look: MeasuredRuns['look']
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  looking: MeasuredRuns['rule']['looking']
  verdict: Verdict
  summary: string
  metrics: ComparedMetric[]
  notCompared: NotCompared[]
  itemChanges: ItemChangeCounts
}

type Family = {
  summary: string
  chosen: Chosen | null
  candidates: FamilyMember[]
}

type Chosen = {
  runId: string
  name: string | null
  metric: string
  /** The number of candidates it was chosen from. */
  chosenFrom: number
  /** The items that the baseline and all candidates have. */
  items: number
  /** On the items that it was chosen by. */
  difference: number
  /** What to expect on other items. */
  expectedDifference: number
  /** That of its row: it covers the difference of the chosen candidate in at least 95 of 100 families. */
  ci: Interval | null
  verdict: Verdict
  summary: string
}

/** The values of the items that a candidate and the baseline have. */
export type MetricValues = { metric: Metric; values: ItemValues }

/** Each candidate with the baseline, in the order of the request, before the verdicts. */
export type MeasuredFamily = {
  readonly runs: readonly MeasuredRuns[]
  /** By candidate: its quality metrics. */
  readonly values: readonly (readonly MetricValues[])[]
}

export async function compareFamily(q: Queries, request: FamilyRequest): Promise<Family> {
  const family = await measureFamily(q, request)
  const candidates = decideFamily(family)
  const chosen = await choose(family, { request, candidates })
  const summary =
    chosen?.summary ??
    'No candidate can be chosen: there is no quality metric that all of them have. Evaluate the baseline and all candidates the same way.'
  return { summary, chosen, candidates }
}

export async function measureFamily(q: Queries, request: FamilyRequest): Promise<MeasuredFamily> {
  const { candidateRunIds, baselineRunId } = request
  if (new Set(candidateRunIds).size < candidateRunIds.length) throw badRequest('candidates must not contain duplicates')
  const runs: MeasuredRuns[] = []
  const values: MetricValues[][] = []
  for (const candidateRunId of candidateRunIds) {
    const ofCandidate: MetricValues[] = []
    runs.push(
      await measureRuns(q, { ...request, baselineRunId, candidateRunId }, (metric, items) => {
        if (metric.role === 'quality') ofCandidate.push({ metric, values: items })
      }),
    )
    values.push(ofCandidate)
  }
  return { runs, values }
}

export function decideFamily({ runs }: MeasuredFamily, openings = 1): FamilyMember[] {
  return runs.map((one) => {
    const itemChanges = itemChangesOf(one.changes)
    const metrics = decideMetricVerdicts(one.measuredMetrics, {
      margin: one.margin,
      names: one.names,
      candidates: runs.length,
      openings,
      rule: one.rule,
    })
    return {
      ...countsOf(one),
      dataset: one.dataset,
      look: one.look,
      looking: one.rule.looking,
      ...withNotes(overallVerdict(metrics, one.notCompared), itemChanges, one.dataset),
      metrics,
      notCompared: one.notCompared,
      itemChanges,
    }
  })
}

async function choose(
  { runs, values }: MeasuredFamily,
  { request, candidates }: { request: FamilyRequest; candidates: readonly FamilyMember[] },
): Promise<Chosen | null> {
  const name = chosenMetric(request, values)
  const ofMetric = values.flatMap((all) => all.filter(({ metric }) => metric.name === name))
  const [first] = ofMetric
  if (name === undefined || !first || ofMetric.length < candidates.length) return null
  const gains = gainsOn(commonItems(ofMetric), ofMetric)
  const items = gains[0]?.length ?? 0
  const seed = ['family', request.baselineRunId, ...request.candidateRunIds.toSorted(), name].join(':')
  const expected = await runInSlices(expectedGainOfBest(gains, { seed }))
  if (expected === undefined) return null
  const means = gains.map((ofCandidate) => ofCandidate.reduce((sum, gain) => sum + gain, 0) / items)
  const best = means.indexOf(Math.max(...means))
  const [winner, found] = [candidates[best], ofMetric[best]]
  if (!winner || !found) return null
  const row = winner.metrics.find((one) => one.name === name)
  const direction = found.metric.higherIsBetter ? 1 : -1
  const numbers = {
    chosenFrom: candidates.length,
    items,
    difference: direction * (means[best] ?? 0),
    expectedDifference: direction * expected,
    ci: row?.ci ?? null,
  }
  return {
    runId: winner.candidate.runId,
    name: winner.candidate.name,
    metric: name,
    ...numbers,
    verdict: row?.verdict ?? 'tooFewCases',
    summary: summaryOf({ ...numbers, ofRow: row?.items, names: runs[best]?.names ?? UNNAMED, metric: found.metric }),
  }
}

/** Undefined if there is none that all candidates have. */
function chosenMetric({ metric: wanted }: FamilyRequest, values: MeasuredFamily['values']): string | undefined {
  if (wanted === undefined) return firstShared(values)
  if (!isShared(values, wanted))
    throw badRequest('metric must be a quality metric that the baseline and all candidates have')
  return wanted
}

export function isShared(values: MeasuredFamily['values'], name: string): boolean {
  return values.every((all) => all.some(({ metric, values: pairs }) => metric.name === name && pairs.length > 0))
}

export function firstShared(values: MeasuredFamily['values']): string | undefined {
  return values[0]?.map(({ metric }) => metric.name).find((name) => isShared(values, name))
}

/** The items that all candidates have, in the order of their ids. */
export function commonItems(ofMetric: readonly MetricValues[]): string[] {
  const [first, ...others] = ofMetric.map(({ values }) => new Set(values.itemIds))
  return [...(first ?? [])].filter((item) => others.every((one) => one.has(item))).sort()
}

/** By candidate: how much better it is in each of these items. */
export function gainsOn(items: readonly string[], ofMetric: readonly MetricValues[]): Float64Array[] {
  return ofMetric.map(({ metric, values }) => {
    const differences = values.differencesByItem()
    const direction = metric.higherIsBetter ? 1 : -1
    return Float64Array.from(items, (item) => direction * (differences.get(item) ?? 0))
  })
}

type SummaryInput = Pick<Chosen, 'chosenFrom' | 'items' | 'difference' | 'expectedDifference' | 'ci'> & {
  /** The items of the row that has the interval: it may have some that other candidates lack. */
  ofRow: number | undefined
  names: RunNames
  metric: Metric
}

function summaryOf({ names, metric, chosenFrom, items, ofRow, ...numbers }: SummaryInput): string {
  const { difference, expectedDifference, ci } = numbers
  const amount = (value: number) => formatNumber(Number(value.toPrecision(2)))
  const ownItems = ofRow === items ? '' : ` on its own ${ofRow} items`
  const range = ci === null ? '' : `, 95 % CI for any of ${chosenFrom}${ownItems}: ${formatInterval(ci, metric.scale)}`
  return `${names.candidate} has the best ${metric.name}, chosen from ${chosenFrom} against ${names.baseline} on the same items: the difference there is ${amount(difference)}; expect ${amount(expectedDifference)} on other items (${items} items${range}).`
}
