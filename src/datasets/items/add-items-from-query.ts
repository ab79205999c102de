import { notFound } from '../../base/errors.ts'
import { chunksOf } from '../../base/event-loop.ts'
import type { Context } from '../../http/route.ts'
import { findMatchingTraces } from '../../traces/find-matching-traces.ts'
import { findTraceContents } from '../../traces/trace-contents.ts'
import { findDataset } from '../dataset-queries.ts'
import type { Split } from '../splits/split.ts'
import { placeItems } from './add-items.ts'
import type { ItemContent } from './item-content.ts'
import { type ChangingScope, keepItems } from './item-queries.ts'

/** Few, because a trace may have a mebibyte of output. */
const TRACES_PER_TURN = 25

/** The newest traces that match. Throws 404 if there is no such dataset. */
export async function findTracesToAdd(
  context: Pick<Context, 'db' | 'clock' | 'signal'>,
  scope: ChangingScope,
  { q, limit }: { q: string; limit?: number },
): Promise<string[]> {
  const [dataset] = await findDataset(context.db.read, scope)
  if (!dataset) throw notFound('Dataset')
  return findMatchingTraces(context, scope.workspaceId, { q, limit })
}

type ItemsOfTraces = { traceRefs: readonly string[]; expected?: 'none' | 'output'; split?: Split | null }

/** Adds traces as items. A trace that is already an item is skipped, and its item is not changed. */
export async function addItemsFromQuery(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  scope: ChangingScope,
  { traceRefs: refs, expected = 'none', split = null }: ItemsOfTraces,
): Promise<{ added: number; skipped: number; addedIds: string[] }> {
  const { workspaceId } = scope
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
