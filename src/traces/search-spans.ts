import { badRequest } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { listSpansWithText } from './span-search-queries.ts'

const SPANS_MAX = 500

/**
 * Finds the spans of a trace that contain a text, in chronological order, each with an excerpt of every field that contains it. Attributes
 * are not searched: they may contain secrets, which are removed only when they are shown.
 */
export async function searchSpans(
  q: Queries,
  { workspaceId, traceDbId, text }: { workspaceId: string; traceDbId: string; text: string },
) {
  if (text.includes('\0') || !text.isWellFormed())
    throw badRequest('The query parameter q has characters that cannot be stored (U+0000 or half of a surrogate pair)')
  const rows = await listSpansWithText(q, { workspaceId, traceDbId, text, limit: SPANS_MAX + 1 })
  const data = rows.slice(0, SPANS_MAX).map(({ spanId, ...excerpts }) => ({
    spanId,
    matches: Object.entries(excerpts).flatMap(([field, excerpt]) => (excerpt === null ? [] : [{ field, excerpt }])),
  }))
  return { data, isComplete: rows.length <= SPANS_MAX }
}
