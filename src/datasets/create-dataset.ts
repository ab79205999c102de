import { notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { lockComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { insertDataset } from './dataset-queries.ts'
import { insertItems } from './items/insert-items.ts'

export type NewDataset = {
  workspaceId: string
  componentId: string
  name: string
  description?: string | null | undefined
  /** As the client sent them: ids of traces, which may arrive later. Duplicates count once. */
  traceIds?: string[] | undefined
}

const NOTHING_ELSE = { input: null, output: null, expected: null, metadata: null, split: null } as const

export async function createDataset({ db, newId }: Pick<Context, 'db' | 'newId'>, input: NewDataset) {
  const { workspaceId, componentId, name, description = null } = input
  const id = newId()
  const createdAt = createdAtOf(id)
  return db.transaction(async (tx) => {
    if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
    const traceRefs = new Set(await canonicalRefs(tx, workspaceId, input.traceIds ?? []))
    const itemCount = traceRefs.size
    await insertDataset(tx, { workspaceId, id, componentId, name, description, itemCount, createdAt })
    const items = [...traceRefs].map((traceRef) => ({ id: newId(), traceRef, ...NOTHING_ELSE }))
    await insertItems(tx, { workspaceId, datasetId: id, firstNumber: 1 }, items)
    return { id, name, description, aiComponentId: componentId, itemCount, createdAt }
  })
}
