/**
 * Computes the hashes of stored inputs again, for items that were stored by a version that recognized fewer questions.
 *
 * Processes all items, a few per transaction, and writes only hashes that differ. It can be killed at any point and run again, and can
 * run while servers are active.
 */
import { byId, readPages, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Db } from '../../storage/db.ts'
import { chunkRows } from '../../traces/chunk-rows.ts'
import { listWorkspaceIdsOfAll } from '../../traces/storing/remap-queries.ts'
import { hashInputs } from './input-hash.ts'
import {
  countItemsOfWorkspace,
  listDatasetIds,
  listInputSizes,
  listInputs,
  updateInputHash,
} from './item-hash-queries.ts'

const ITEMS_PER_READ = 1_000

type RehashProgress = { workspaceId: string; done: number; total: number }

type Deps = { db: Db; onProgress(progress: RehashProgress): void }

/** Returns how many hashes were written, in one workspace or in all. */
export async function rehashItems(deps: Deps, workspaceId?: string): Promise<number> {
  const workspaceIds = workspaceId === undefined ? await listWorkspaceIdsOfAll(deps.db.read) : [workspaceId]
  let sum = 0
  for (const id of workspaceIds) sum += await rehashWorkspace(deps, id)
  return sum
}

async function rehashWorkspace({ db, onProgress }: Deps, workspaceId: string): Promise<number> {
  const total = await countItemsOfWorkspace(db.read, workspaceId)
  let done = 0
  let changed = 0
  for (const datasetId of await listDatasetIds(db.read, workspaceId)) {
    const dataset = { workspaceId, datasetId }
    const pages = readPages((page) => listInputSizes(db.read, { ...dataset, ...page }), byId(ITEMS_PER_READ))
    for await (const sizes of pages) {
      for (const chunk of chunkRows(sizes)) {
        const ids = chunk.map(({ id }) => id)
        changed += await rehash(db, dataset, ids)
        await yieldToEventLoop()
      }
      done += sizes.length
      if (sizes.length > 0) onProgress({ workspaceId, done, total: Math.max(total, done) })
    }
  }
  return changed
}

async function rehash(db: Db, dataset: { workspaceId: string; datasetId: string }, ids: string[]): Promise<number> {
  const items = await listInputs(db.read, dataset, ids)
  const hashes = await hashInputs(items.map(({ input }) => input))
  const changed = items.flatMap(({ id, inputHash: before }, place) => {
    const after = hashes[place] ?? null
    return after === before ? [] : [{ id, before, after }]
  })
  if (changed.length === 0) return 0
  return db.transaction(async (tx) => {
    let written = 0
    for (const item of changed) if (await updateInputHash(tx, dataset, item)) written += 1
    return written
  })
}
