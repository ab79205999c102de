import { type Looking, repeatedLooks } from './look-rule.ts'
import type { ComparedMetric } from './metric-verdicts.ts'
import {
  formatItems,
  type ItemNotes,
  independentUnits,
  MARGIN_ITEMS_MIN,
  RATIO_MARGIN_MAX,
  unverifiedNote,
} from './verdict.ts'
import { formatMargin, isMarginKept, marginSummary } from './verdict-summary.ts'

export type Gate = {
  metric: string
  /** The greatest loss that is accepted; of durations, costs and tokens the greatest ratio. Default: 5 % of the scale, or 1.1. */
  margin?: number | undefined
  /** The greatest share of items without a value in one of the runs. */
  maxMissing?: number | undefined
  /** Decides by the difference that is corrected by ratings, in their unit. */
  corrected?: boolean | undefined
}

type GateInput = {
  readonly metrics: readonly ComparedMetric[]
  readonly notCompared: readonly { readonly name: string; readonly reason: string }[]
  readonly itemChanges: Omit<ItemNotes, 'duplicates'> & Readonly<Record<'changed' | 'removed' | 'added', Counted>>
  /** Says which part of the dataset the runs tried, if it is a sample. */
  readonly coverage?: string | null | undefined
  /** How often the two runs were compared with different results, with this one. */
  readonly looks?: number | undefined
  readonly looking?: Looking | undefined
}

type Counted = { readonly count: number }

/** `isDecided` is false if the data cannot answer the question, such as too few or changed items. */
type GateResult = { passed: boolean; isDecided: boolean; summary: string }

/**
 * A gate without a margin has this share of the scale as its margin. "Not shown to be worse" would pass a loss of 10
 * points in 91, 70 and 31 of 100 cases with 30, 50 and 100 items: the fewer items, the easier to pass.
 */
const DEFAULT_MARGIN_SHARE = 0.05
const DEFAULT_RATIO_MARGIN = 1.1
const DEFAULT_MAX_MISSING = 0.02

type Margined = { readonly scale: readonly [number, number] | null; readonly isRatio?: boolean }

/** The margin that a gate uses for a metric. Undefined if it has none and the metric has no scale. */
export function marginOf({ margin }: Gate, { scale, isRatio }: Margined): number | undefined {
  if (margin !== undefined) return margin
  if (isRatio) return DEFAULT_RATIO_MARGIN
  return scale === null ? undefined : Number((DEFAULT_MARGIN_SHARE * (scale[1] - scale[0])).toPrecision(12))
}

/**
 * Decides whether a change passes the gate: it must be shown to be not worse by more than the margin; a lack of evidence
 * is not sufficient. Items that only one run has a value for count at the worst value, and above `maxMissing` the gate
 * cannot be decided. The gate fails if no decision is possible.
 */
export function decideGate(comparison: GateInput, gate: Gate): Pick<GateResult, 'passed' | 'summary'> {
  const { passed, summary } = judgeGate(comparison, gate)
  return { passed, summary }
}

/** The same, with whether it could be decided. */
export function judgeGate(comparison: GateInput, gate: Gate): GateResult {
  const { metric: name } = gate
  const metric = comparison.metrics.find((one) => one.name === name)
  if (!metric) {
    const reason = comparison.notCompared.find((one) => one.name === name)?.reason ?? 'evaluate both runs with it'
    return cannotDecide(`${name} is not compared (${reason}).`)
  }
  const { summary: changes, changed, removed, added, unverified } = comparison.itemChanges
  // A judge of both answers at once judged them by the same content, whenever the baseline itself was evaluated.
  const judgesBoth = metric.evaluations != null && Object.values(metric.evaluations).includes(null)
  if (removed.count > 0 || (changed.count > 0 && !judgesBoth))
    return cannotDecide(
      `${changes}, and ${formatItems(unitsOf(metric))} of ${name} are left. Evaluate the baseline again, so that both runs are judged by the same items.`,
    )
  // The others are compared as if these did not exist, but do not speak for them: how many may be added is said by the gate.
  const { maxMissing = 0 } = gate
  if (added.count > maxMissing * (metric.missingItems.items + added.count))
    return cannotDecide(
      `${changes}${maxMissing === 0 ? '' : `, and at most ${percent(maxMissing)} may lack ${name}`}. Run the baseline on them and evaluate it again${gate.maxMissing === undefined ? ', or set maxMissing to the share of items that may be added' : ''}.`,
    )
  const { summary, ...result } = decideMetric(metric, gate, comparison.looking?.rule === 'sequential')
  const notes = [
    changes === null ? [] : `${changes} and not compared.`,
    comparison.coverage ?? [],
    unverifiedNote(unverified) ?? [],
    metric.warning ?? [],
    looksNote(comparison),
  ].flat()
  return { ...result, summary: [summary, ...notes].join(' ') }
}

