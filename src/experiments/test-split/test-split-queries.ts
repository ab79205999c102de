import type { Queries } from '../../storage/db.ts'
import { selectScoped } from '../../storage/query-building.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

/** The items that some experiment learns from or chooses by, also one that was not started. */
export async function findReadItems(q: Queries, { workspaceId, datasetId }: NamedDataset): Promise<Set<string>> {
  const rows = await selectScoped(q, 'experiments', { workspace_id: workspaceId, dataset_id: datasetId })
    .select('items')
    .execute()
  const read = new Set<string>()
  for (const { items } of rows) {
    const { train = [], validation = [] }: { train?: string[]; validation?: string[] } = JSON.parse(items)
    for (const id of [...train, ...validation]) read.add(id)
  }
  return read
}

export async function isSearchRunning(q: Queries, { workspaceId, datasetId }: NamedDataset): Promise<boolean> {
  const row = await selectScoped(q, 'experiments', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    deleted_at: null,
  })
    .select('id')
    .where('status', '=', 'running')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
