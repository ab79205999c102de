import type { Queries } from '../storage/db.ts'
import { isAmong } from '../storage/dialect.ts'
import { findTraceContents } from '../traces/trace-contents.ts'
import { hashInput } from './input-hash.ts'

type ArrivedTrace = { traceId: string; hasRoot: boolean }

const INPUT = 1
const OUTPUT = 2

/**
 * Items were made of traces that had not arrived yet: now that they do, the items keep what the traces say. What people wrote
 * themselves stays; what was taken before the root had come is taken again from it.
 */
export async function snapshotItems(tx: Queries, workspaceId: string, traces: readonly ArrivedTrace[]): Promise<void> {
  const byId = new Map(traces.map((trace) => [trace.traceId, trace]))
  const waiting = await tx
    .selectFrom('dataset_items')
    .select(['dataset_id', 'id', 'trace_ref', 'input', 'output', 'provisional'])
    .where('workspace_id', '=', workspaceId)
    .where(isAmong(tx, 'trace_ref', [...byId.keys()]))
    .where((either) =>
      either.or([either('input', 'is', null), either('output', 'is', null), either('provisional', '>', 0)]),
    )
    .execute()
  if (waiting.length === 0) return
  const refs = new Set(waiting.map(({ trace_ref }) => trace_ref ?? ''))
  const contents = await findTraceContents(tx, workspaceId, [...refs])
  for (const item of waiting) {
    const content = contents.get(item.trace_ref ?? '')
    if (!content) continue
    const takesInput = item.input === null || (item.provisional & INPUT) !== 0
    const takesOutput = item.output === null || (item.provisional & OUTPUT) !== 0
    const input = takesInput ? content.input : item.input
    const hasRoot = byId.get(item.trace_ref ?? '')?.hasRoot ?? false
    await tx
      .updateTable('dataset_items')
      .set({
        input,
        input_hash: input === null ? null : hashInput(input),
        output: takesOutput ? content.output : item.output,
        provisional: hasRoot ? 0 : (takesInput ? INPUT : 0) | (takesOutput ? OUTPUT : 0),
      })
      .where('workspace_id', '=', workspaceId)
      .where('dataset_id', '=', item.dataset_id)
      .where('id', '=', item.id)
      .execute()
  }
}
