import { chunksOf, yieldToEventLoop } from '../base/event-loop.ts'
import { hashInputs } from '../datasets/items/input-hash.ts'
import { findItemsByInput } from '../datasets/items/item-hash-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceContents } from '../traces/trace-contents.ts'

/** An input may be a mebibyte, so few are read at a time and only their hashes are stored. */
const TRACES_PER_STATEMENT = 25

/** Finds the item of the dataset with the same question as a trace, by the given references. Traces without such an item are excluded. */
export async function findItemsByQuestion(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
  traceRefs: readonly string[],
): Promise<Map<string, string>> {
  const items = new Map<string, string>()
  for (const chunk of chunksOf(traceRefs, TRACES_PER_STATEMENT)) {
    const inputs = new Map<string, string | null>()
    for (const [ref, { input }] of await findTraceContents(q, dataset.workspaceId, chunk)) inputs.set(ref, input)
    for (const [ref, itemId] of await findItemsByInputs(q, dataset, inputs)) items.set(ref, itemId)
    await yieldToEventLoop()
  }
  return items
}

/** The same for inputs that are in memory, under any keys. */
export async function findItemsByInputs(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
  inputs: ReadonlyMap<string, string | null>,
): Promise<Map<string, string>> {
  const names = [...inputs.keys()]
  const hashes = new Map<string, string>()
  for (const [place, hash] of (await hashInputs([...inputs.values()])).entries()) {
    const name = names[place]
    if (name !== undefined && hash !== null) hashes.set(name, hash)
  }
  if (hashes.size === 0) return new Map()
  const byHash = await findItemsByInput(q, dataset, [...new Set(hashes.values())])
  const items = new Map<string, string>()
  for (const [name, hash] of hashes) {
    const itemId = byHash.get(hash)
    if (itemId !== undefined) items.set(name, itemId)
  }
  return items
}
