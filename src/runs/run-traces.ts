import { chunksOf } from '../base/event-loop.ts'
import type { Page } from '../base/page.ts'
import { hashInput } from '../datasets/input-hash.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { toTraceSummary } from '../traces/trace-summary.ts'
import { findItemsByInput, listRunTraces } from './run-trace-queries.ts'

/** An input may be a mebibyte: few at a time, of which only the hash is kept. */
const TRACES_PER_STATEMENT = 25

type InRun = { workspaceId: string; componentId: string; runId: string }

/**
 * The traces of a run with the items that they were made for. A trace that nobody linked to an item is known by what it was asked:
 * another run asks the same again, in a trace with another id.
 */
export async function readRunTraces(q: Queries, wanted: InRun & Page) {
  const rows = await listRunTraces(q, wanted)
  const [first] = rows
  if (!first) return []
  const { workspaceId } = wanted
  const unlinked = rows.filter(({ itemId }) => itemId === null).map(({ traceId }) => traceId)
  const hashes = await hashesOf(q, workspaceId, unlinked)
  const { datasetId } = first
  const items = await findItemsByInput(q, { workspaceId, datasetId }, [...new Set(hashes.values())])
  return rows.map((row) => {
    const itemId = row.itemId ?? items.get(hashes.get(row.traceId) ?? '') ?? null
    return { ...toTraceSummary(row), itemId }
  })
}

async function hashesOf(q: Queries, workspaceId: string, traceIds: string[]): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  for (const chunk of chunksOf(traceIds, TRACES_PER_STATEMENT)) {
    for (const [traceId, { input }] of await findTraceContents(q, workspaceId, chunk)) {
      if (input !== null) hashes.set(traceId, hashInput(input))
    }
  }
  return hashes
}
