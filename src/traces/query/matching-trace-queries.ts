import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../storage/db.ts'
import { readBy } from '../../storage/dialect.ts'
import { ALL_TIME, HOUR_NS } from '../storing/rollup-queries.ts'
import { type CompileContext, compileTerm, hasSource, hasStatus, inNanoseconds, isNotTrue } from './compile-term.ts'
import type { Condition, TextPattern } from './condition.ts'
import { type Facet, hasIdCondition, later, type PlainFilter } from './plain-filter.ts'
import { type TraceTables, traceExpression } from './trace-expression.ts'

export type TraceSelect = SelectQueryBuilder<TraceTables, 't', Record<never, never>>

/**
 * How traces are scanned: by a facet value, joined as `f`, if set, or in order of start times; `start` is the expression for the start
 * time, which decides whether its index is used otherwise.
 */
export type ScanOptions = {
  facet?: Facet | undefined
  scan?: 'by start'
  start?: Expression<unknown>
  common?: ReadonlySet<TextPattern>
}

export const NO_COMMON_TEXTS: ReadonlySet<TextPattern> = new Set()

export function matchingTraces(q: Queries, workspaceId: string, plain: PlainFilter, options: ScanOptions): TraceSelect {
  const { facet, scan, start = sql.ref('t.start_ns'), common = NO_COMMON_TEXTS } = options
  const all =
    scan === 'by start'
      ? q.selectFrom(readBy(q, { table: 'traces', alias: 't', index: 'traces_by_start' }))
      : q.selectFrom('traces as t')
  // Callers use `t` only, so the type hides the joined facet.
  const traces = (facet ? tracesOfFacet(q, workspaceId, facet) : all) as unknown as TraceSelect
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
  if (plain.source !== undefined) conditions.push(hasSource(plain.source))
  if (plain.userId !== undefined) conditions.push(traceExpression('t.user_id', '=', plain.userId))
  return conditions
}

/** A deleted component has no traces, although they may still refer to it. */
function isActiveComponent(workspaceId: string, componentId: string): Expression<SqlBool> {
  return traceExpression.exists(
    traceExpression
      .selectFrom('components as k')
      .select('k.id')
      .where('k.workspace_id', '=', workspaceId)
      .where('k.id', '=', componentId)
      .where('k.deleted_at', 'is', null),
  )
}

/** A condition on a row of `traces as t`. The caller filters by workspace. */
function compileQuery(context: CompileContext, condition: Condition): Expression<SqlBool> {
  if (condition.type === 'term') return compileTerm(context, condition.term)
  if (condition.type === 'not') return isNotTrue(compileQuery(context, condition.part))
  const parts = condition.parts.map((part) => compileQuery(context, part))
  return condition.type === 'and' ? traceExpression.and(parts) : traceExpression.or(parts)
}

/** True if the rollups contain all columns that the filter uses. */
export function isCoveredByRollups({ parts, sessionId, userId }: PlainFilter): boolean {
  return parts.length === 0 && sessionId === undefined && userId === undefined
}

/**
 * The number of traces: whole hours from the rollups, and the partial hours at both ends counted by the index on the
 * start time. A single expression, so that all parts come from one snapshot.
 */
export function countFromRollups(q: Queries, workspaceId: string, plain: PlainFilter): Expression<number> {
  const after = plain.startAfter === undefined ? undefined : later(plain.startAfter, 0n)
  const before = plain.startBefore === undefined ? undefined : later(plain.startBefore, 0n)
  const countTraces = (startAfter: bigint, startBefore: bigint) =>
    matchingTraces(q, workspaceId, { ...plain, startAfter, startBefore }, {}).select(({ fn }) =>
      fn.countAll().as('count'),
    )
  const firstHour = after === undefined ? undefined : (after + HOUR_NS - 1n) / HOUR_NS
  const endHour = before === undefined ? undefined : before / HOUR_NS
  if (after !== undefined && before !== undefined && firstHour !== undefined && endHour !== undefined) {
    if (firstHour >= endHour) return sql<number>`${countTraces(after, before)}`
  }
  const sums = [sumWholeHours((hours) => rollupSum(q, workspaceId, plain, hours), { firstHour, endHour })]
  if (after !== undefined && firstHour !== undefined) sums.push(sql`${countTraces(after, firstHour * HOUR_NS)}`)
  if (before !== undefined && endHour !== undefined) sums.push(sql`${countTraces(endHour * HOUR_NS, before)}`)
  return sql<number>`${sql.join(sums, sql` + `)}`
}

