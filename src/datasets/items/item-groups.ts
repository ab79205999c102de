import { byId, readPages, yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { chunkRows } from '../../traces/chunk-rows.ts'
import { groupAt } from './group-by-path.ts'
import { hashContent } from './input-hash.ts'
import { findGroupBy, listMetadata, listMetadataSizes, listRepeatedQuestions } from './item-group-queries.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

const ITEMS_PER_PAGE = 1_000

/** The field that groups the items of a dataset, and the group of an item. */
export type ItemGroups = { groupBy: string; groupOf(itemId: string): string }

/**
 * Undefined if the dataset names no field. An item without a value in this field, and one that does not exist, is a group
 * by itself. Values are read from the metadata each time, so that they are never out of date.
 */
export async function readItemGroups(q: Queries, dataset: NamedDataset): Promise<ItemGroups | undefined> {
  const { groupBy = null } = (await findGroupBy(q, dataset)) ?? {}
  if (groupBy === null) return undefined
  const { groups } = await readGroups(q, dataset, groupBy)
  return { groupBy, groupOf: (itemId) => groups.get(itemId) ?? itemId }
}

/** How many groups the items form, and how many items have no value in the field. */
export async function countGroups(
  q: Queries,
  dataset: NamedDataset,
  groupBy: string,
): Promise<{ groups: number; itemsWithoutGroup: number }> {
  const { groups, items } = await readGroups(q, dataset, groupBy)
  return { groups: new Set(groups.values()).size, itemsWithoutGroup: items - groups.size }
}

/** Metadata may be a mebibyte per item, so it is read in chunks of bounded size. */
async function readGroups(
  q: Queries,
  dataset: NamedDataset,
  groupBy: string,
): Promise<{ groups: Map<string, string>; items: number }> {
  const groups = new Map<string, string>()
  let items = 0
  for (let after = NIL_ID; ; ) {
    const sizes = await listMetadataSizes(q, { ...dataset, after, limit: ITEMS_PER_PAGE })
    items += sizes.length
    for (const chunk of chunkRows(sizes)) {
      const [first, last] = [chunk.at(0)?.id ?? NIL_ID, chunk.at(-1)?.id ?? NIL_ID]
      for (const { id, metadata } of await listMetadata(q, { ...dataset, first, last })) {
        const group = groupAt(groupBy, metadata)
        if (group !== undefined) groups.set(id, group)
      }
      await yieldToEventLoop()
    }
    const last = sizes.at(-1)
    if (!last || sizes.length < ITEMS_PER_PAGE) return { groups, items }
    after = last.id
  }
}

const DUPLICATES_PER_PAGE = 500

/**
 * By item that has the same question and expected answer as an earlier one: that earlier item. Ten copies of a question are
 * one item: they say no more about other questions than one.
 */
export async function readDuplicates(q: Queries, dataset: NamedDataset): Promise<Map<string, string>> {
  const first = new Map<string, string>()
  const sameAs = new Map<string, string>()
  for await (const rows of readPages(
    (page) => listRepeatedQuestions(q, { ...dataset, ...page }),
    byId(DUPLICATES_PER_PAGE),
  )) {
    for (const { id, inputHash, expected } of rows) {
      const content = `${inputHash} ${expected === null ? '' : hashContent(expected)}`
      const known = first.get(content)
      if (known === undefined) first.set(content, id)
      else sameAs.set(id, known)
    }
  }
  return sameAs
}
