import { createdAtOf, isUuid, type NewId } from '../base/ids.ts'
import { lockComponentForNaming } from '../components/component-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findRunById, findRunByName, insertRun } from './run-queries.ts'

export type RunName = { workspaceId: string; componentId: string; name: string; datasetId: string | undefined }

/**
 * The run that a trace names, by its id or by its name. Created if it does not exist, which requires a dataset. Clients that have created
 * a run send its id, because another run may have the same name.
 */
export async function nameRun(
  tx: Queries,
  newId: NewId,
  { datasetId, ...scope }: RunName,
): Promise<{ id: string; datasetId: string } | undefined> {
  const byId = isUuid(scope.name) ? await findRunById(tx, { ...scope, datasetId, id: scope.name }) : undefined
  const found = byId ?? (await findRunByName(tx, { ...scope, datasetId }))
  if (found || datasetId === undefined) return found
  // Checked again under the lock: another transaction may have created it since the first check.
  if (!(await lockComponentForNaming(tx, scope.workspaceId, scope.componentId))) return undefined
  const made = await findRunByName(tx, { ...scope, datasetId })
  if (made) return made
  const id = newId()
  await insertRun(tx, { ...scope, id, datasetId, traceCount: 0, createdAt: createdAtOf(id) })
  return { id, datasetId }
}
