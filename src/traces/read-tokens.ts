import type { Queries } from '../storage/db.ts'
import { CHUNK, chunkRows } from './chunk-rows.ts'
import { ResourceScopeCache } from './resource-scope-cache.ts'
import { mapSpan } from './semconv/map-span.ts'
import { storedSpan } from './storing/stored-span.ts'
import { listCountedSpans, listSpanAttributes } from './token-queries.ts'
import type { TraceRow } from './trace-queries.ts'

/** Counts of tokens. Cached tokens are part of the input, reasoning is part of the output. */
type Tokens = {
  input: number | null
  cacheRead: number | null
  cacheWrite: number | null
  output: number | null
  reasoning: number | null
}

/**
 * How the tokens of a trace divide, over the spans that count for it. Cached tokens and reasoning are not stored: they are mapped from the
 * attributes again. Spans with very long attributes are counted without them.
 */
export async function readTokens(q: Queries, workspaceId: string, trace: TraceRow): Promise<Tokens> {
  const inTrace = { workspaceId, traceDbId: trace.id }
  const counted = await listCountedSpans(q, inTrace)
  const sums: Tokens = { input: null, cacheRead: null, cacheWrite: null, output: null, reasoning: null }
  const add = (field: keyof Tokens, count: number | null | undefined) => {
    if (typeof count === 'number') sums[field] = (sums[field] ?? 0) + count
  }
  for (const { inputTokens, outputTokens } of counted) {
    add('input', inputTokens)
    add('output', outputTokens)
  }
  const resourceScopes = new ResourceScopeCache(q, workspaceId)
  for (const chunk of chunkRows(counted.filter(({ bytes }) => bytes <= CHUNK.bytes))) {
    const ids = chunk.map(({ spanId }) => spanId)
    const rows = await listSpanAttributes(q, inTrace, ids)
    await resourceScopes.load(rows)
    for (const row of rows) {
      const texts = { input: null, inputFrom: null, output: null, outputFrom: null, events: null }
      const { usage } = mapSpan(storedSpan({ ...row, ...texts }, resourceScopes.get(row.resource_scope)))
      add('cacheRead', usage?.cacheRead)
      add('cacheWrite', usage?.cacheWrite)
      add('reasoning', usage?.reasoning)
    }
  }
  return sums
}
