import { chunksOf } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { ownContent, readTraceContent, textOf } from './trace-content.ts'
import { listRoots } from './trace-queries.ts'
import { canonicalRefs } from './trace-ref-queries.ts'

const REFS_PER_STATEMENT = 500

/** The question and the answer of a trace, as shown with the trace; null if it has none. */
export type TraceContent = {
  traceDbId: string
  traceId: string
  input: string | null
  output: string | null
  /** The input of the root, as it was sent. */
  sentInput: string | null
  /** Content that is not from the root may change with the next span, and the root may not have arrived yet. */
  rootHas: { input: boolean; output: boolean }
}

/** The contents of the traces that have arrived, by reference: our ids, in any case, or those of the senders. */
export async function findTraceContents(
  q: Queries,
  workspaceId: string,
  refs: string[],
): Promise<Map<string, TraceContent>> {
  const canonical = await canonicalRefs(q, workspaceId, refs)
  const byTraceId = new Map<string, TraceContent>()
  for (const chunk of chunksOf([...new Set(canonical)], REFS_PER_STATEMENT)) {
    for (const row of await listRoots(q, workspaceId, chunk)) {
      byTraceId.set(row.traceId, await contentOf(q, workspaceId, row))
    }
  }
  const contents = new Map<string, TraceContent>()
  refs.forEach((ref, place) => {
    const content = byTraceId.get(canonical[place] ?? ref)
    if (content) contents.set(ref, content)
  })
  return contents
}

type Root = Awaited<ReturnType<typeof listRoots>>[number]

/** Most roots have both texts. Other spans are read only if the root lacks one, trace by trace. */
async function contentOf(q: Queries, workspaceId: string, root: Root): Promise<TraceContent> {
  const { id: traceDbId, traceId } = root
  const own = ownContent(root)
  const said = { input: textOf(own.input), output: textOf(own.output) }
  const rootHas = { input: said.input !== undefined, output: said.output !== undefined }
  const isWhole = rootHas.input && rootHas.output
  const { input, output } = isWhole ? said : await readTraceContent(q, workspaceId, root, own)
  return { traceDbId, traceId, rootHas, input: input ?? null, output: output ?? null, sentInput: root.input }
}
