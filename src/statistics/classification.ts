import { type Kind, type StatisticOfTotals, sumKinds, totalsInterval } from './bootstrap/bootstrap-totals.ts'
import type { Interval } from './interval.ts'
import { wilsonInterval } from './rate-intervals.ts'
import type { Slices } from './slices.ts'

/**
 * Cases of one cluster (repetitions of an item) are resampled together; a case without a cluster is resampled alone.
 */
export type Classified = {
  readonly expected: string
  readonly predicted: string
  readonly cluster?: string | undefined
}

export type ClassScore = {
  readonly label: string
  /** Null if the label was never predicted. */
  readonly precision: number | null
  /** Null if the label was never expected. */
  readonly recall: number | null
  readonly f1: number
  /**
   * The number of cases with this expected label, and with this predicted label: the denominators of recall and
   * precision.
   */
  readonly support: number
  readonly predicted: number
  /**
   * 95 %. Wilson intervals for precision and recall; BCa for F1, and for all three if cases are clustered. Null if
   * resampling shows no spread.
   */
  readonly intervals: {
    readonly precision: Interval | null
    readonly recall: Interval | null
    readonly f1: Interval | null
  }
}

export type Classification = {
  readonly n: number
  readonly macroF1: number
  /**
   * 95 %, by resampling cases or clusters. Undefined if every resample has the same F1, for example if all cases are
   * right.
   */
  readonly interval: Interval | undefined
  /** In the order of the labels. */
  readonly perClass: readonly ClassScore[]
}

/**
 * The mean F1 over all labels that were expected or predicted, with equal weight for rare and frequent labels.
 * Undefined without cases.
 *
 * F1 = 2TP / (2TP + FP + FN): van Rijsbergen, C. J. (1979), Information Retrieval, chapter 7. The macro average is of
 * F1 per label (Opitz & Burst 2019, arXiv 1911.03347, recommend it over F1 of averages), as in scikit-learn. The
 * interval is BCa; a label that does not occur in a resample is excluded from its mean.
 */
export function* macroF1(
  pairs: readonly Classified[],
  { seed }: { readonly seed: string },
): Slices<Classification | undefined> {
  if (pairs.length === 0) return undefined
  const labels = [...new Set(pairs.flatMap(({ expected, predicted }) => [expected, predicted]))].sort()
  const kinds = kindsOf(pairs, labels)
  const totals = perLabel * labels.length
  const observed = sumKinds(kinds, totals)
  const interval = yield* totalsInterval({ kinds, totals, evaluate: macroF1OfTotals, seed })
  const isClustered = pairs.some(({ cluster }) => cluster !== undefined)
  const perClass: ClassScore[] = []
  for (const [index, label] of labels.entries()) {
    const cellsOf = (sums: Float64Array) => sums.subarray(index * perLabel, (index + 1) * perLabel)
    const resample = (share: Share, name: string) =>
      resampled(labels.length, {
        kinds,
        totals,
        evaluate: (sums) => share(cellsOf(sums)),
        seed: `${seed}:${name}:${label}`,
      })
    const cells = cellsOf(observed)
    perClass.push({
      ...scoreOf(label, cells),
      intervals: {
        precision: isClustered ? yield* resample(precisionOf, 'precision') : wilsonOf(cells, 1),
        recall: isClustered ? yield* resample(recallOf, 'recall') : wilsonOf(cells, 0),
        f1: yield* resample(f1Of, 'f1'),
      },
    })
  }
  return { n: pairs.length, macroF1: macroF1OfTotals(observed) ?? 0, interval, perClass }
}

/** With more labels there are few cases of each, and resampling would be slow and of little use. */
const labelsResampledMax = 50

/** A share computed from the counts expected, predicted and both; undefined if it is not defined. */
type Share = (cells: Float64Array) => number | undefined

const recallOf: Share = ([expected = 0, , both = 0]) => (expected === 0 ? undefined : both / expected)
const precisionOf: Share = ([, predicted = 0, both = 0]) => (predicted === 0 ? undefined : both / predicted)
const f1Of: Share = ([expected = 0, predicted = 0, both = 0]) =>
  expected + predicted === 0 ? undefined : (2 * both) / (expected + predicted)

function* resampled(labels: number, statistic: StatisticOfTotals): Slices<Interval | null> {
  if (labels > labelsResampledMax) return null
  return (yield* totalsInterval(statistic)) ?? null
}

function wilsonOf(cells: Float64Array, of: 0 | 1): Interval | null {
  return wilsonInterval({ successes: cells[2] ?? 0, n: cells[of] ?? 0 }) ?? null
}

/** The number of counts per label: expected, predicted, both. */
const perLabel = 3

/**
 * Groups the cases by their combination of labels, and clusters by those of all their cases. The order does not depend
 * on the order of the cases because draws pick by index.
 */
function kindsOf(pairs: readonly Classified[], labels: readonly string[]): Kind[] {
  const indexOf = new Map(labels.map((label, index) => [label, index]))
  const alone = new Map<number, number>()
  const clusters = new Map<string, number[]>()
  for (const { expected, predicted, cluster } of pairs) {
    const cell = (indexOf.get(expected) ?? 0) * labels.length + (indexOf.get(predicted) ?? 0)
    const together = cluster === undefined ? undefined : clusters.get(cluster)
    if (together) together.push(cell)
    else if (cluster !== undefined) clusters.set(cluster, [cell])
    else alone.set(cell, (alone.get(cell) ?? 0) + 1)
  }
  const alike = Map.groupBy(clusters.values(), (cells) => cells.sort((a, b) => a - b).join())
  return [
    ...[...alone].sort(([a], [b]) => a - b).map(([cell, count]) => ({ count, adds: addsOf([cell], labels.length) })),
    ...[...alike]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, [cells = [], ...others]]) => ({ count: 1 + others.length, adds: addsOf(cells, labels.length) })),
  ]
}

function addsOf(cells: readonly number[], labels: number): [number, number][] {
  return cells.flatMap((cell): [number, number][] => {
    const expected = Math.floor(cell / labels)
    const predicted = cell % labels
    const isRight: [number, number][] = expected === predicted ? [[expected * perLabel + 2, 1]] : []
    return [[expected * perLabel, 1], [predicted * perLabel + 1, 1], ...isRight]
  })
}

function macroF1OfTotals(totals: Float64Array): number | undefined {
  let sum = 0
  let labels = 0
  for (let start = 0; start < totals.length; start += perLabel) {
    const occurrences = (totals[start] ?? 0) + (totals[start + 1] ?? 0)
    if (occurrences === 0) continue
    sum += (2 * (totals[start + 2] ?? 0)) / occurrences
    labels += 1
  }
  return labels === 0 ? undefined : sum / labels
}

function scoreOf(label: string, cells: Float64Array): Omit<ClassScore, 'intervals'> {
  const [expected = 0, predicted = 0] = cells
  return {
    label,
    precision: precisionOf(cells) ?? null,
    recall: recallOf(cells) ?? null,
    f1: f1Of(cells) ?? 0,
    support: expected,
    predicted,
  }
}
