/** The texts of cases, as evaluators get them: of a run those of the trace, of a dataset those of the item. */
import type { Queries } from '../../storage/db.ts'
import { readPreviews } from '../../trace-lists/trace-previews.ts'
import { listTraceDetails } from '../../trace-lists/trace-row-queries.ts'
import { previewOf, READ_LENGTH_MAX } from '../../traces/list-fields.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { listItemTexts } from '../runner/case-queries.ts'
import { listItemBeginnings } from './case-list-queries.ts'

export type CaseTexts = { input: string | null; output: string | null; expected: string | null }

type Source = { workspaceId: string; datasetId: string; runId: string | null }
type NamedCase = { ref: string; itemId: string | null; traceDbId: string | null }
type TraceTexts = { input: string | null; output: string | null }

/** The beginnings of the texts, by case. */
export async function readCasePreviews(
  q: Queries,
  source: Source,
  cases: readonly NamedCase[],
): Promise<Map<string, CaseTexts>> {
  const items = await listItemBeginnings(q, source, { itemIds: itemIdsOf(cases), lengthMax: READ_LENGTH_MAX })
  const details = await listTraceDetails(q, source.workspaceId, traceIdsOf(cases))
  const traces = await readPreviews(q, source.workspaceId, details)
  const previews = [...joined(source, cases, { items, traces })].map(([ref, { input, output, expected }]) => {
    return [ref, { input: previewOf(input), output: previewOf(output), expected: previewOf(expected) }] as const
  })
  return new Map(previews)
}

/** The whole texts, for a few cases. */
export async function readCaseTexts(
  q: Queries,
  source: Source,
  cases: readonly NamedCase[],
): Promise<Map<string, CaseTexts>> {
  const items = await listItemTexts(q, source, itemIdsOf(cases))
  const traces = await findTraceContents(q, source.workspaceId, traceIdsOf(cases))
  return joined(source, cases, { items, traces })
}

function itemIdsOf(cases: readonly NamedCase[]): string[] {
  return [...new Set(cases.flatMap(({ itemId }) => itemId ?? []))]
}

function traceIdsOf(cases: readonly NamedCase[]): string[] {
  return [...new Set(cases.flatMap(({ traceDbId }) => traceDbId ?? []))]
}

function joined(
  { runId }: Source,
  cases: readonly NamedCase[],
  found: { items: ReadonlyMap<string, CaseTexts>; traces: ReadonlyMap<string, TraceTexts> },
): Map<string, CaseTexts> {
  const texts = cases.map(({ ref, itemId, traceDbId }) => {
    const item = found.items.get(itemId ?? '')
    const trace = found.traces.get(traceDbId ?? '')
    const [first, second] = runId === null ? [item, trace] : [trace, undefined]
    const input = first?.input ?? second?.input ?? item?.input ?? null
    const output = first?.output ?? second?.output ?? null
    return [ref, { input, output, expected: item?.expected ?? null }] as const
  })
  return new Map(texts)
}
