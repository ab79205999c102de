import { createAffected, createTally } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatCount, formatShare, truncateName } from './insight-text.ts'
import { INSIGHT_LIMITS, INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { offeredInAtLeast } = INSIGHT_THRESHOLDS.unused_tool

/** Finds tools that are offered to models and never called. Frequency: the share of traces that offer the tool. */
export function findUnusedTools(): Finder {
  // One tally for offers and calls: with two, a call could be dropped while its offer is kept.
  const tools = createTally(INSIGHT_LIMITS.names, () => ({ isCalled: false, affected: createAffected() }))
  const markCalled = (name: string) => {
    const tool = tools.of(name)
    if (tool) tool.isCalled = true
  }
  return {
    add({ id, steps, offeredTools, requestedTools }) {
      for (const name of offeredTools) tools.of(name)?.affected.add(id)
      for (const name of requestedTools) markCalled(name)
      for (const { kind, name } of steps) if (kind === 'tool') markCalled(name)
    },
    finish(traces) {
      return tools.entries().flatMap(([name, { isCalled, affected }]) => {
        const offered = affected.count()
        if (isCalled || offered < offeredInAtLeast) return []
        return {
          title: `${truncateName(name)} was offered in ${formatShare(offered, traces, 'trace')} and never called`,
          description: `The definition of ${truncateName(name)} was sent to the model in ${formatCount(offered, 'trace')}; it was never called. The definition costs input tokens in every call and makes tool selection harder.`,
          frequency: offered / traces,
          affected,
          details: { tool: name, offeredIn: offered },
          suggestedFix: `Remove ${truncateName(name)} from the tool definitions or, if it should have been used, describe in its definition when to call it.`,
        }
      })
    },
  }
}
