import { createAffected, createTally } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { callsAtLeast, reasons } = INSIGHT_THRESHOLDS.truncated_output
const limitReasons: ReadonlySet<string> = new Set(reasons)

/** Finds model calls that ended because they reached their token limit. Frequency: the share of the step's calls. */
export function findTruncatedOutputs(): Finder {
  const steps = createTally(INSIGHT_LIMITS.names, () => ({ calls: 0, truncated: 0, affected: createAffected() }))
  return {
    add(trace) {
      for (const { kind, name, finishReasons } of trace.steps) {
        const step = kind === 'llm' ? steps.of(name) : undefined
        if (!step) continue
        step.calls += 1
        if (!finishReasons.some((reason) => limitReasons.has(reason))) continue
        step.truncated += 1
        step.affected.add(trace.id)
      }
    },
    finish() {
      return steps.entries().flatMap(([name, { calls, truncated, affected }]) => {
        if (truncated < callsAtLeast) return []
        return {
          title: `${truncateName(name)} was cut off in ${formatShare(truncated, calls, 'call')}`,
          description: `The model stopped in ${truncateName(name)} because it reached the token limit: the output is incomplete, and JSON in it is usually invalid.`,
          frequency: truncated / calls,
          affected,
          details: { step: name, calls, truncated },
          suggestedFix: `Raise the output token limit of ${truncateName(name)}, or request a shorter output; and treat the finish reason "length" as an error before the output is used.`,
        }
      })
    },
  }
}
