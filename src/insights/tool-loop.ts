import { createAffected, createTally } from './bounded-tally.ts'
import { groupEqualSteps } from './group-equal-steps.ts'
import type { Finder } from './insight.ts'
import { formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { equalCallsAtLeast } = INSIGHT_THRESHOLDS.tool_loop

/** Finds tools that are called repeatedly with equal arguments in one trace. Frequency: the share of traces. */
export function findToolLoops(): Finder {
  const tools = createTally(INSIGHT_LIMITS.names, () => ({ loops: 0, longest: 0, affected: createAffected() }))
  return {
    add({ id, steps }) {
      for (const calls of groupEqualSteps(steps, 'tool')) {
        const [first] = calls
        const tool = first && calls.length >= equalCallsAtLeast ? tools.of(first.name) : undefined
        if (!tool) continue
        tool.loops += 1
        tool.longest = Math.max(tool.longest, calls.length)
        tool.affected.add(id)
      }
    },
    finish(traces) {
      return tools.entries().map(([name, { loops, longest, affected }]) => ({
        title: `${truncateName(name)} was called at least ${equalCallsAtLeast} times with equal arguments in ${formatShare(affected.count(), traces, 'trace')}`,
        description: `Within one trace the same call of ${truncateName(name)} was repeated up to ${longest} times with unchanged arguments.`,
        frequency: affected.count() / traces,
        affected,
        details: { tool: name, loops, longestLoop: longest },
        suggestedFix: `Remember the result of ${truncateName(name)} for the rest of the trace and answer an equal call from it, with a note to the model that it has asked this before; and end the loop after a fixed number of steps.`,
      }))
    },
  }
}
