import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { compileQuery } from './compile-query.ts'
import { hasStatus, inNanoseconds } from './compile-term.ts'
import type { TextPattern } from './condition.ts'
import { type Facet, hasIdCondition, type PlainFilter } from './plain-filter.ts'
import { type TraceTables, traceExpression } from './trace-expression.ts'

export type TraceSelect = SelectQueryBuilder<TraceTables, 't', Record<never, never>>

/**
 * How traces are scanned: by a facet value, joined as `f`, if set; `start` is the expression for the start time, which
 * decides whether its index is used.
 */
export type ScanOptions = { facet?: Facet | undefined; start?: Expression<unknown>; common?: ReadonlySet<TextPattern> }

export const NO_COMMON_TEXTS: ReadonlySet<TextPattern> = new Set()

export function matchingTraces(q: Queries, workspaceId: string, plain: PlainFilter, options: ScanOptions): TraceSelect {
  const { facet, start = sql.ref('t.start_ns'), common = NO_COMMON_TEXTS } = options
  // Callers use `t` only, so the type hides the joined facet.
  const traces = (facet ? tracesOfFacet(q, workspaceId, facet) : q.selectFrom('traces as t')) as unknown as TraceSelect
  const compiled = plain.parts.map((part) => compileQuery({ q, workspaceId, common }, part))
  return traces
    .where('t.workspace_id', '=', workspaceId)
    .where(isActive(plain))
    .where(traceExpression.and([...fieldConditions(workspaceId, plain, start), ...compiled]))
}

/**
 * Without an id condition, the expression hides the partial index on trace ids from the planner: without statistics the
 * planner assumes very few active traces and would read all of them for each row of a facet.
 */
function isActive(plain: PlainFilter): Expression<SqlBool> {
  const active = sql<SqlBool>`t.deleted_at is null`
  return hasIdCondition(plain) ? active : sql<SqlBool>`(${active}) is true`
}

/** Uses a cross join because the embedded engine then keeps the order of the tables. */
function tracesOfFacet(q: Queries, workspaceId: string, { name, value }: Facet) {
  return q
    .selectFrom('trace_facets as f')
    .crossJoin('traces as t')
    .where('f.workspace_id', '=', workspaceId)
    .where('f.facet', '=', name)
    .where('f.value', '=', value)
    .whereRef('t.id', '=', 'f.trace_id')
}

function fieldConditions(workspaceId: string, plain: PlainFilter, start: Expression<unknown>): Expression<SqlBool>[] {
  const { status, startAfter: from, startBefore: until, componentId } = plain
  const conditions: Expression<SqlBool>[] = []
  if (status) conditions.push(hasStatus(status))
  if (from !== undefined) conditions.push(inNanoseconds(start, { from }))
  if (until !== undefined) conditions.push(inNanoseconds(start, { until }))
  if (componentId !== undefined) {
    conditions.push(traceExpression('t.component_id', '=', componentId), isActiveComponent(workspaceId, componentId))
  }
  if (plain.service !== undefined) conditions.push(traceExpression('t.service', '=', plain.service))
  if (plain.environment !== undefined) conditions.push(traceExpression('t.environment', '=', plain.environment))
  if (plain.sessionId !== undefined) conditions.push(traceExpression('t.session_id', '=', plain.sessionId))
  if (plain.userId !== undefined) conditions.push(traceExpression('t.user_id', '=', plain.userId))
  return conditions
}

/** A deleted component has no traces, although they may still refer to it. */
export function isActiveComponent(workspaceId: string, componentId: string): Expression<SqlBool> {
  return traceExpression.exists(
    traceExpression
      .selectFrom('components as k')
      .select('k.id')
      .where('k.workspace_id', '=', workspaceId)
      .where('k.id', '=', componentId)
      .where('k.deleted_at', 'is', null),
  )
}
