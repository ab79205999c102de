/**
 * Prevents tokens and costs from being counted twice. Agents and workflows report the sum of the calls below them, in addition to the
 * calls themselves. So the tokens of a span count only if no span below it reports tokens, and its cost only if none reports a cost. Such
 * a span is marked as covered; each span that reports usage marks its ancestors once.
 *
 * A call that two instrumentations report (`markRepeated`) also counts once: all but one of its spans have a separate mark.
 */
import type { MappableSpan } from '../semconv/conventions/convention.ts'

const REPORTS_TOKENS = 1
export const REPORTS_COST = 2
/** Usage that is reported below a span. These marks propagate to the ancestors. */
export const REPORTED_BELOW = REPORTS_TOKENS | REPORTS_COST
/** Another span reports the tokens, or the cost, of the same call. These marks do not propagate. */
const TOKENS_REPEATED = 4
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

export const RESPONSE_ID = 'gen_ai.response.id'
const ID_LENGTH_MAX = 200
/** The maximum number of overlapping spans with the same id. More are not reports of one call, and comparing all pairs would be slow. */
const NEIGHBORS_MAX = 100

/** Which call a span reports, and the instrumentation that reports it. */
export type CallName = { responseId: string; scope: string }

type ReportedCall = CallName & {
  spanId: string
  startNs: bigint
  endNs: bigint | null
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  /** The marks above. */
  covered: number
}

export function callNameOf({
  attributes,
  resourceScope,
}: Pick<MappableSpan, 'attributes' | 'resourceScope'>): CallName | null {
  const responseId = attributes.get(RESPONSE_ID)
  if (typeof responseId !== 'string' || responseId === '' || responseId.length > ID_LENGTH_MAX) return null
  return { responseId, scope: resourceScope.scopeName }
}

/** Recorded for a trace when several instrumentations have reported calls. Only then can a call be reported twice. */
export const SEVERAL = '*'

/** The usage scope of a trace after this call: the name of the only instrumentation, or `SEVERAL`. */
export function usageScopeWith(known: string | null, { scope }: CallName): string {
  const own = `=${scope.slice(0, ID_LENGTH_MAX)}`
  return known === null || known === own ? own : SEVERAL
}

/**
 * Marks model calls that are reported twice. The spans of a provider and those of an instrumentation around it may be siblings or further
 * away in the tree, and each reports the tokens of the same call. They share the provider's response id.
 *
 * The id alone is not sufficient: caches and small servers return the same id again for separate calls. So spans report the same call
 * only if they come from different instrumentations and overlap in time. Without an id, no call counts as repeated: concurrent calls with
 * the same number of tokens are common.
 *
 * Tokens and costs are marked separately, because not every report has both.
 */
export function markRepeated<Call extends ReportedCall>(calls: readonly Call[]): Call[] {
  const tokens = repeated(
    calls.filter(({ totalTokens }) => totalTokens !== null),
    REPORTS_TOKENS,
  )
  const costs = repeated(
    calls.filter(({ costUsd }) => costUsd !== null),
    REPORTS_COST,
  )
  return calls.map((call) => ({
    ...call,
    covered:
      (call.covered & REPORTED_BELOW) |
      (tokens.has(call.spanId) ? TOKENS_REPEATED : 0) |
      (costs.has(call.spanId) ? COST_REPEATED : 0),
  }))
}

/** The spans that report a call for which another span is counted. */
function repeated(calls: readonly ReportedCall[], mark: number): Set<string> {
  const found = new Set<string>()
  for (const group of Map.groupBy(calls, ({ responseId }) => responseId).values()) {
    if (group.length > 1) addRepeated(found, group, mark)
  }
  return found
}

function addRepeated(found: Set<string>, group: readonly ReportedCall[], mark: number): void {
  const inOrder = group.toSorted((a, b) => (isEarlier(a, b) ? -1 : 1))
  for (const [place, call] of inOrder.entries()) {
    const endNs = call.endNs ?? call.startNs
    for (const other of inOrder.slice(place + 1, place + 1 + NEIGHBORS_MAX)) {
      // A span that starts when another ends follows it.
      if (other.startNs >= endNs && other.startNs !== call.startNs) break
      if (other.scope === call.scope) continue
      found.add(isBetter(call, other, mark) ? other.spanId : call.spanId)
    }
  }
}

function isEarlier(a: ReportedCall, b: ReportedCall): boolean {
  return a.startNs < b.startNs || (a.startNs === b.startNs && a.spanId < b.spanId)
}

/**
 * Prefers the report without more detailed reports below it, then the one with more information: a cost from the sender ranks highest. Of
 * two costs, the lower one accounts for cache reads.
 */
function isBetter(call: ReportedCall, other: ReportedCall, mark: number): boolean {
  if ((call.covered & mark) !== (other.covered & mark)) return (other.covered & mark) !== 0
  const [worth, otherWorth] = [worthOf(call), worthOf(other)]
  if (worth !== otherWorth) return worth > otherWorth
  if (call.costUsd !== other.costUsd) return (call.costUsd ?? 0) < (other.costUsd ?? 0)
  if (call.totalTokens !== other.totalTokens) return (call.totalTokens ?? 0) > (other.totalTokens ?? 0)
  return call.spanId < other.spanId
}

function worthOf({ totalTokens, costUsd, costBasis }: ReportedCall): number {
  return (costBasis === 'reported' ? 4 : 0) + (costUsd === null ? 0 : 2) + (totalTokens === null ? 0 : 1)
}
