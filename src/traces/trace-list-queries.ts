/**
 * Selects the traces of a list and counts them.
 *
 * The list is in descending order of ids, so it must scan something sorted by id and should skip few traces: the rows of one facet value,
 * the traces of a component, the failed traces, or all. The scan is chosen here and not by the database, because not every database
 * estimates the number of rows.
 */
import { type Expression, type SqlBool, sql } from 'kysely'
import { timestamp } from '../base/clock.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { withoutIndex } from '../storage/dialect.ts'
import type { TextPattern } from './query/condition.ts'
import { countTracesSince, sumTracesOfHours } from './query/hour-queries.ts'
import {
  countFromRollups,
  isCoveredByRollups,
  matchingTraces,
  NO_COMMON_TEXTS,
  type TraceSelect,
} from './query/matching-trace-queries.ts'
import { lastHours } from './query/newest-hours.ts'
import { chooseFacet, later, type PlainFilter, plainFilter } from './query/plain-filter.ts'
import { comparesSpans, planTexts, SEARCHED_SPANS_MAX } from './query/text-search-queries.ts'
import { type Direction, tracesByStart } from './start-order-queries.ts'
import { HOUR_NS } from './storing/rollup-queries.ts'
import type { TraceFilter } from './trace-filter.ts'
import { onActiveComponent, TRACE_SUMMARY_COLUMNS } from './trace-queries.ts'
import type { TraceSummaryRow } from './trace-summary.ts'

/** The traces that match the filter, as `traces as t`, unordered. */
export function filteredTraces(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  common: ReadonlySet<TextPattern> = NO_COMMON_TEXTS,
): TraceSelect {
  const plain = plainFilter(filter)
  const { facet, rest } = chooseFacet(plain)
  return matchingTraces(q, workspaceId, { ...plain, parts: rest }, { facet, common })
}

/** How traces are found. The database is queried once for the common texts, for both the page and the total. */
export type SearchPlan = { walk?: ScanOrder; common?: ReadonlySet<TextPattern>; ids?: IdRange }

/** Part of the list in order of ids, which is the order of arrival. `upTo` is inclusive. */
export type IdRange = { direction: Direction; after?: string; before?: string; upTo?: string }
const NEWEST_FIRST: IdRange = { direction: 'desc' }

/**
 * The part of a filter that is searched, and how. `searchedSince` is the start time from which on all matches are found; undefined if they
 * all are. It is also in the filter.
 */
export type PlannedSearch = { filter: TraceFilter; plan: SearchPlan; searchedSince: bigint | undefined }

/**
 * A search that no index supports compares spans one by one, so only those of the latest traces are searched. A query with a time range
 * reaches earlier ones: the limit is for the traces that match all other conditions.
 */
export async function planSearch(q: Queries, workspaceId: string, filter: TraceFilter): Promise<PlannedSearch> {
  const plain = plainFilter(filter)
  const { common, unindexed } = await planTexts(q, workspaceId, plain.parts)
  const parts = plain.parts.filter((part) => !comparesSpans(part, unindexed))
  const isLimited = parts.length < plain.parts.length
  const searchedSince = isLimited ? await findSearchStart(q, workspaceId, { ...plain, parts }, common) : undefined
  const searched = searchedSince === undefined ? filter : { ...filter, startAfter: searchedSince }
  return { filter: searched, plan: { common }, searchedSince }
}

/** As a timestamp; null if all traces are searched. */
export function searchedSinceOf({ searchedSince }: PlannedSearch): string | null {
  return searchedSince === undefined ? null : timestamp(Number(searchedSince / 1_000_000n))
}

/** The earliest start time since which traces have at most as many spans as a search compares; undefined if all have. */
async function findSearchStart(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  common: ReadonlySet<TextPattern>,
): Promise<bigint | undefined> {
  // Each trace has a span.
  const latest = (await tracesByStart(q, workspaceId, plain, { common }))
    .select(['t.start_ns', 't.span_count'])
    .limit(SEARCHED_SPANS_MAX + 1)
  const sums = sql`select start_ns, sum(span_count) over (order by start_ns desc) as spans from (${latest}) as l`
  const { rows } = await sql<{ since: string; spans: number }>`
    select cast(coalesce(min(case when spans <= ${SEARCHED_SPANS_MAX} then start_ns end), max(start_ns)) as text) as since,
      max(spans) as spans from (${sums}) as s`.execute(q)
  const [found] = rows
  return found && Number(found.spans) > SEARCHED_SPANS_MAX ? BigInt(found.since) : undefined
}

