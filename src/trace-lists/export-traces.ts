import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Principal } from '../base/principal.ts'
import { csvText } from '../datasets/files/export-items.ts'
import { guardCell } from '../datasets/files/formula-guard.ts'
import type { Queries } from '../storage/db.ts'
import { chunkRows } from '../traces/chunk-rows.ts'
import { requireCompleteSearch } from '../traces/require-complete-search.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import type { TraceFilter } from '../traces/trace-filter.ts'
import { newestTraces, planSearch, type SearchPlan } from '../traces/trace-list-queries.ts'
import { writeRows } from './read-trace-rows.ts'
import { listContentBytes } from './trace-previews.ts'

const TRACES_PER_PAGE = 200

type TraceExportFormat = 'csv' | 'jsonl'

type Export = { filter: TraceFilter; plan: SearchPlan; format: TraceExportFormat }

/** Throws before the response begins if the application has too many exports, or if not all traces can be searched. */
export async function planExport(q: Queries, by: Principal, filter: TraceFilter): Promise<SearchPlan> {
  const search = await planSearch(q, by.workspaceId, filter)
  requireCompleteSearch(search, 'nothing was exported')
  return search.plan
}

/**
 * All traces that match, newest first, with their whole question and answer. In order of ids, so that traces that arrive meanwhile change
 * nothing. One page of rows and one chunk of contents are in memory.
 */
export async function* exportedTraces(
  q: Queries,
  by: Principal,
  { filter, plan, format }: Export,
): AsyncGenerator<string> {
  const { workspaceId } = by
  if (format === 'csv') yield csvText([COLUMNS.map(({ name }) => name)])
  let before: string | undefined
  for (;;) {
    const ids = { direction: 'desc', ...(before !== undefined && { before }) } as const
    const page = await newestTraces(q, workspaceId, filter, { ...plan, ids })
      .select(['t.id', 't.trace_id as traceId'])
      .limit(TRACES_PER_PAGE)
      .execute()
    const last = page.at(-1)
    if (!last) return
    before = last.id
    const bytes = await listContentBytes(
      q,
      workspaceId,
      page.map(({ id }) => id),
    )
    for (const chunk of chunkRows(page.map((trace) => ({ ...trace, bytes: bytes.get(trace.id) ?? 0 })))) {
      const contents = await findTraceContents(
        q,
        workspaceId,
        chunk.map(({ traceId }) => traceId),
      )
      const rows = await writeRows(
        q,
        by,
        chunk.map(({ id }) => id),
        new Set(['ratings', 'scores']),
      )
      yield rows.map((row) => writeTrace(row, contents, format)).join('')
      // The embedded database responds synchronously: without a pause, other requests would wait until the export is complete.
      await yieldToEventLoop()
    }
  }
}

type Contents = Awaited<ReturnType<typeof findTraceContents>>

function writeTrace(json: string, contents: Contents, format: TraceExportFormat): string {
  const row: ExportedRow = JSON.parse(json)
  const { input = null, output = null } = contents.get(row.traceId) ?? {}
  const trace = { ...row, input, output }
  if (format === 'jsonl') return `${JSON.stringify(trace)}\n`
  return csvText([COLUMNS.map(({ read }) => cellOf(read(trace)))])
}

type ExportedRow = Record<string, unknown> & {
  traceId: string
  models: string[]
  tags: string[]
  prompts: { name: string }[]
  ratings: { rating: string }[]
  scores: { evaluator: string; score: number | null; label: string | null }[]
}

const TEXT_COLUMNS = [
  'id',
  'traceId',
  'name',
  'status',
  'componentName',
  'startTime',
  'endTime',
  'durationMs',
  'totalTokens',
  'totalCostUsd',
  'sessionId',
  'userId',
  'service',
  'environment',
  'source',
  'spanCount',
  'errorCount',
  'input',
  'output',
] as const

const COLUMNS: readonly { name: string; read: (trace: ExportedRow) => unknown }[] = [
  ...TEXT_COLUMNS.map((name) => ({ name, read: (trace: ExportedRow) => trace[name] })),
  { name: 'models', read: ({ models }) => models.join(', ') },
  { name: 'tags', read: ({ tags }) => tags.join(', ') },
  { name: 'prompts', read: ({ prompts }) => [...new Set(prompts.map(({ name }) => name))].join(', ') },
  { name: 'ratings', read: ({ ratings }) => ratings.map(({ rating }) => rating).join(', ') },
  {
    name: 'scores',
    read: ({ scores }) =>
      scores.map(({ evaluator, score, label }) => `${evaluator}: ${score ?? label ?? ''}`).join(', '),
  },
]

/** A number stays a number, which a spreadsheet never runs as a formula. */
function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? guardCell(value) : String(value)
}
