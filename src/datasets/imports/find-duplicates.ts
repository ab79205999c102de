import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { hashInputs } from '../items/input-hash.ts'
import { findItemsByInput } from '../items/item-hash-queries.ts'
import { findItemIdsByTrace } from './import-queries.ts'
import type { ImportRow } from './read-import-file.ts'

const ROWS_PER_TURN = 500

/** Of an item of the dataset, or of an earlier row. `by` says what is the same; an item per trace is a rule of datasets. */
export type Duplicate = { row: number; by: 'input' | 'trace'; itemId: string | null; firstRow: number | null }

/**
 * The rows whose input is that of an item or of an earlier row, or whose trace is. Inputs are compared by the hash that identifies an item
 * in runs: two items with the same hash cannot be distinguished there. The input of a trace is not compared, because it is read later.
 */
export async function findDuplicates(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
  rows: readonly ImportRow[],
): Promise<Map<ImportRow, Duplicate>> {
  const found = new Map<ImportRow, Duplicate>()
  const rowOfHash = new Map<string, number>()
  const rowOfTrace = new Map<string, number>()
  for (const chunk of chunksOf(rows, ROWS_PER_TURN)) {
    const given = chunk.flatMap(({ content }) => content.traceRef ?? [])
    const canonical = await canonicalRefs(q, dataset.workspaceId, given)
    const refs = new Map(given.map((ref, place) => [ref, canonical[place] ?? ref]))
    const itemOfTrace = given.length === 0 ? new Map() : await findItemIdsByTrace(q, dataset, [...refs.values()])
    const hashes = await hashInputs(chunk.map(({ content }) => content.input))
    const itemOfHash = await findItemsByInput(q, dataset, [...new Set(hashes.flatMap((hash) => hash ?? []))])
    for (const [place, row] of chunk.entries()) {
      const ref = row.content.traceRef === null ? null : (refs.get(row.content.traceRef) ?? null)
      const hash = hashes[place] ?? null
      const of = (by: 'input' | 'trace', itemId: string | undefined, firstRow: number | undefined) => {
        if (itemId === undefined && firstRow === undefined) return undefined
        return { row: row.row, by, itemId: itemId ?? null, firstRow: itemId === undefined ? (firstRow ?? null) : null }
      }
      const byTrace = ref === null ? undefined : of('trace', itemOfTrace.get(ref), rowOfTrace.get(ref))
      const byInput = hash === null ? undefined : of('input', itemOfHash.get(hash), rowOfHash.get(hash))
      const duplicate = byTrace ?? byInput
      if (duplicate) found.set(row, duplicate)
      if (byTrace) continue
      if (ref !== null) rowOfTrace.set(ref, row.row)
      if (hash !== null && !byInput) rowOfHash.set(hash, row.row)
    }
    await yieldToEventLoop()
  }
  return found
}
