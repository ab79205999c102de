import { badRequest, notFound } from '../base/errors.ts'
import { chunksOf } from '../base/event-loop.ts'
import type { Context } from '../http/route.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { readTraceFilter } from '../traces/trace-filter.ts'
import { newestTraces, planSearch, walkOf } from '../traces/trace-list-queries.ts'
import { placeItems } from './add-items.ts'
import { findDataset } from './dataset-queries.ts'
import type { ItemContent } from './item-content.ts'
import { type DatasetScope, keepItems } from './item-queries.ts'
import type { Split } from './split.ts'

const LIMIT_DEFAULT = 100
/** Few, because a trace may have a mebibyte of output. */
const TRACES_PER_TURN = 25

type ItemsFromQuery = { q: string; limit?: number; expected?: 'none' | 'output'; split?: Split | null }

/** Adds the newest traces that match as items. A trace that is already an item is skipped, and its item is not changed. */
export async function addItemsFromQuery(
  { db, clock, newId, signal }: Pick<Context, 'db' | 'clock' | 'newId' | 'signal'>,
  scope: DatasetScope,
  { q: query, limit = LIMIT_DEFAULT, expected = 'none', split = null }: ItemsFromQuery,
): Promise<{ added: number; skipped: number; addedIds: string[] }> {
  const [dataset] = await findDataset(db.read, scope)
  if (!dataset) throw notFound('Dataset')
  const { workspaceId } = scope
  const filter = readTraceFilter({ q: query }, clock.now())
  if (!filter.condition) throw badRequest('The field q must have a condition')
  const q = db.search({ application: workspaceId, signal, from: 'request' })
  const plan = { ...(await planSearch(q, workspaceId, filter)), walk: await walkOf(q, workspaceId, filter) }
  const traces = await newestTraces(q, workspaceId, filter, plan).select('t.trace_id as traceId').limit(limit).execute()
  const refs = traces.map(({ traceId }) => traceId)
  return db.transaction(async (tx) => {
    const addedIds: string[] = []
    for (const chunk of chunksOf(refs, TRACES_PER_TURN)) {
      const outputs = expected === 'output' ? await findTraceContents(tx, workspaceId, chunk) : NO_OUTPUTS
      const contents = chunk.map((traceRef): ItemContent => {
        const content = outputs.get(traceRef)?.output ?? null
        return { traceRef, input: null, output: null, expected: content, metadata: null, split }
      })
      addedIds.push(...(await placeItems(tx, newId, scope, contents)).addedIds)
      // Items that a span created are now explicit, and stay.
      await keepItems(tx, scope, chunk)
    }
    return { added: addedIds.length, skipped: refs.length - addedIds.length, addedIds }
  })
}

const NO_OUTPUTS: ReadonlyMap<string, { output: string | null }> = new Map()
