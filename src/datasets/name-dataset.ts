import { createdAtOf, type NewId } from '../base/ids.ts'
import { lockComponentForNaming } from '../components/component-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findDatasetIdByName, insertDataset, lockDataset } from './dataset-queries.ts'

export type DatasetName = { workspaceId: string; componentId: string; id: string | undefined; name: string }

/**
 * The dataset that a trace names, by id or by name. A dataset that does not exist is created by name. Undefined if the id belongs to
 * another component.
 */
export async function nameDataset(
  tx: Queries,
  newId: NewId,
  { workspaceId, componentId, id, name }: DatasetName,
): Promise<string | undefined> {
  if (id !== undefined) {
    return (await lockDataset(tx, { workspaceId, componentId, datasetId: id })) ? id : undefined
  }
  const scope = { workspaceId, componentId, name }
  const found = await findDatasetIdByName(tx, scope)
  if (found !== undefined) return found
  // Checked again under the lock: another transaction may have created it since the first check.
  if (!(await lockComponentForNaming(tx, workspaceId, componentId))) return undefined
  const made = await findDatasetIdByName(tx, scope)
  if (made !== undefined) return made
  const datasetId = newId()
  await insertDataset(tx, {
    ...scope,
    id: datasetId,
    description: null,
    itemCount: 0,
    createdAt: createdAtOf(datasetId),
  })
  return datasetId
}
