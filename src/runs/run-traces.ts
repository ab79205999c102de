import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { toTraceSummary } from '../traces/trace-summary.ts'
import { findItemsByQuestion } from './items-by-question.ts'
import { listRunTraces } from './run-trace-queries.ts'

type InRun = { workspaceId: string; componentId: string; runId: string }

/**
 * The traces of a run with their items. A trace without a link to an item is matched by its question, because another run asks the same
 * question in a trace with another id.
 */
export async function readRunTraces(q: Queries, wanted: InRun & Page) {
  const { rows, ...extent } = await listRunTraces(q, wanted)
  const [first] = rows
  if (!first) return { rows: [], ...extent }
  const { workspaceId } = wanted
  const unlinked = rows.filter(({ itemId }) => itemId === null).map(({ traceId }) => traceId)
  const items = await findItemsByQuestion(q, { workspaceId, datasetId: first.datasetId }, unlinked)
  const traces = rows.map((row) => ({ ...toTraceSummary(row), itemId: row.itemId ?? items.get(row.traceId) ?? null }))
  return { rows: traces, ...extent }
}
