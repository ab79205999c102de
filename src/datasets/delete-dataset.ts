import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { conflict, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { lockComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { listLabelsGatedBy } from '../prompts/label-queries.ts'
import { enqueuePurge } from '../purge/purge-job.ts'
import { markDatasetDeleted } from './dataset-queries.ts'

export async function deleteDataset(
  { db, ...context }: Omit<Context, 'signal'>,
  by: Principal,
  { componentId, datasetId }: { componentId: string; datasetId: string },
): Promise<void> {
  const { workspaceId } = by
  await db.transaction(async (tx) => {
    const isThere = await lockComponent(tx, workspaceId, componentId)
    const deletedAt = timestamp(context.clock.now())
    if (!isThere || !(await markDatasetDeleted(tx, { workspaceId, componentId, datasetId, deletedAt })))
      throw notFound('Dataset')
    // After the row is locked by the change: a gate that is stored at the same time waits for it, or is seen here.
    const [gated] = await listLabelsGatedBy(tx, { workspaceId, datasetId })
    if (gated)
      throw conflict(
        `Label ${gated.label} of prompt ${gated.prompt} needs a verdict on this dataset; an admin changes or removes its gate first`,
      )
    await enqueuePurge(tx, context, { workspaceId, what: 'dataset', id: datasetId })
    await recordAudit(tx, context, { by, workspaceId, action: 'dataset.deleted', resourceId: datasetId })
  })
}
