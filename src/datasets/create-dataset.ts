import { notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { holdComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { insertDataset, insertTraceItems } from './dataset-queries.ts'

export type NewDataset = {
  workspaceId: string
  componentId: string
  name: string
  description?: string | null | undefined
  /** As the client gave them: ids of traces that may arrive later. Repeated ones count once. */
  traceIds?: string[] | undefined
}

export async function createDataset({ db, newId }: Pick<Context, 'db' | 'newId'>, input: NewDataset) {
  const { workspaceId, componentId, name, description = null } = input
  const traceRefs = [...new Set(input.traceIds)]
  const id = newId()
  const dataset = {
    workspaceId,
    id,
    componentId,
    name,
    description,
    itemCount: traceRefs.length,
    createdAt: createdAtOf(id),
  }
  await db.transaction(async (tx) => {
    if (!(await holdComponent(tx, workspaceId, componentId))) throw notFound('Component')
    await insertDataset(tx, dataset)
    const { createdAt } = dataset
    await insertTraceItems(tx, newId, { workspaceId, datasetId: id, traceRefs, createdAt })
  })
  const { itemCount, createdAt } = dataset
  return { id, name, description, aiComponentId: componentId, itemCount, createdAt }
}