type Bounds = { firstHour: bigint | undefined; endHour: bigint | undefined }
type Hours = 'all time' | { firstHour: bigint; endHour: bigint | undefined }

/** A range without a start is the all-time sum minus the later hours, which are usually few. */
function sumWholeHours(sum: (hours: Hours) => Expression<unknown>, { firstHour, endHour }: Bounds) {
  if (firstHour !== undefined) return sql`${sum({ firstHour, endHour })}`
  if (endHour === undefined) return sql`${sum('all time')}`
  return sql`${sum('all time')} - ${sum({ firstHour: endHour, endHour: undefined })}`
}

function rollupSum(q: Queries, workspaceId: string, plain: PlainFilter, which: Hours) {
  return rollupsOf(q, workspaceId, plain, which).select(sql<number>`coalesce(sum(h.traces), 0)`.as('traces'))
}

/** The rollups `h` that match a filter on columns which they contain. */
export function rollupsOf(q: Queries, workspaceId: string, plain: PlainFilter, which: Hours) {
  if (plain.source !== undefined) return rollupsBySource(q, workspaceId, plain, which)
  return q
    .selectFrom('trace_rollups as h')
    .where('h.workspace_id', '=', workspaceId)
    .where(rollupConditions(workspaceId, plain, which))
}

const ROLLUP_KEY = ['h.workspace_id', 'h.hour', 'h.component_id', 'h.status', 'h.service', 'h.environment'] as const
const ROLLUP_SUMS = ['h.traces', 'h.tokens', 'h.cost_usd'] as const

/** The same, and each row has a source. Several rows may have the same key: only their sums are numbers of traces. */
export function rollupsBySource(q: Queries, workspaceId: string, plain: PlainFilter, which: Hours) {
  const conditions = rollupConditions(workspaceId, plain, which)
  const all = q.selectFrom('trace_rollups as h').where('h.workspace_id', '=', workspaceId).where(conditions)
  const others = q.selectFrom('trace_source_rollups as h').where('h.workspace_id', '=', workspaceId).where(conditions)
  const production = sql<string>`'production'`.as('source')
  // Production is what is left of all traces without the others.
  const negated = [
    sql<number>`-h.traces`.as('traces'),
    sql<number>`-h.tokens`.as('tokens'),
    sql<number>`-h.cost_usd`.as('cost_usd'),
  ] as const
  const bySource = q.selectFrom(
    all
      .select([...ROLLUP_KEY, ...ROLLUP_SUMS, production])
      .unionAll(others.select([...ROLLUP_KEY, ...negated, production]))
      .unionAll(others.select([...ROLLUP_KEY, ...ROLLUP_SUMS, 'h.source']))
      .as('h'),
  )
  return plain.source === undefined ? bySource : bySource.where('h.source', '=', plain.source)
}

function rollupConditions(
  workspaceId: string,
  { status, componentId, service, environment }: PlainFilter,
  which: Hours,
): Expression<SqlBool> {
  const conditions: Expression<SqlBool>[] = []
  const compare = (column: string, operator: '=' | '>=' | '<', value: string | number) =>
    conditions.push(sql<SqlBool>`${sql.ref(`h.${column}`)} ${sql.raw(operator)} ${value}`)
  if (which === 'all time') compare('hour', '=', ALL_TIME)
  else {
    compare('hour', '>=', Number(which.firstHour))
    if (which.endHour !== undefined) compare('hour', '<', Number(which.endHour))
  }
  if (componentId !== undefined) {
    compare('component_id', '=', componentId)
    conditions.push(isActiveComponent(workspaceId, componentId))
  }
  if (status !== undefined) compare('status', '=', status)
  if (service !== undefined) compare('service', '=', service)
  if (environment !== undefined) compare('environment', '=', environment)
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}
