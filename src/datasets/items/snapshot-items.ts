import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { findTraceContents, type TraceContent } from '../../traces/trace-contents.ts'
import { hashInput } from './input-hash.ts'
import { FOLLOWS_INPUT, FOLLOWS_OUTPUT, followsOf } from './item-content.ts'
import { type FollowingItem, lockFollowingItems, updateFollowingItem } from './item-queries.ts'

/** Input and output may be a mebibyte each. Small chunks bound the memory, regardless of how many traces arrive together. */
const TRACES_PER_STATEMENT = 25

/**
 * Updates existing items when spans of their traces arrive. Only fields that still follow the trace are written: the root has provided
 * the others, or a user has set or removed them, possibly while this transaction waited.
 */
export async function snapshotItems(
  tx: Queries,
  workspaceId: string,
  traces: readonly { traceId: string }[],
): Promise<void> {
  const following = await lockFollowingItems(
    tx,
    workspaceId,
    traces.map(({ traceId }) => traceId),
  )
  const byTrace = [...Map.groupBy(following, ({ trace_ref }) => trace_ref ?? '')]
  for (const chunk of chunksOf(byTrace, TRACES_PER_STATEMENT)) {
    const refs = chunk.map(([traceRef]) => traceRef)
    const contents = await findTraceContents(tx, workspaceId, refs)
    for (const [traceRef, items] of chunk) {
      const content = contents.get(traceRef)
      if (content) for (const item of items) await takeContent(tx, workspaceId, item, content)
    }
    if (chunk.length < byTrace.length) await yieldToEventLoop()
  }
}

async function takeContent(
  tx: Queries,
  workspaceId: string,
  item: FollowingItem,
  content: TraceContent,
): Promise<void> {
  const { provisional } = item
  // Absent content is not copied: the same trace may have had it before it was deleted and sent again.
  const input = (provisional & FOLLOWS_INPUT) === 0 ? null : content.input
  const output = (provisional & FOLLOWS_OUTPUT) === 0 ? null : content.output
  if (input === null && output === null) return
  await updateFollowingItem(tx, workspaceId, item, {
    ...(input === null ? {} : { input, input_hash: hashInput(input) }),
    ...(output === null ? {} : { output }),
    provisional: provisional & followsOf(content),
  })
}
