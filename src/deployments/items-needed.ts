/** How many items would open a gate that is shut. */

import { gateItems, itemsFor } from '../comparisons/verdicts/gate-items.ts'
import type { ComparedMetric } from '../comparisons/verdicts/metric-verdicts.ts'
import { isBinaryScale } from '../evaluators/evaluator.ts'
import type { LabelGate } from '../prompts/evidence-schemas.ts'
import type { EvaluatorInfo } from '../scores/evaluator-info.ts'

export type ItemsNeeded = {
  ifEqual: number | null
  ifAsMeasured: number | null
  available: number
  summary: string
}

type Needing = {
  gate: LabelGate
  /** Undefined if the versions were not compared. */
  metric: ComparedMetric | undefined
  info: EvaluatorInfo | undefined
  available: number
}

export function itemsNeeded({ gate, metric, info, available }: Needing): ItemsNeeded {
  const there = `The dataset has ${available.toLocaleString('en')}.`
  const known = (ifEqual: number | null, ifAsMeasured: number | null, summary: string) => ({
    ...{ ifEqual, ifAsMeasured, available },
    summary: `${summary} ${there}`,
  })
  const { margin } = gate
  if (!(margin > 0))
    return known(null, null, 'No number of items excludes a loss of any size: only a version that is better passes.')
  if (!metric) {
    const assumed =
      info && isBinaryScale(info) ? itemsFor({ margin, standardDeviation: Math.SQRT1_2, scale: info.scale }) : null
    if (assumed === null)
      return known(null, null, 'How many items are needed is not known before the versions are compared.')
    const summary = `At most about ${shown(assumed)} items are enough in 80 of 100 attempts if the version is as good; most comparisons need fewer.`
    return known(assumed, null, summary)
  }
  const ifEqual = gateItems(metric, margin)
  const widened = marginFrom(metric, margin)
  const ifAsMeasured = widened === undefined ? null : gateItems(metric, widened)
  if (ifEqual === null) return known(null, null, 'How many items are needed is not known.')
  const equal = `About ${shown(ifEqual)} items are enough in 80 of 100 attempts if the version is as good`
  if (ifAsMeasured === null)
    return known(ifEqual, null, `${equal}; if it is as much worse as it looks now, no number of items is.`)
  return known(ifEqual, ifAsMeasured, `${equal}, and ${shown(ifAsMeasured)} if the difference is what was measured.`)
}

function shown(count: number): string {
  return count.toLocaleString('en')
}

/** How far the lower end may be below the measured difference. Undefined if that is beyond the margin. */
function marginFrom({ difference, higherIsBetter, ratio }: ComparedMetric, margin: number): number | undefined {
  if (ratio !== null) {
    const widened = margin * (higherIsBetter ? ratio : 1 / ratio)
    return widened > 1 ? widened : undefined
  }
  const widened = margin + (higherIsBetter ? 1 : -1) * (difference ?? 0)
  return widened > 0 ? widened : undefined
}
