/**
 * Selects the traces of a list and counts them.
 *
 * The list is in descending order of ids, so it must scan something sorted by id and should skip few traces: the rows of one facet value,
 * the traces of a component, the failed traces, or all. The scan is chosen here and not by the database, because not every database
 * estimates the number of rows.
 */
import { type Expression, sql } from 'kysely'
import { badRequest } from '../base/errors.ts'
import { isUuid } from '../base/ids.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { withoutIndex } from '../storage/dialect.ts'
import { chooseScan, type ScanOrder } from './query/choose-scan.ts'
import type { Condition, TextPattern } from './query/condition.ts'
import { matchingTraces, NO_COMMON_TEXTS, type TraceSelect } from './query/matching-trace-queries.ts'
import { lastHours } from './query/newest-hours.ts'
import { parseQuery } from './query/parse-query.ts'
import { chooseFacet, type FilterFields, later, plainFilter } from './query/plain-filter.ts'
import { parseTimestamp } from './query/query-times.ts'
import { countFromRollups, isCoveredByRollups } from './query/rollup-count-queries.ts'
import { findCommonTexts } from './query/text-search-queries.ts'
import { TRACE_SUMMARY_COLUMNS, type TraceSummaryRow } from './trace-summary.ts'

export type TraceFilter = FilterFields & { condition?: Condition }

/** The traces that match the filter, as `traces as t`, unordered. */
export function filteredTraces(q: Queries, workspaceId: string, filter: TraceFilter): TraceSelect {
  const plain = plainFilter(filter)
  const { facet, rest } = chooseFacet(plain)
  return matchingTraces(q, workspaceId, { ...plain, parts: rest }, { facet })
}

/** How traces are found. The database is queried once for the common texts, for both the page and the total. */
export type SearchPlan = { walk?: ScanOrder; common?: ReadonlySet<TextPattern> }

export async function planSearch(q: Queries, workspaceId: string, filter: TraceFilter): Promise<SearchPlan> {
  const plain = plainFilter(filter)
  return { common: await findCommonTexts(q, workspaceId, plain.parts) }
}

/** The same, newest first. The caller selects columns and sets a limit. */
export function newestTraces(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  { walk = 'by id', common = NO_COMMON_TEXTS }: SearchPlan = {},
): TraceSelect {
  const plain = plainFilter(filter)
  if (walk === 'by start') {
    // Not the id itself, because the query planner could choose to scan by id.
    return matchingTraces(q, workspaceId, plain, { common }).orderBy(sql`cast(t.id as text)`, 'desc')
  }
  const { facet, rest } = chooseFacet(plain)
  const way = { facet, start: withoutIndex(q, 't.start_ns'), common }
  const order = sql.ref(facet ? 'f.trace_id' : 't.id')
  return matchingTraces(q, workspaceId, { ...plain, parts: rest }, way).orderBy(order, 'desc')
}

type TracePage = { workspaceId: string; filter: TraceFilter } & Page

/** A page of the list, newest first, each trace with its component unless that was deleted. */
export async function listTraces(q: Queries, page: TracePage, given?: SearchPlan): Promise<TraceSummaryRow[]> {
  const { workspaceId, filter } = page
  const plan = given ?? (await planSearch(q, workspaceId, filter))
  const found = await listLastHours(q, page, plan)
  return found ?? listPage(q, page, { ...plan, walk: await chooseScan(q, workspaceId, plainFilter(filter)) })
}

/** Undefined if the page may have traces that started before the last hours, or if another scan is better. */
async function listLastHours(q: Queries, page: TracePage, plan: SearchPlan): Promise<TraceSummaryRow[] | undefined> {
  const { workspaceId, filter, limit } = page
  const plain = plainFilter(filter)
  if (plain.startBefore === undefined || chooseFacet(plain).facet?.isRare) return undefined
  for (const { from, newestBefore } of await lastHours(q, workspaceId, plain)) {
    const within = { ...filter, startAfter: later(filter.startAfter, from) }
    const rows = await listPage(q, { ...page, filter: within }, { ...plan, walk: 'by start' })
    const last = rows.at(-1)
    const isWhole = newestBefore === '' || (rows.length === limit && last !== undefined && last.id > newestBefore)
    if (isWhole) return rows
  }
  return undefined
}

