import { findRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { readTracesWithTexts } from './queue/read-queue-items.ts'

/** A page has up to a hundred traces, each of which may have megabytes. */
const TEXT_LENGTH_MAX = 20_000

type RowsOfRun<Row> = { componentId: string; runId: string; rows: readonly Row[] }

/** Adds their traces to rows of a run. `trace` is null if it has not arrived, or was deleted. */
export async function attachTraces<Row extends { traceDbId: string }>(
  q: Queries,
  workspaceId: string,
  { componentId, runId, rows }: RowsOfRun<Row>,
) {
  const [run] = rows.length === 0 ? [] : await findRun(q, { workspaceId, componentId, runId })
  if (!run) return []
  const refs = await canonicalRefs(
    q,
    workspaceId,
    rows.map(({ traceDbId }) => traceDbId),
  )
  const traces = await readTracesWithTexts(q, { workspaceId, runId, datasetId: run.datasetId }, refs)
  return rows.map((row, index) => ({ ...row, trace: toAnnotatedTrace(traces.get(refs[index] ?? '')) }))
}

type TraceWithTexts = Awaited<ReturnType<typeof readTracesWithTexts>> extends Map<string, infer T> ? T : never

function toAnnotatedTrace(trace: TraceWithTexts | undefined) {
  if (!trace) return null
  const { texts, item: _item, ...summary } = trace
  return { ...summary, input: cut(texts.input), output: cut(texts.output), expected: cut(texts.expected) }
}

function cut(text: string | null): string | null {
  return text === null || text.length <= TEXT_LENGTH_MAX ? text : text.slice(0, TEXT_LENGTH_MAX).toWellFormed()
}