/** The same in order of ids, by default newest first. The caller selects columns and sets a limit. */
export function newestTraces(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  { walk = 'by id', common = NO_COMMON_TEXTS, ids = NEWEST_FIRST }: SearchPlan = {},
): TraceSelect {
  const plain = plainFilter(filter)
  if (walk === 'by start') {
    const traces = withinIds(matchingTraces(q, workspaceId, plain, { common }), withoutIndex(q, 't.id'), ids)
    // Not the id itself, because the query planner could choose to scan by id.
    return traces.orderBy(sql`cast(t.id as text)`, ids.direction)
  }
  const { facet, rest } = chooseFacet(plain)
  const way = { facet, start: withoutIndex(q, 't.start_ns'), common }
  const order = sql.ref(facet ? 'f.trace_id' : 't.id')
  const traces = matchingTraces(q, workspaceId, { ...plain, parts: rest }, way)
  return withinIds(traces, order, ids).orderBy(order, ids.direction)
}

function withinIds(traces: TraceSelect, id: Expression<unknown>, { after, before, upTo }: IdRange): TraceSelect {
  let within = traces
  if (after !== undefined) within = within.where(sql<SqlBool>`${id} > ${after}`)
  if (before !== undefined) within = within.where(sql<SqlBool>`${id} < ${before}`)
  if (upTo !== undefined) within = within.where(sql<SqlBool>`${id} <= ${upTo}`)
  return within
}

type TracePage = { workspaceId: string; filter: TraceFilter } & Page

/** A page of the list, newest first, each trace with its component unless that was deleted. */
export function listTraces(q: Queries, page: TracePage, plan: SearchPlan = {}): Promise<TraceSummaryRow[]> {
  return listColumns(q, page, plan, summariesOf)
}

/** The same with ids only. */
export function listTraceIds(q: Queries, page: TracePage, plan: SearchPlan): Promise<{ id: string }[]> {
  return listColumns(q, page, plan, idsOf)
}

/** Selects columns of the traces of a page. */
type SelectColumns<Row> = (traces: TraceSelect) => Promise<Row[]>

async function listColumns<Row extends { id: string }>(
  q: Queries,
  page: TracePage,
  plan: SearchPlan,
  select: SelectColumns<Row>,
): Promise<Row[]> {
  const { workspaceId, filter } = page
  const found = await listLastHours(q, page, plan, select)
  return found ?? listPage(q, page, { ...plan, walk: await walkOf(q, workspaceId, filter, plan.ids) }, select)
}

/** How to scan for a page in this order of ids. */
export function walkOf(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  { direction }: IdRange = NEWEST_FIRST,
): Promise<ScanOrder> {
  return chooseScan(q, workspaceId, plainFilter(filter), direction)
}

/** Undefined if the page may have traces that started before the last hours, or if another scan is better. */
async function listLastHours<Row extends { id: string }>(
  q: Queries,
  page: TracePage,
  plan: SearchPlan,
  select: SelectColumns<Row>,
): Promise<Row[] | undefined> {
  const { workspaceId, filter, limit } = page
  const plain = plainFilter(filter)
  if (plain.startBefore === undefined || chooseFacet(plain).facet?.isRare) return undefined
  if (plan.ids?.direction === 'asc') return undefined
  for (const { from, newestBefore } of await lastHours(q, workspaceId, plain)) {
    const within = { ...filter, startAfter: later(filter.startAfter, from) }
    const rows = await listPage(q, { ...page, filter: within }, { ...plan, walk: 'by start' }, select)
    const last = rows.at(-1)
    const isWhole = newestBefore === '' || (rows.length === limit && last !== undefined && last.id > newestBefore)
    if (isWhole) return rows
  }
  return undefined
}

