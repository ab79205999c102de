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

export type Family = {
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

type Values = { metric: Metric; values: ItemValues }

export async function compareFamily(q: Queries, request: FamilyRequest): Promise<Family> {
  const { candidateRunIds, baselineRunId } = request
  if (new Set(candidateRunIds).size < candidateRunIds.length) throw badRequest('candidates must not contain duplicates')
  const measured: MeasuredRuns[] = []
  const values: Values[][] = []
  for (const candidateRunId of candidateRunIds) {
    const ofCandidate: Values[] = []
    measured.push(
      await measureRuns(q, { ...request, baselineRunId, candidateRunId }, (metric, items) => {
        if (metric.role === 'quality') ofCandidate.push({ metric, values: items })
      }),
    )
    values.push(ofCandidate)
  }
  const candidates = measured.map((one): FamilyMember => {
    const itemChanges = itemChangesOf(one.changes)
    const metrics = decideMetricVerdicts(one.measuredMetrics, {
      margin: one.margin,
      names: one.names,
      candidates: candidateRunIds.length,
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
  const chosen = await choose({ request, candidates, values, names: measured.map(({ names }) => names) })
  const summary =
    chosen?.summary ??
    'No candidate can be chosen: there is no quality metric that all of them have. Evaluate the baseline and all candidates the same way.'
  return { summary, chosen, candidates }
}

type Choice = { request: FamilyRequest; candidates: FamilyMember[]; values: Values[][]; names: RunNames[] }

async function choose({ request, candidates, values, names }: Choice): Promise<Chosen | null> {
  const name = chosenMetric(request, values)
  const ofMetric = values.flatMap((all) => all.filter(({ metric }) => metric.name === name))
  const [first] = ofMetric
  if (name === undefined || !first || ofMetric.length < candidates.length) return null
  const gains = gainsOnCommonItems(ofMetric)
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
    summary: summaryOf({ ...numbers, ofRow: row?.items, names: names[best] ?? UNNAMED, metric: found.metric }),
  }
}

/** Undefined if there is none that all candidates have. */
function chosenMetric({ metric: wanted }: FamilyRequest, values: readonly Values[][]): string | undefined {
  const isShared = (name: string) =>
    values.every((all) => all.some(({ metric, values: pairs }) => metric.name === name && pairs.length > 0))
  if (wanted !== undefined) {
    if (!isShared(wanted)) throw badRequest('metric must be a quality metric that the baseline and all candidates have')
    return wanted
  }
  return values[0]?.map(({ metric }) => metric.name).find(isShared)
}

/** By candidate: how much better it is in each item that all candidates have, in the order of the items. */
function gainsOnCommonItems(ofMetric: readonly Values[]): Float64Array[] {
  const differences = ofMetric.map(({ values }) => values.differencesByItem())
  const common = [...(differences[0]?.keys() ?? [])].filter((item) => differences.every((one) => one.has(item))).sort()
  return differences.map((one, candidate) => {
    const direction = ofMetric[candidate]?.metric.higherIsBetter === false ? -1 : 1
    return Float64Array.from(common, (item) => direction * (one.get(item) ?? 0))
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
