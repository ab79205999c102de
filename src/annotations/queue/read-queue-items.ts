import type { Queries } from '../../storage/db.ts'
import { readTraceMetadata } from '../../traces/read-trace.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { findTrace } from '../../traces/trace-queries.ts'
import { findItemsOfTraces, listSummaries, type RunOfDataset } from './queue-item-queries.ts'

/**
 * Traces of a run with their texts and the expected output of their item, by reference. Traces that were deleted in the
 * meantime are missing.
 */
export async function readTracesWithTexts(q: Queries, run: RunOfDataset, refs: readonly string[]) {
  const { workspaceId } = run
  const summaries = await listSummaries(q, workspaceId, refs)
  const contents = await findTraceContents(q, workspaceId, [...summaries.keys()])
  const inputs = new Map([...summaries.keys()].map((ref) => [ref, contents.get(ref)?.input ?? null]))
  const items = await findItemsOfTraces(q, run, inputs)
  return new Map(
    [...summaries].map(([ref, { id: traceDbId, ...summary }]) => {
      const item = items.get(ref)
      const texts = {
        input: contents.get(ref)?.input ?? null,
        output: contents.get(ref)?.output ?? null,
        expected: item?.expected ?? null,
      }
      return [ref, { traceDbId, ...summary, itemId: item?.id ?? null, texts, item }] as const
    }),
  )
}

/** The metadata of a trace and of its item. */
export async function readBothMetadata(
  q: Queries,
  workspaceId: string,
  { traceDbId, item }: { traceDbId: string; item: { metadata: string | null } | undefined },
): Promise<{ metadata: unknown; itemMetadata: unknown }> {
  const trace = await findTrace(q, workspaceId, traceDbId)
  return {
    metadata: trace ? await readTraceMetadata(q, workspaceId, trace) : {},
    itemMetadata: item ? JSON.parse(item.metadata ?? '{}') : null,
  }
}
