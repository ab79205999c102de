/** How many items a gate needs, before the candidate is evaluated. */

import type { Split } from '../../datasets/splits/split.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import type { Queries } from '../../storage/db.ts'
import { logRatios } from '../evidence/compare-metric.ts'
import { NO_PREFERENCE } from '../evidence/evidence.ts'
import { type ComparedRun, findComparedRun } from '../pairing/comparison-queries.ts'
import { measureItems } from '../pairing/measure-items.ts'
import type { PairedItems, RunCase } from '../pairing/pair-items.ts'
import { pairRuns } from '../pairing/pair-runs.ts'
import type { RunData } from '../pairing/read-run-data.ts'
import { itemsFor, neededItems } from './gate-items.ts'
import { type Gate, marginOf } from './gate-verdict.ts'
import { ITEMS_MIN } from './verdict.ts'
import { formatNumber } from './verdict-summary.ts'

type GateRequest = {
  workspaceId: string
  baselineRunId: string
  candidateRunId: string
  split: Split | undefined
  gate: Gate & { sequential?: boolean | undefined }
  plannedLooks?: number | undefined
  /** The evaluator that will compute the metric; undefined for metrics of traces and for ratings. */
  evaluator: (EvaluatorInfo & { readonly needs: readonly string[] }) | undefined
  readerId: string
}

/**
 * `pairs`: how far the scores of both runs differ now. `baseline`: how far the scores of the baseline differ from each
 * other, as if the answers of both runs were unrelated. `assumed`: the same for a rate of one half.
 */
export const GATE_BASES = ['pairs', 'baseline', 'assumed'] as const

type Spread = { basis: (typeof GATE_BASES)[number]; standardDeviation: number }

export type GateEstimate = {
  metric: string
  /** Null for a metric without a scale, if the gate has none. */
  margin: number | null
  /** The items in both runs. */
  items: number
  itemsNeeded: number | null
  basis: Spread['basis'] | null
  summary: string
}

/** Undefined if one of the runs does not exist. */
export async function estimateGate(q: Queries, request: GateRequest): Promise<GateEstimate | undefined> {
  const { workspaceId, gate, evaluator } = request
  const baselineRun = await findComparedRun(q, { workspaceId, runId: request.baselineRunId })
  const candidateRun = await findComparedRun(q, { workspaceId, runId: request.candidateRunId })
  if (!baselineRun || !candidateRun) return undefined
  const { baseline, cases, paired, metrics, isBlind } = await pairRuns(q, request, {
    baseline: baselineRun,
    candidate: candidateRun,
  })
  const compared = metrics.find(({ name }) => name === gate.metric)
  const info = compared ?? evaluator ?? baseline.evaluators.get(gate.metric)
  const isRatio = compared?.isRatio === true
  const isPreference = evaluator?.needs.includes('baseline') === true
  const margin = marginOf(gate, { scale: info?.scale ?? null, isRatio }) ?? null
  const isPeoples = isBlind && baseline.peopleEvaluators.includes(gate.metric)
  const spread =
    (compared && (await spreadOfPairs(compared, paired))) ??
    (isPeoples || isPreference ? undefined : spreadOfBaseline(baseline, cases.baseline, gate.metric)) ??
    (info && isBinaryScale(info) ? assumed(isPreference) : undefined)
  const itemsNeeded =
    gate.corrected || gate.sequential
      ? null
      : itemsFor({
          margin: margin !== null && isRatio ? Math.log(margin) : margin,
          standardDeviation: spread?.standardDeviation,
          scale: isPreference ? [0, NO_PREFERENCE] : (info?.scale ?? null),
          plannedLooks: request.plannedLooks,
        })
  const estimate = {
    metric: gate.metric,
    margin,
    items: paired.items.filter((one) => one.baseline.length > 0 && one.candidate.length > 0).length,
    itemsNeeded,
    basis: itemsNeeded === null ? null : (spread?.basis ?? null),
  }
  const hasScores = evaluator === undefined || isPreference || baseline.evaluators.has(gate.metric)
  return { ...estimate, summary: summaryOf(estimate, { gate, hasScores, baseline: baselineRun }) }
}

/** A rate of one half, and answers that are unrelated: half of the items differ. A share differs from ½ by half as much. */
function assumed(isPreference: boolean): Spread {
  return { basis: 'assumed', standardDeviation: Math.SQRT1_2 * (isPreference ? NO_PREFERENCE : 1) }
}

type Metric = Parameters<typeof measureItems>[0]

async function spreadOfPairs(metric: Metric, paired: PairedItems): Promise<Spread | undefined> {
  const { values } = await measureItems(metric, paired)
  const differences = metric.isRatio ? logRatios(values).values : values.differences()
  return spreadOf('pairs', [...differences], 1)
}

/** The difference of two unrelated values has twice the variance of one. */
function spreadOfBaseline({ scores }: RunData, cases: readonly RunCase[], name: string): Spread | undefined {
  const column = scores.get(name)
  const values = column ? cases.map(({ index }) => column.only(index)).filter((score) => !Number.isNaN(score)) : []
  return spreadOf('baseline', values, Math.SQRT2)
}

function spreadOf(basis: Spread['basis'], values: readonly number[], factor: number): Spread | undefined {
  const n = values.length
  if (n < ITEMS_MIN) return undefined
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const standardDeviation = factor * Math.sqrt(squares / (n - 1))
  return Number.isFinite(standardDeviation) ? { basis, standardDeviation } : undefined
}

const BASES = {
  pairs: 'This is by how far their scores differ now.',
  baseline:
    'This is by how far the scores of the baseline differ from each other, as if the answers of both runs were unrelated; related answers need fewer.',
  assumed:
    'This assumes a rate of one half and unrelated answers, because there are no scores yet; most comparisons need fewer.',
}

type Explained = { gate: GateRequest['gate']; hasScores: boolean; baseline: ComparedRun }

function summaryOf(
  { metric, margin, items, itemsNeeded, basis }: Omit<GateEstimate, 'summary'>,
  { gate, hasScores, baseline }: Explained,
): string {
  const name = baseline.name?.trim() || 'The baseline'
  const warning = hasScores
    ? ''
    : ` ${name} has no scores of ${metric}: evaluate it first, with an evaluator of this name, or the gate cannot be decided.`
  const shared = `${items.toLocaleString('en')} are in both runs`
  if (margin === null) return `${metric} has no scale, so the gate needs a margin: the loss that is accepted.${warning}`
  if (margin === 0) return `No number of items can exclude a loss of any size: set a margin above 0.${warning}`
  if (gate.corrected || gate.sequential || itemsNeeded === null || basis === null)
    return `How many items of ${metric} a margin of ${formatNumber(margin)} needs is not known. ${shared}.${warning}`
  return `${neededItems(itemsNeeded)} ${shared}. ${BASES[basis]}${warning}`
}
