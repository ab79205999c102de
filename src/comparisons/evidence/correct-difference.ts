/**
 * Corrects the difference of an evaluator by the ratings of people. A judge that is milder to the candidate sees an
 * improvement that people do not see: with a specificity of 0.80 for the baseline and 0.65 for the candidate, 500 items
 * show a false improvement in 67 of 100 comparisons. Where people rated items in both runs, the error of the judge is
 * known for the very difference that is compared.
 */

import { pairedPredictionPowered } from '../../statistics/calibration/paired-prediction-powered.ts'
import type { Interval } from '../../statistics/interval.ts'
import { maxMagnitude } from '../../statistics/sums.ts'
import type { Metric } from '../pairing/compared-metrics.ts'
import type { ItemValues } from '../pairing/item-values.ts'
import type { ItemCases, RunCase } from '../pairing/pair-items.ts'
import type { RunData } from '../pairing/read-run-data.ts'
import type { Verdict } from '../verdicts/verdict.ts'
import { formatInterval, formatNumber } from '../verdicts/verdict-summary.ts'

/** The difference that people would see, in the unit of the ratings. More is better. */
export type CorrectedDifference = {
  /** Null with too few ratings. */
  difference: number | null
  ci: Interval | null
  /** The interval that a margin is compared with. */
  marginCi: Interval | null
  /** The scale of the ratings. */
  scale: readonly [number, number] | null
  /** The number of items that people rated in both runs, and that are used. */
  labels: number
  /** The number of rated items that are not used, because the queue did not draw them at random in both runs. */
  excluded: number
  /** The weight of the evaluator: 0 means that only the ratings are used. */
  judgeWeight: number | null
  verdict: Verdict
  summary: string
  method: string
}

const LABELS_MIN = 20
const METHOD = 'paired prediction-powered inference, 95 % (PPI++, Angelopoulos et al. 2023; Zou & Donner 2008)'

type Ratings = {
  readonly differences: ReadonlyMap<string, number>
  /** The items that the queue drew at random in both runs. */
  readonly drawn: ReadonlySet<string>
  readonly scale: Metric['scale']
}

type Drawn = Pick<RunData, 'drawn'>

export function itemsDrawn(
  items: readonly ItemCases[],
  { baseline, candidate }: { baseline: Drawn; candidate: Drawn },
): Set<string> {
  const isDrawn = (cases: readonly RunCase[], { drawn }: Drawn) => cases.some(({ ref }) => drawn.has(ref))
  const found = items.filter((item) => isDrawn(item.baseline, baseline) && isDrawn(item.candidate, candidate))
  return new Set(found.map(({ itemId }) => itemId))
}

/** Null if no item was rated in both runs. */
export function correctDifference(
  metric: Metric,
  values: ItemValues,
  ratings: Ratings,
  alpha = 0.05,
): CorrectedDifference | null {
  const factor = unitFactor(metric, ratings.scale)
  const labeled: { judge: number; people: number }[] = []
  const judged: number[] = []
  // If all items are rated, none was chosen.
  const isComplete = values.itemIds.every((itemId) => ratings.differences.has(itemId))
  let excluded = 0
  for (const [itemId, difference] of values.differencesByItem()) {
    const people = ratings.differences.get(itemId)
    const isUsed = people !== undefined && (isComplete || ratings.drawn.has(itemId))
    if (isUsed) labeled.push({ judge: factor * difference, people })
    else judged.push(factor * difference)
    if (people !== undefined && !isUsed) excluded += 1
  }
  const labels = labeled.length
  if (labels + excluded === 0) return null
  const range = ratings.scale ? ratings.scale[1] - ratings.scale[0] : maxMagnitude([...ratings.differences.values()])
  const result = labels < LABELS_MIN ? undefined : pairedPredictionPowered({ labeled, judged, range }, alpha)
  const numbers = {
    difference: result?.difference ?? null,
    ci: result?.interval ?? null,
    marginCi: result?.marginInterval ?? null,
    scale: ratings.scale,
    labels,
    excluded,
    judgeWeight: result?.judgeWeight ?? null,
  }
  return { ...numbers, verdict: verdictOf(numbers), summary: summaryOf(metric.name, numbers), method: METHOD }
}

/** Converts the unit of the evaluator to that of the ratings, with the same direction, so that λ is a weight. */
function unitFactor({ scale, higherIsBetter }: Metric, ratingScale: Metric['scale']): number {
  const direction = higherIsBetter ? 1 : -1
  if (!scale || !ratingScale) return direction
  return (direction * (ratingScale[1] - ratingScale[0])) / (scale[1] - scale[0])
}

type Numbers = Omit<CorrectedDifference, 'verdict' | 'summary' | 'method'>

function verdictOf({ ci, labels }: Numbers): Verdict {
  if (labels < LABELS_MIN) return 'tooFewCases'
  if (ci === null || (ci[0] <= 0 && ci[1] >= 0)) return 'noClearDifference'
  return ci[0] > 0 ? 'improved' : 'regressed'
}

function summaryOf(name: string, { difference, ci, scale, labels, excluded }: Numbers): string {
  const drawn = excluded === 0 ? '' : ' and drawn at random'
  const rated = `${labels} ${labels === 1 ? 'item is' : 'items are'} rated in both runs${drawn}`
  if (labels < LABELS_MIN) {
    const others = `${excluded} other${excluded === 1 ? ' is' : 's are'} rated but not drawn: rate in the order random of the queue.`
    const missing = `${name} cannot be corrected: ${rated}, and at least ${LABELS_MIN} are needed.`
    return excluded === 0 ? missing : `${missing} ${others}`
  }
  if (difference === null || ci === null) return `${name} cannot be corrected: ${rated}.`
  const range = `95 % CI ${formatInterval(ci, scale)}`
  return `Corrected by ratings, candidate − baseline on ${name} is ${formatNumber(Number(difference.toPrecision(2)))} (${range}); ${rated}.`
}
