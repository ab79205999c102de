import type { Queries } from '../../storage/db.ts'

/** The name of the dataset with that of its component. */
export async function findDatasetNames(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
): Promise<{ component: string; dataset: string } | undefined> {
  return q
    .selectFrom('datasets as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .select(['c.name as component', 'd.name as dataset'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', datasetId)
    .executeTakeFirst()
}

export async function listComparedItemTexts(
  q: Queries,
  { workspaceId, datasetId, itemIds }: { workspaceId: string; datasetId: string; itemIds: readonly string[] },
) {
  if (itemIds.length === 0) return []
  return q
    .selectFrom('dataset_items')
    .select(['id', 'input', 'expected'])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('id', 'in', [...new Set(itemIds)])
    .execute()
}
