/**
 * Prevents tokens and costs from being counted twice. Agents and workflows report the sum of the calls below them, in addition to the
 * calls themselves. So the tokens of a span count only if no span below it reports tokens, and its cost only if none reports a cost. Such
 * a span is marked as covered; each span that reports usage marks its ancestors once.
 *
 * A call that two instrumentations report (`repeated-calls.ts`) also counts once: all but one of its spans have a separate mark.
 */
export const REPORTS_TOKENS = 1
export const REPORTS_COST = 2
/** Usage that is reported below a span. These marks propagate to the ancestors. */
export const REPORTED_BELOW = REPORTS_TOKENS | REPORTS_COST
/** Another span reports the tokens, or the cost, of the same call. These marks do not propagate. */
export const TOKENS_REPEATED = 4
export const COST_REPEATED = 8

/** A span in the tree, with the usage that it reports and the usage that is reported below it, as bits. */
export type CoverageNode = { spanId: string; parentSpanId: string | null; reported: number; covered: number }

export function reportedUsage({
  totalTokens,
  costUsd,
}: {
  totalTokens: number | null
  costUsd: number | null
}): number {
  return (totalTokens === null ? 0 : REPORTS_TOKENS) | (costUsd === null ? 0 : REPORTS_COST)
}

/** The usage of a span that counts for its trace. */
export function uncovered<Usage extends { totalTokens: number | null; costUsd: number | null }>(
  { totalTokens, costUsd }: Usage,
  covered: number,
): { totalTokens: number | null; costUsd: number | null } {
  return {
    totalTokens: (covered & (REPORTS_TOKENS | TOKENS_REPEATED)) === 0 ? totalTokens : null,
    costUsd: (covered & (REPORTS_COST | COST_REPEATED)) === 0 ? costUsd : null,
  }
}

/**
 * Marks the spans of one trace that are in memory. Returns the parents that are not among them, which may be stored, with the usage
 * reported below them. Marks are only added, so a cycle of parents terminates.
 */
export function markCovered(nodes: ReadonlyMap<string, CoverageNode>): Map<string, number> {
  const beyond = new Map<string, number>()
  for (const start of nodes.values()) {
    const bits = start.reported | (start.covered & REPORTED_BELOW)
    let parentId = bits === 0 ? null : start.parentSpanId
    while (parentId !== null && parentId !== start.spanId) {
      const parent = nodes.get(parentId)
      if (!parent) {
        beyond.set(parentId, (beyond.get(parentId) ?? 0) | bits)
        break
      }
      if ((parent.covered & bits) === bits) break
      parent.covered |= bits
      parentId = parent.parentSpanId
    }
  }
  return beyond
}
