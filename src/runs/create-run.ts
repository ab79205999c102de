import { notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { lockComponent } from '../components/component-queries.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { markTracesOfRun } from '../traces/storing/run-source-queries.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { insertRun, insertRunTraces } from './run-queries.ts'

export type NewRun = {
  workspaceId: string
  componentId: string
  datasetId: string
  name?: string | undefined
  /** As the client sent them: ids of traces, which may arrive later. Duplicates count once. */
  traceIds?: string[] | undefined
}

export async function createRun({ db, newId }: Pick<Context, 'db' | 'newId'>, input: NewRun) {
  const { workspaceId, componentId, datasetId } = input
  const id = newId()
  const name = input.name ?? null
  const createdAt = createdAtOf(id)
  return db.transaction(async (tx) => {
    // Parents are locked from the top down, in the order in which deletes mark them, so that a run never refers to a deleted parent.
    if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
    const traceRefs = [...new Set(await canonicalRefs(tx, workspaceId, input.traceIds ?? []))]
    const rollups = await markTracesOfRun(tx, workspaceId, traceRefs)
    if (!(await lockDataset(tx, input))) throw notFound('Dataset')
    const traceCount = traceRefs.length
    await insertRun(tx, { workspaceId, id, componentId, datasetId, name, traceCount, createdAt })
    await insertRunTraces(tx, { workspaceId, runId: id, traceRefs, createdAt })
    await rollups.write(tx, workspaceId)
    return { id, name, datasetId, aiComponentId: componentId, traceCount, createdAt }
  })
}
