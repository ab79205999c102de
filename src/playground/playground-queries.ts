import { activeDatasets } from '../datasets/dataset-queries.ts'
import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'
import { bytesOf } from '../traces/trace-queries.ts'

/** An item of any dataset of the component. */
export async function findItemOfComponent(
  q: Queries,
  { workspaceId, componentId, itemId }: { workspaceId: string; componentId: string; itemId: string },
): Promise<{ input: string | null; traceRef: string | null } | undefined> {
  // A cross join: the embedded engine keeps the order of its tables, and would otherwise read all items of the application.
  return activeDatasets(q)
    .crossJoin('dataset_items as i')
    .select(['i.input', 'i.trace_ref as traceRef'])
    .whereRef('i.workspace_id', '=', 'd.workspace_id')
    .whereRef('i.dataset_id', '=', 'd.id')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('i.workspace_id', '=', workspaceId)
    .where('i.id', '=', itemId)
    .executeTakeFirst()
}

type OfTrace = { workspaceId: string; traceDbId: string }

/** The calls of tools of a trace, in order of their start, without those whose texts are too large. */
export async function listToolCalls(
  q: Queries,
  { workspaceId, traceDbId }: OfTrace,
  { limit, bytesMax }: { limit: number; bytesMax: number },
) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, kind: 'tool' })
    .select(['name', 'input', 'output'])
    .where(bytesOf('input', 'output'), '<=', bytesMax)
    .orderBy('start_ns')
    .orderBy('position')
    .limit(limit)
    .execute()
}

/** What the last calls of models of a trace were sent, which repeats the conversation before them. The newest first. */
export async function listLastModelInputs(
  q: Queries,
  { workspaceId, traceDbId }: OfTrace,
  { limit, bytesMax }: { limit: number; bytesMax: number },
) {
  return selectScoped(q, 'spans', { workspace_id: workspaceId, trace_id: traceDbId, kind: 'llm' })
    .select('input')
    .where(bytesOf('input'), '<=', bytesMax)
    .orderBy('start_ns', 'desc')
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()
}
