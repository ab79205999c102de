import { badRequest, notFound } from '../../base/errors.ts'
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import { createdAtOf, type NewId } from '../../base/ids.ts'
import { lockComponent } from '../../components/component-queries.ts'
import type { Context } from '../../http/route.ts'
import type { Queries } from '../../storage/db.ts'
import { contentText } from '../../traces/trace-content.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { changeItemCount, lockDatasetExclusive } from '../dataset-queries.ts'
import { insertItems, type NewItem } from './insert-items.ts'
import { type ItemContent, rejectOverlong } from './item-content.ts'
import {
  type ChangingScope,
  type DatasetScope,
  findItemsById,
  findItemsByTrace,
  type Item,
  keepItems,
} from './item-queries.ts'
import { ITEMS_PER_REQUEST_MAX, type NewItemFields } from './item-schemas.ts'

const CONTENTS_PER_TURN = 2_000

/** Adds items and returns one for each given content, in the same order. If a trace is already an item, that item is returned. */
export async function addItems(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  scope: ChangingScope,
  given: NewItemFields | NewItemFields[],
): Promise<Item[]> {
  const contents = contentsOf(given)
  return db.transaction(async (tx) => {
    const { placed, addedIds } = await placeItems(tx, newId, scope, contents)
    // Items that a span created are now explicit, and stay.
    if (addedIds.length < placed.length) await keepItems(tx, scope, refsOf(placed))
    return readBack(tx, scope, placed)
  })
}

/** Returns the item for each content, and the ids of those that are new. Must be called inside a transaction. */
export async function placeItems(
  tx: Queries,
  newId: NewId,
  scope: ChangingScope,
  contents: readonly ItemContent[],
  { linkedBy = 'request', importId = null }: { linkedBy?: 'request' | 'spans'; importId?: string | null } = {},
): Promise<{ placed: NewItem[]; addedIds: string[] }> {
  const { workspaceId, datasetId, userId = null } = scope
  let lastCaseNumber = (await lockDatasetForItems(tx, scope)).lastCaseNumber
  const from = { fromSpans: linkedBy === 'spans', importId, createdBy: userId }
  const byTrace = new Map<string, NewItem>()
  const placed: NewItem[] = []
  const addedIds: string[] = []
  for (const chunk of chunksOf(contents, CONTENTS_PER_TURN)) {
    const fresh: NewItem[] = []
    for (const content of await withCanonicalRefs(tx, workspaceId, chunk)) {
      const { traceRef } = content
      const known = traceRef === null ? undefined : byTrace.get(traceRef)
      const item = known ?? { ...content, id: newId(), ...from }
      placed.push(item)
      if (known) continue
      fresh.push(item)
      if (traceRef !== null) byTrace.set(traceRef, item)
    }
    addedIds.push(...(await insertItems(tx, { workspaceId, datasetId, firstNumber: lastCaseNumber + 1 }, fresh)))
    lastCaseNumber += fresh.length
    if (placed.length < contents.length) await yieldToEventLoop()
  }
  const lastId = addedIds.at(-1)
  if (lastId === undefined) return { placed, addedIds }
  const change = { at: createdAtOf(lastId), userId }
  await changeItemCount(tx, { workspaceId, datasetId, by: addedIds.length, change, lastCaseNumber })
  return { placed, addedIds }
}

/** No other transaction adds or removes items of the dataset until the end of this one. */
export async function lockDatasetForItems(tx: Queries, scope: DatasetScope): Promise<{ lastCaseNumber: number }> {
  const { workspaceId, componentId } = scope
  const hasComponent = await lockComponent(tx, workspaceId, componentId)
  const dataset = hasComponent ? await lockDatasetExclusive(tx, scope) : undefined
  if (!dataset) throw notFound('Dataset')
  return dataset
}

async function withCanonicalRefs(tx: Queries, workspaceId: string, contents: ItemContent[]): Promise<ItemContent[]> {
  const given = contents.flatMap(({ traceRef }) => traceRef ?? [])
  const canonical = await canonicalRefs(tx, workspaceId, given)
  const names = new Map(given.map((ref, place) => [ref, canonical[place] ?? ref]))
  return contents.map((content) => ({ ...content, traceRef: names.get(content.traceRef ?? '') ?? null }))
}

function contentsOf(given: NewItemFields | NewItemFields[]): ItemContent[] {
  if (!Array.isArray(given)) return [contentOf(given, '')]
  if (given.length > ITEMS_PER_REQUEST_MAX) {
    throw badRequest(`The request body must have at most ${ITEMS_PER_REQUEST_MAX} items`)
  }
  return given.map((fields, place) => contentOf(fields, `[${place}].`))
}

function contentOf(
  { traceId, input, output, expected, metadata, split = null }: NewItemFields,
  prefix: string,
): ItemContent {
  const content = {
    traceRef: traceId ?? null,
    input: contentText(input),
    output: contentText(output),
    expected: contentText(expected),
    metadata: contentText(metadata),
    split,
  }
  if (traceId === undefined && content.input === null) {
    throw badRequest(`The field ${prefix}input is required where there is no traceId`)
  }
  rejectOverlong(content, prefix)
  return content
}

/** Looks up items by trace if they have one, because the item may have existed before. */
async function readBack(tx: Queries, scope: DatasetScope, placed: readonly NewItem[]): Promise<Item[]> {
  const ids = placed.filter(({ traceRef }) => traceRef === null).map(({ id }) => id)
  const byId = new Map((await findItemsById(tx, scope, ids)).map((item) => [item.id, item]))
  const byTrace = new Map((await findItemsByTrace(tx, scope, refsOf(placed))).map((item) => [item.traceId, item]))
  return placed.flatMap(({ id, traceRef }) => (traceRef === null ? byId.get(id) : byTrace.get(traceRef)) ?? [])
}

function refsOf(placed: readonly NewItem[]): string[] {
  return [...new Set(placed.flatMap(({ traceRef }) => traceRef ?? []))]
}