function listPage(
  q: Queries,
  { workspaceId, filter, limit, offset }: TracePage,
  plan: SearchPlan,
): Promise<TraceSummaryRow[]> {
  const page = newestTraces(q, workspaceId, filter, plan).limit(limit).offset(offset)
  if (plan.walk !== 'by start') return summariesOf(page)
  // Sorts bare ids, because many traces match and few are shown.
  const shown = q
    .selectFrom('traces as t')
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', 'in', page.select('t.id'))
  return summariesOf(shown.orderBy('t.id', 'desc'))
}

function summariesOf(traces: TraceSelect): Promise<TraceSummaryRow[]> {
  return traces
    .leftJoin('components as c', (join) =>
      join
        .onRef('c.workspace_id', '=', 't.workspace_id')
        .onRef('c.id', '=', 't.component_id')
        .on('c.deleted_at', 'is', null),
    )
    .select(TRACE_SUMMARY_COLUMNS)
    .execute()
}

/** The maximum count. An exact number above it is not worth the wait. */
const COUNTED_MAX = 10_000
/** The maximum count if traces are checked one by one, because very many have the text. */
const COUNTED_WALKING_MAX = 1_000

/** Exact and read from rollups where possible; counted up to a limit for other conditions of the query language. */
export async function countTraces(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  plan?: SearchPlan,
): Promise<number> {
  const plain = plainFilter(filter)
  if (isCoveredByRollups(plain)) return countOf(q, countFromRollups(q, workspaceId, plain))
  if (plain.parts.length === 0) {
    const traces = filteredTraces(q, workspaceId, filter)
    return countOf(
      q,
      traces.select(({ fn }) => fn.countAll().as('count')),
    )
  }
  const common = plan?.common ?? (await findCommonTexts(q, workspaceId, plain.parts))
  const limit = common.size > 0 ? COUNTED_WALKING_MAX : COUNTED_MAX
  const some = newestTraces(q, workspaceId, filter, { common }).select('t.id').limit(limit)
  return countOf(q, sql`(select count(*) from (${some}) as counted)`)
}

async function countOf(q: Queries, count: Expression<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select cast(${count} as bigint) as total`.execute(q)
  return rows[0]?.total ?? 0
}

/** The query parameters of `GET /traces`. */
export type TraceParameters = {
  status?: string
  start_after?: string
  start_before?: string
  component_id?: string
  service?: string
  environment?: string
  session_id?: string
  user_id?: string
  q?: string
}

/** Throws 400 with a message that names the parameter. `now`, in milliseconds, is for times such as `start:>-24h`. */
export function readTraceFilter(parameters: TraceParameters, now: number): TraceFilter {
  const condition = parameters.q === undefined ? undefined : parseQuery(parameters.q, now)
  return without({
    status: readStatus(parameters.status),
    startAfter: readTime('start_after', parameters.start_after),
    startBefore: readTime('start_before', parameters.start_before),
    componentId: readComponentId(parameters.component_id),
    service: readText('service', parameters.service),
    environment: readText('environment', parameters.environment),
    sessionId: readText('session_id', parameters.session_id),
    userId: readText('user_id', parameters.user_id),
    condition,
  })
}

type Asked = { [Name in keyof TraceFilter]-?: TraceFilter[Name] | undefined }

function without(asked: Asked): TraceFilter
function without(asked: object): object {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

function readStatus(status: string | undefined): 'ok' | 'error' | undefined {
  if (status === undefined || status === 'ok' || status === 'error') return status
  throw badRequest('The query parameter status must be ok or error')
}

function readComponentId(id: string | undefined): string | undefined {
  if (id === undefined || isUuid(id)) return id?.toLowerCase()
  throw badRequest('The query parameter component_id must be a UUID')
}

/** A date is its start in UTC, for both bounds: a range of dates is whole days, and no trace is in two adjacent ranges. */
function readTime(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const time = parseTimestamp(text)
  if (time) return time.from
  throw badRequest(
    `The query parameter ${name} must be a date (2026-11-14) or a date-time of RFC 3339 (2026-11-14T09:30:00Z)`,
  )
}

function readText(name: string, text: string | undefined): string | undefined {
  if (text === '') throw badRequest(`The query parameter ${name} must not be empty`)
  if (text !== undefined && (text.includes('\0') || !text.isWellFormed())) {
    throw badRequest(
      `The query parameter ${name} has characters that cannot be stored (U+0000 or half of a surrogate pair)`,
    )
  }
  return text
}
