import { recordAudit } from '../../auth/audit/audit.ts'
import { timestamp } from '../../base/clock.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { changeItemCount } from '../dataset-queries.ts'
import { lockDatasetForItems } from '../items/add-items.ts'
import { type DatasetScope, deleteItemsById } from '../items/item-queries.ts'
import {
  findImport,
  listEvaluationIds,
  listImportedItems,
  listRunIds,
  listRunLinks,
  listScoredItemIds,
  lockImport,
  markImportUndone,
} from './import-queries.ts'

const ITEMS_PER_PAGE = 5_000
const LINKS_PER_PAGE = 5_000

type NamedImport = DatasetScope & { importId: string }

type Undo = { importId: string; dryRun: boolean; removed: number; kept: { changed: number; used: number } }

/**
 * Removes the items of an import. Items that were changed since, or that a run or an evaluation has used, stay: they are the work of others
 * and part of results. If all of them stay, nothing is undone.
 */
export async function undoImport(
  context: Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>,
  by: Principal,
  named: NamedImport,
): Promise<Undo> {
  const { workspaceId, datasetId, importId } = named
  return context.db.transaction(async (tx) => {
    if (!(await findImport(tx, named))) throw notFound('Import')
    await lockDatasetForItems(tx, named)
    const locked = await lockImport(tx, named)
    if (!locked) throw notFound('Import')
    if (locked.undoneAt !== null) throw alreadyUndone()
    const { removable, kept } = await sortItems(tx, named)
    const keptCount = kept.changed + kept.used
    if (removable.length === 0 && keptCount > 0) throw nothingToRemove(keptCount)
    const removed = await deleteItemsById(tx, named, removable)
    const at = timestamp(context.clock.now())
    await changeItemCount(tx, { workspaceId, datasetId, by: -removed, change: { at, userId: by.userId } })
    await markImportUndone(tx, named, { at, by: by.userId, removed, kept: keptCount })
    const event = { action: 'dataset.import-undone', resourceId: datasetId, detail: `${removed} items` } as const
    await recordAudit(tx, context, { by, workspaceId, ...event })
    return { importId, dryRun: false, removed, kept }
  })
}

/** Counts what `undoImport` would do. */
export async function previewUndo({ db }: Pick<Context, 'db'>, named: NamedImport): Promise<Undo> {
  const found = await findImport(db.read, named)
  if (!found) throw notFound('Import')
  if (found.undoneAt !== null) throw alreadyUndone()
  const { removable, kept } = await sortItems(db.read, named)
  return { importId: named.importId, dryRun: true, removed: removable.length, kept }
}

async function sortItems(q: Queries, named: NamedImport) {
  const used = await readUse(q, named)
  const removable: string[] = []
  const kept = { changed: 0, used: 0 }
  for (let after = NIL_ID; ; ) {
    const items = await listImportedItems(q, { ...named, after, limit: ITEMS_PER_PAGE })
    for (const { id, traceRef, changedAt } of items) {
      if (changedAt !== null) kept.changed += 1
      else if (used.itemIds.has(id) || (traceRef !== null && used.traceRefs.has(traceRef))) kept.used += 1
      else removable.push(id)
    }
    const last = items.at(-1)
    if (!last || items.length < ITEMS_PER_PAGE) return { removable, kept }
    after = last.id
    await yieldToEventLoop()
  }
}

/**
 * The items that runs of the dataset name, the traces that they contain, and the items that evaluations have scored. A run that finds its
 * items by their questions names none of them until it is evaluated.
 */
async function readUse(q: Queries, { workspaceId, datasetId, importId }: NamedImport) {
  const itemIds = new Set<string>()
  const traceRefs = new Set<string>()
  for (const runId of await listRunIds(q, { workspaceId, datasetId })) {
    for (let after = ''; ; ) {
      const links = await listRunLinks(q, { workspaceId, runId, after, limit: LINKS_PER_PAGE })
      for (const { traceRef, itemId } of links) {
        traceRefs.add(traceRef)
        if (itemId !== null) itemIds.add(itemId)
      }
      const last = links.at(-1)
      await yieldToEventLoop()
      if (!last || links.length < LINKS_PER_PAGE) break
      after = last.traceRef
    }
  }
  // Ids contain the time: an evaluation that was created before the import cannot have scored its items.
  for (const evaluationId of await listEvaluationIds(q, { workspaceId, datasetId, after: importId })) {
    for (const id of await listScoredItemIds(q, { workspaceId, evaluationId })) itemIds.add(id)
    await yieldToEventLoop()
  }
  return { itemIds, traceRefs }
}

function alreadyUndone() {
  return conflict('The import was undone before')
}

function nothingToRemove(count: number) {
  const items = count === 1 ? 'The only item' : `All ${count} items`
  const verb = count === 1 ? 'was' : 'were'
  return conflict(`${items} of this import ${verb} changed or used by a run since; nothing was removed`)
}
