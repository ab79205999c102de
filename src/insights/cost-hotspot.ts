import { createAffected, createTally } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatDollars, formatPercent, formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'
import { dollarsOf, dollarUnits } from './integer-units.ts'

const { costShareAtLeast, costingStepsAtLeast } = INSIGHT_THRESHOLDS.cost_hotspot

/**
 * Finds steps that cause most of the cost. Frequency: the share of traces in which the step causes that share of the
 * cost.
 */
export function findCostHotspots(): Finder {
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ units: 0, affected: createAffected() }))
  let totalUnits = 0
  return {
    add(trace) {
      const unitsByStep = new Map<string, number>()
      let traceUnits = 0
      for (const { kind, name, costUsd } of trace.steps) {
        const units = dollarUnits(costUsd)
        if (units === 0) continue
        const key = `${kind}\n${name}`
        unitsByStep.set(key, (unitsByStep.get(key) ?? 0) + units)
        traceUnits += units
      }
      totalUnits += traceUnits
      for (const [key, units] of unitsByStep) {
        const step = steps.of(key)
        if (!step) continue
        step.units += units
        if (units / traceUnits >= costShareAtLeast) step.affected.add(trace.id)
      }
    },
    finish(traces) {
      const costing = steps.entries()
      if (costing.length < costingStepsAtLeast) return []
      return costing.flatMap(([key, { units, affected }]) => {
        const share = units / totalUnits
        if (share < costShareAtLeast) return []
        const [kind = '', name = ''] = key.split('\n', 2)
        const costUsd = dollarsOf(units)
        const totalCostUsd = dollarsOf(totalUnits)
        return {
          title: `${truncateName(name)} is ${formatPercent(share)} of the cost`,
          description: `The ${kind} step ${truncateName(name)} cost ${formatDollars(costUsd)} of ${formatDollars(totalCostUsd)} in all traces, and at least ${formatPercent(costShareAtLeast)} of the cost in ${formatShare(affected.count(), traces, 'trace')}.`,
          frequency: affected.count() / traces,
          affected,
          details: { step: name, kind, costUsd, totalCostUsd, costShare: share },
          suggestedFix: `Optimize ${truncateName(name)} first: use a smaller model, a shorter prompt, or the provider's prompt cache for the constant part.`,
        }
      })
    },
  }
}
