import { createAffected, createTally, mostFrequent } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { failedShareAbove } = INSIGHT_THRESHOLDS.error_rate
const STEPS_LISTED_MAX = 5

/** Finds a high share of failed traces. Frequency: the share of traces. */
export function findErrorRate(): Finder {
  const affected = createAffected()
  /** The number of failed traces in which a step of this kind and name failed. */
  const failing = createTally(INSIGHT_LIMITS.names, () => ({ count: 0 }))
  return {
    add({ id, isError, steps }) {
      if (!isError) return
      affected.add(id)
      const failed = steps.filter((step) => step.isError)
      for (const key of new Set(failed.map(({ kind, name }) => `${kind} ${name}`))) {
        const step = failing.of(key)
        if (step) step.count += 1
      }
    },
    finish(traces) {
      const failed = affected.count()
      if (traces === 0 || failed / traces <= failedShareAbove) return []
      const failingSteps = mostFrequent(failing, STEPS_LISTED_MAX).map(({ text, count }) => ({
        step: text,
        failedTraces: count,
      }))
      const [most] = failingSteps
      return [
        {
          title: `${formatShare(failed, traces, 'trace')} failed`,
          description: most
            ? `The step that failed most often in them is ${truncateName(most.step)}: in ${formatShare(most.failedTraces, failed, 'failed trace')}.`
            : 'None of them has a failed step below its root, so the error is in the code around the steps or was not recorded on them.',
          frequency: failed / traces,
          affected,
          details: { failed, traces, failingSteps },
          suggestedFix: most
            ? `Start with ${truncateName(most.step)}: open some of the failed traces at that step, and retry or replace what fails there.`
            : 'Record errors on the spans in which they happen (status and exception), so that the failing step can be seen.',
        },
      ]
    },
  }
}
