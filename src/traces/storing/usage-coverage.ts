/**
 * Keeps tokens and costs from being counted twice. Agents and workflows tell the sum of what the calls below them used, beside the
 * calls themselves: so a span's tokens count only if no span below it tells tokens, and its cost only if none tells a cost.
 * A span that is covered in that way is marked; the marks go up from every span that tells something, once.
 *
 * A call that two instrumentations report (`repeated-calls.ts`) counts once too: all but one of its spans have a mark of their own.
 */
export const TELLS_TOKENS = 1
export const TELLS_COST = 2
/** What is told below: these marks go up. */
export const TOLD_BELOW = TELLS_TOKENS | TELLS_COST
/** Another span reports the tokens, or the cost, of the same call. This says nothing about the spans above. */
export const TOKENS_REPEATED = 4
export const COST_REPEATED = 8

/** A span in the tree: what it tells itself, and what is told below it, as bits. */
export type CoverageNode = { spanId: string; parentSpanId: string | null; tells: number; covered: number }

export function tellsOf({ totalTokens, costUsd }: { totalTokens: number | null; costUsd: number | null }): number {
  return (totalTokens === null ? 0 : TELLS_TOKENS) | (costUsd === null ? 0 : TELLS_COST)
}

/** What of a span counts for its trace. */
export function uncovered<Usage extends { totalTokens: number | null; costUsd: number | null }>(
  { totalTokens, costUsd }: Usage,
  covered: number,
): { totalTokens: number | null; costUsd: number | null } {
  return {
    totalTokens: (covered & (TELLS_TOKENS | TOKENS_REPEATED)) === 0 ? totalTokens : null,
    costUsd: (covered & (TELLS_COST | COST_REPEATED)) === 0 ? costUsd : null,
  }
}

/**
 * Marks the spans of one trace that are at hand. Answers the parents that are not among them, with what is told below: they may be
 * stored already. Marks only ever grow, so a ring of parents ends where it began.
 */
export function markCovered(nodes: ReadonlyMap<string, CoverageNode>): Map<string, number> {
  const beyond = new Map<string, number>()
  for (const start of nodes.values()) {
    const bits = start.tells | (start.covered & TOLD_BELOW)
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