function decideMetric(metric: ComparedMetric, gate: Gate, isSequential: boolean): GateResult {
  const { name } = metric
  const { items, incomplete, summary: missing } = metric.missingItems
  const { maxMissing = DEFAULT_MAX_MISSING } = gate
  if (incomplete > maxMissing * items)
    return cannotDecide(`${missing}, and at most ${percent(maxMissing)} may lack ${name}. Run and evaluate them first.`)
  if (gate.corrected) return gateByRatings(metric, gate)
  const units = metric.groups === null ? 'items' : 'groups'
  if (independentUnits(metric) < MARGIN_ITEMS_MIN)
    return cannotDecide(
      `${name} has ${formatItems(unitsOf(metric))} in both runs, and a gate needs ${MARGIN_ITEMS_MIN} ${units}.`,
    )
  const isRatio = metric.ratio !== null
  const margin = marginOf(gate, { scale: metric.scale, isRatio })
  if (margin === undefined)
    return cannotDecide(`${name} has no scale, so the gate needs a margin: the loss that is accepted.`)
  if (isRatio && !(margin > 1 && margin <= RATIO_MARGIN_MAX))
    return cannotDecide(`the margin of ${name} is a ratio such as 1.1, not ${margin}.`)
  const passed = isMarginKept(metric, margin)
  const reason = marginSummary({ ...metric, isSequential }, margin)
  if (metric.marginCi === null) return cannotDecide(`${reason} ${metric.summary}`)
  const given = gate.margin === undefined ? ` The margin is the default${isRatio ? '' : ', 5 % of the scale'}.` : ''
  // The summary of the metric has the reason, too, if the comparison has the same margin.
  const summary = metric.summary.replace(` ${reason}`, '')
  return { passed, isDecided: true, summary: `${passed ? 'Passed' : 'Not passed'}: ${reason}${given} ${summary}` }
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`
}

function unitsOf({ items, groups }: ComparedMetric) {
  return { items, groups: groups ?? undefined }
}

function gateByRatings({ name, corrected }: ComparedMetric, gate: Gate): GateResult {
  if (corrected === null)
    return cannotDecide(
      `no item of ${name} is rated in both runs, and a gate by ratings needs ${MARGIN_ITEMS_MIN} that the queue draws.`,
    )
  const { marginCi, summary, labels } = corrected
  const margin = marginOf(gate, corrected)
  if (marginCi === null || margin === undefined) return cannotDecide(summary)
  if (labels < MARGIN_ITEMS_MIN)
    return cannotDecide(
      `a gate by ratings needs at least ${MARGIN_ITEMS_MIN} items that are rated in both runs. ${summary}`,
    )
  const amount = `${formatMargin({ isRatio: false }, margin)}${gate.margin === undefined ? ' (5 % of the scale, the default)' : ''}`
  return marginCi[0] > -margin
    ? {
        passed: true,
        isDecided: true,
        summary: `Passed: people see no loss beyond the margin of ${amount}. ${summary}`,
      }
    : {
        passed: false,
        isDecided: true,
        summary: `Not passed: people may see a loss of more than ${amount}. ${summary}`,
      }
}

/** A gate that is asked again and again with growing data passes sooner or later. */
function looksNote({ looks = 1, looking }: GateInput): string[] {
  if (looking?.rule === 'planned') return [looking.summary]
  return looking?.rule === 'sequential' || looks < 2 ? [] : [repeatedLooks(looks)]
}

function cannotDecide(reason: string): GateResult {
  return { passed: false, isDecided: false, summary: `Cannot decide: ${reason}` }
}
