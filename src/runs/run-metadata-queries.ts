import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { updateScoped } from '../storage/query-building.ts'
import { activeRuns } from './run-queries.ts'

type RunScope = { workspaceId: string; componentId: string; runId: string }
type Metadata = Record<string, unknown>

/** Undefined if the run does not exist. */
export async function readRunMetadata(q: Queries, scope: RunScope): Promise<Metadata | undefined> {
  return parsed(await metadataOf(q, scope).executeTakeFirst())
}

/** Locks the run until the end of the transaction, so that no change of another request is lost. */
export async function lockRunMetadata(tx: Queries, scope: RunScope): Promise<Metadata | undefined> {
  return parsed(await lockForUpdate(tx, metadataOf(tx, scope)).executeTakeFirst())
}

function metadataOf(q: Queries, { workspaceId, componentId, runId }: RunScope) {
  return activeRuns(q)
    .select('r.metadata')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.id', '=', runId)
}

function parsed(row: { metadata: string | null } | undefined): Metadata | undefined {
  return row && JSON.parse(row.metadata ?? '{}')
}

export async function updateRunMetadata(
  tx: Queries,
  { workspaceId, runId }: RunScope,
  metadata: Metadata,
): Promise<void> {
  await updateScoped(tx, 'runs', { workspace_id: workspaceId, id: runId })
    .set({ metadata: JSON.stringify(metadata) })
    .execute()
}