function listPage<Row>(
  q: Queries,
  { workspaceId, filter, limit, offset }: TracePage,
  plan: SearchPlan,
  select: SelectColumns<Row>,
): Promise<Row[]> {
  const page = newestTraces(q, workspaceId, filter, plan).limit(limit).offset(offset)
  if (plan.walk !== 'by start') return select(page)
  // Sorts bare ids, because many traces match and few are shown.
  const shown = q
    .selectFrom('traces as t')
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', 'in', page.select('t.id'))
  return select(shown.orderBy('t.id', plan.ids?.direction ?? 'desc'))
}

function idsOf(traces: TraceSelect): Promise<{ id: string }[]> {
  return traces.select('t.id').execute()
}

function summariesOf(traces: TraceSelect): Promise<TraceSummaryRow[]> {
  return traces.leftJoin('components as c', onActiveComponent).select(TRACE_SUMMARY_COLUMNS).execute()
}

/** The maximum count. An exact number above it is not worth the wait. */
const COUNTED_MAX = 10_000
/** The maximum count if traces are checked one by one, because very many have the text. */
const COUNTED_WALKING_MAX = 1_000

/** `isExact` is false if counting stopped at a limit. */
export type TraceCount = { total: number; isExact: boolean }

/** How many traces a query may read, one by one, to count or to sort them. */
export function tracesReadMax({ common }: SearchPlan): number {
  return common && common.size > 0 ? COUNTED_WALKING_MAX : COUNTED_MAX
}

/** Exact and read from rollups where possible; counted up to a limit for other conditions, and a minimum if not all traces are searched. `known` is the number if the caller has read them all. */
export async function countTraces(
  q: Queries,
  workspaceId: string,
  { filter, plan, searchedSince }: PlannedSearch,
  known?: number,
): Promise<TraceCount> {
  if (known !== undefined) return { total: known, isExact: searchedSince === undefined }
  const plain = plainFilter(filter)
  if (isCoveredByRollups(plain)) return exactly(await countOf(q, countFromRollups(q, workspaceId, plain)))
  if (plain.parts.length === 0) {
    const traces = filteredTraces(q, workspaceId, filter)
    return exactly(await countOf(q, sql`${traces.select(({ fn }) => fn.countAll().as('count'))}`))
  }
  const limit = tracesReadMax(plan)
  const some = newestTraces(q, workspaceId, filter, plan).select('t.id').limit(limit)
  const total = await countOf(q, sql`(select count(*) from (${some}) as counted)`)
  return { total, isExact: total < limit && searchedSince === undefined }
}

function exactly(total: number): TraceCount {
  return { total, isExact: true }
}

async function countOf(q: Queries, count: Expression<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`select cast(${count} as bigint) as total`.execute(q)
  return rows[0]?.total ?? 0
}

/** Scans in id order, or uses the index on the start time and sorts the result. */
export type ScanOrder = 'by id' | 'by start'

/** With so few traces since a time, sorting them is faster than any scan by id, which ends only when a page is full. */
const FEW_TRACES = 2_000

/**
 * A list that ends before a time must skip all later traces in id order, and skipping a million traces needs seconds; so must a list from
 * the oldest trace that begins at a time. The rollups contain the number of skipped traces and of traces within the time range; the
 * smaller number decides.
 */
export async function chooseScan(
  q: Queries,
  workspaceId: string,
  plain: PlainFilter,
  direction: 'asc' | 'desc' = 'desc',
): Promise<ScanOrder> {
  const { startAfter, startBefore } = plain
  if (chooseFacet(plain).facet?.isRare) return 'by id'
  if (startBefore === undefined) {
    if (startAfter === undefined) return 'by id'
    const start = later(startAfter, 0n)
    if ((await countTracesSince(q, { workspaceId, startNs: start, limit: FEW_TRACES + 1 })) <= FEW_TRACES)
      return 'by start'
    if (direction === 'desc') return 'by id'
  }
  const endHour = startBefore === undefined ? LAST_HOUR : Number(later(startBefore, 0n) / HOUR_NS)
  const firstHour = startAfter === undefined ? undefined : Number(later(startAfter, 0n) / HOUR_NS)
  const sums = await sumTracesOfHours(q, { workspaceId, firstHour, endHour })
  const within = startAfter === undefined ? sums.ever - sums.later : sums.within
  const skipped = direction === 'desc' ? sums.later : sums.ever - sums.later - within
  return skipped > within ? 'by start' : 'by id'
}

/** Later than any time that a nanosecond column can have. */
const LAST_HOUR = 2 ** 31 - 1
