import { createAffected, createTally, mostFrequent } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { partOf, shownName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { failedShareAbove } = INSIGHT_THRESHOLDS.error_rate
const STEPS_TOLD = 5

/** Many traces end with an error. Frequency: of traces. */
export function findErrorRate(): Finder {
  const affected = createAffected()
  /** By kind and name, in how many failed traces a step of them failed. */
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
      const told = mostFrequent(failing, STEPS_TOLD).map(({ text, count }) => ({ step: text, failedTraces: count }))
      const [most] = told
      return [
        {
          title: `${partOf(failed, traces, 'trace')} failed`,
          description: most
            ? `The step that failed most often in them is ${shownName(most.step)}: in ${partOf(most.failedTraces, failed, 'failed trace')}.`
            : 'None of them has a failed step below its root, so the error is in the code around the steps or was not recorded on them.',
          frequency: failed / traces,
          affected,
          details: { failed, traces, failingSteps: told },
          suggestedFix: most
            ? `Begin with ${shownName(most.step)}: open some of the failed traces at that step, and retry or replace what fails there.`
            : 'Record errors on the spans in which they happen (status and exception), so that the failing step can be seen.',
        },
      ]
    },
  }
}
