/**
 * Selects the traces of a list in order of their start times. One index has all traces in this order; the indexes of facets, components and
 * texts are in order of ids. So few matches are read and sorted, while a page of many matches is found soon by the start time.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../storage/db.ts'
import { withoutIndex } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'
import type { TextPattern } from './query/condition.ts'
import { countTracesSince } from './query/hour-queries.ts'
import { matchingTraces, NO_COMMON_TEXTS, type TraceSelect } from './query/matching-trace-queries.ts'
import { chooseFacet, hasIdCondition, later, type PlainFilter } from './query/plain-filter.ts'
import { isFoundByIndex } from './query/text-search-queries.ts'

export type Direction = 'asc' | 'desc'

/** Traces with the same start time are in order of ids. */
export type StartPosition = { startNs: bigint; id: string }

type StartOrder = {
  common?: ReadonlySet<TextPattern> | undefined
  direction?: Direction
  after?: StartPosition | undefined
}

/** Sorting so many matches needs some hundredths of a second. */
const SORTED_MAX = 5_000
/** With so few traces since a time, all of them are read. */
const FEW_TRACES = 2_000

/** The caller selects columns and sets a limit. */
export async function tracesByStart(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  { common = NO_COMMON_TEXTS, direction = 'desc', after }: StartOrder = {},
): Promise<TraceSelect> {
  const isSorted = await hasFewMatches(q, workspaceId, plain, common)
  const { facet, rest } = isSorted ? chooseFacet(plain) : { rest: plain.parts }
  const start = isSorted ? withoutIndex(q, 't.start_ns') : sql.ref('t.start_ns')
  const traces = matchingTraces(
    q,
    workspaceId,
    { ...plain, parts: rest },
    { facet, start, common, ...(isSorted ? {} : { scan: 'by start' }) },
  )
  const beyond = sql.raw(direction === 'asc' ? '>' : '<')
  const following = after
    ? traces.where(sql<SqlBool>`(${start}, t.id) ${beyond} (${after.startNs}, ${after.id})`)
    : traces
  return following.orderBy(start, direction).orderBy('t.id', direction)
}

/** Whether an index finds all matches, and they are few enough to sort. */
async function hasFewMatches(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  common: ReadonlySet<TextPattern>,
): Promise<boolean> {
  if (hasIdCondition(plain) || plain.parts.some((part) => isFoundByIndex(part, common))) return true
  const { facet } = chooseFacet(plain)
  const { componentId, status, startAfter } = plain
  if (!facet && componentId === undefined && status !== 'error') return false
  if (startAfter !== undefined) {
    const since = { workspaceId, startNs: later(startAfter, 0n), limit: FEW_TRACES + 1 }
    if ((await countTracesSince(q, since)) <= FEW_TRACES) return false
  }
  const scope = { workspace_id: workspaceId }
  if (facet) {
    const ofFacet = selectScoped(q, 'trace_facets', { ...scope, facet: facet.name, value: facet.value })
    return isFew(q, sql`${ofFacet.select('trace_id').limit(SORTED_MAX + 1)}`)
  }
  const traces =
    componentId === undefined
      ? selectScoped(q, 'traces', scope).where('status', '=', sql.lit('error'))
      : selectScoped(q, 'traces', { ...scope, component_id: componentId })
  return isFew(q, sql`${traces.select('id').limit(SORTED_MAX + 1)}`)
}

async function isFew(q: Queries, some: RawBuilder<unknown>): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${some}) as s`.execute(q)
  return Number(rows[0]?.count) <= SORTED_MAX
}
