/** How many items a gate needs: it must exclude a loss of the margin, so it needs items even if nothing has changed. */

import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import { normalQuantile } from '../../statistics/distributions.ts'
import { casesNeeded, casesToSee } from '../../statistics/power.ts'
import { plannedLooksInflation } from '../../statistics/sequential/planned-looks.ts'
import { DIFFERING_MIN, type Power } from '../evidence/comparison-power.ts'
import { MARGIN_ITEMS_MIN } from './verdict.ts'

type Needing = {
  margin: number | null
  /** Of the differences between the two values of an item. */
  standardDeviation: number | undefined
  scale: EvaluatorInfo['scale']
  plannedLooks?: number | undefined
}

/**
 * The items with which the 95 % interval of no change lies above −margin in 80 of 100 attempts. Where hardly an item
 * changes, there must be enough of them to exclude that a share of the margin does.
 */
export function itemsFor({ margin, standardDeviation, scale, plannedLooks = 1 }: Needing): number | null {
  if (margin === null || !(margin > 0) || standardDeviation === undefined) return null
  const ofOneLook = casesNeeded({ difference: margin, standardDeviation }) ?? 0
  const cases = Math.ceil(ofOneLook * plannedLooksInflation(plannedLooks))
  if (scale === null) return Math.max(MARGIN_ITEMS_MIN, cases)
  const share = Math.min(1, margin / (scale[1] - scale[0]))
  // Items are counted in whole numbers, which costs about one more that differs.
  return Math.max(MARGIN_ITEMS_MIN, Math.ceil(cases + 1 / share), casesToSee(share))
}

type Measured = {
  readonly items: number
  readonly scale: EvaluatorInfo['scale']
  /** Null if the metric is not compared by its ratio. */
  readonly ratio: number | null
  readonly wins: number
  readonly losses: number
  readonly power: Power
}

/** The items that a gate on this metric needs, by how far the items of the two runs differ. Null if that is not known. */
export function gateItems({ items, scale, ratio, wins, losses, power }: Measured, margin: number): number | null {
  const differing = wins + losses
  const detectable = power.detectableDifference
  if (differing < DIFFERING_MIN) {
    // Each of them may change by the whole scale.
    const range = scale && scale[1] - scale[0]
    const standardDeviation = range === null ? undefined : range * Math.sqrt(differing / items)
    return itemsFor({ margin, standardDeviation, scale })
  }
  if (detectable === null) return null
  const inUnit = ratio === null ? (amount: number) => amount : Math.log1p
  // What is found in 80 of 100 comparisons is about 2.8 standard errors.
  const standardDeviation = (inUnit(detectable) * Math.sqrt(items)) / (normalQuantile(0.975) + normalQuantile(0.8))
  return itemsFor({ margin: ratio === null ? margin : Math.log(margin), standardDeviation, scale })
}

export function neededItems(items: number): string {
  return `If nothing changed, about ${items.toLocaleString('en')} items are needed to pass in 80 of 100 attempts.`
}
