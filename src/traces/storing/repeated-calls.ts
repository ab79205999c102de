/**
 * Finds model calls that are reported twice. The spans of a provider and those of an instrumentation around it may be siblings or further
 * away in the tree, and each reports the tokens of the same call. They share the provider's response id.
 *
 * The id alone is not sufficient: caches and small servers return the same id again for separate calls. So spans report the same call
 * only if they come from different instrumentations and overlap in time. Without an id, no call counts as repeated: concurrent calls with
 * the same number of tokens are common.
 */
import type { MappableSpan } from '../semconv/conventions/convention.ts'
import { COST_REPEATED, REPORTED_BELOW, REPORTS_COST, REPORTS_TOKENS, TOKENS_REPEATED } from './usage-coverage.ts'

export const RESPONSE_ID = 'gen_ai.response.id'
const ID_LENGTH_MAX = 200
/** The maximum number of overlapping spans with the same id. More are not reports of one call, and comparing all pairs would be slow. */
const NEIGHBORS_MAX = 100

/** Which call a span reports, and the instrumentation that reports it. */
export type CallName = { responseId: string; scope: string }

export type ReportedCall = CallName & {
  spanId: string
  startNs: bigint
  endNs: bigint | null
  totalTokens: number | null
  costUsd: number | null
  costBasis: string | null
  /** The marks of `usage-coverage.ts`. */
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

/** Returns the calls with their marks. Tokens and costs are marked separately, because not every report has both. */
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
