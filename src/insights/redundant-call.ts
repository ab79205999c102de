import { createAffected, createTally } from './bounded-tally.ts'
import { repeatedModelCalls } from './group-equal-steps.ts'
import type { Finder } from './insight.ts'
import { formatCount, formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { equalCallsAtLeast } = INSIGHT_THRESHOLDS.redundant_call

/**
 * Finds model calls that are repeated in the same trace although the first one succeeded. Frequency: the share of
 * traces.
 */
export function findRedundantCalls(): Finder {
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ repeats: 0, tokens: 0, affected: createAffected() }))
  return {
    add(trace) {
      for (const [first, ...repeats] of repeatedModelCalls(trace.steps)) {
        const step = first && repeats.length + 1 >= equalCallsAtLeast ? steps.of(first.name) : undefined
        if (!step) continue
        step.repeats += repeats.length
        step.tokens += repeats.reduce((sum, { tokens }) => sum + tokens, 0)
        step.affected.add(trace.id)
      }
    },
    finish(traces) {
      return steps.entries().map(([name, { repeats, tokens, affected }]) => ({
        title: `${truncateName(name)} was repeated with the same input in ${formatShare(affected.count(), traces, 'trace')}`,
        description: `The model call ${truncateName(name)} was repeated ${formatCount(repeats, 'time')} with the same model, settings and messages although it had succeeded, which used ${formatCount(tokens, 'token')}.`,
        frequency: affected.count() / traces,
        affected,
        details: { step: name, repeats, tokens },
        suggestedFix: `Reuse the output of ${truncateName(name)} within the trace, or cache it by request. If several samples are needed, request them in one call.`,
      }))
    },
  }
}
