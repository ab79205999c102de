import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { holdComponent } from '../components/component-queries.ts'
import { holdDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { insertRun, insertRunTraces } from './run-queries.ts'

export type NewRun = {
  workspaceId: string
  componentId: string
  datasetId: string
  name?: string | undefined
  /** As the client gave them: ids of traces that may arrive later. Repeated ones count once. */
  traceIds?: string[] | undefined
}

export async function createRun({ db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>, input: NewRun) {
  const { workspaceId, componentId, datasetId } = input
  const traceRefs = [...new Set(input.traceIds)]
  const run = {
    workspaceId,
    id: newId(),
    componentId,
    datasetId,
    name: input.name ?? null,
    traceCount: traceRefs.length,
    createdAt: timestamp(clock.now()),
  }
  await db.transaction(async (tx) => {
    // Parents are held from the top down, as deletes mark them: a run can never point at something that is gone.
    if (!(await holdComponent(tx, workspaceId, componentId))) throw notFound('Component')
    if (!(await holdDataset(tx, input))) throw notFound('Dataset')
    await insertRun(tx, run)
    await insertRunTraces(tx, { workspaceId, runId: run.id, traceRefs, createdAt: run.createdAt })
  })
  const { id, name, traceCount, createdAt } = run
  return { id, name, datasetId, aiComponentId: componentId, traceCount, createdAt }
}
