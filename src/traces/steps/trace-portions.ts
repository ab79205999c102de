/**
 * Reads traces for evaluations in portions that are bounded in traces, spans and bytes. A trace with ten thousand spans or many megabytes
 * is a portion by itself, and its spans are read in portions too. Other work can run between portions.
 */
import { chunksOf, yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { chunkBySize, chunkRows } from '../chunk-rows.ts'
import { canonicalRefs } from '../trace-ref-queries.ts'
import { listSpanSketches, listTraceHeads, type SpanSketch, type SpansWanted, type TraceHead } from './step-queries.ts'

const REFS_PER_STATEMENT = 500
/** Small enough that a portion is garbage before the next collection: the collector copies live objects, more than once. */
const PORTION_BYTES = 1 << 17
/** How many spans one statement lists. */
const SPANS_PER_STATEMENT = 2_000
/** The other spans of a larger trace are excluded: their list alone would need more memory than the rest. */
const SPANS_PER_TRACE_MAX = 50_000

/** The `kinds` of spans that are steps; with `withCost`, also all spans with a cost. Undefined: no spans are read. */
export type StepsWanted = { kinds: readonly string[]; withCost: boolean } | undefined

/** A trace whose texts have not been read yet. */
export type HeldTrace = TraceHead & {
  /** The references as given. Two may name the same trace. */
  refs: string[]
  /** In order of their start, without repeated calls. */
  sketches: SpanSketch[]
}

/** The traces that have arrived, without duplicates. */
export async function* tracePortions(
  q: Queries,
  workspaceId: string,
  refs: readonly string[],
  wanted: StepsWanted,
): AsyncGenerator<HeldTrace[]> {
  for (const chunk of chunksOf(refs, REFS_PER_STATEMENT)) {
    const heads = await findHeads(q, workspaceId, chunk)
    // Traces whose spans can be listed by one statement. A larger trace is a group by itself.
    for (const some of chunkBySize(heads, ({ spanCount }) => spanCount, { sizeMax: SPANS_PER_STATEMENT })) {
      const sketches = wanted && (await readSketches(q, workspaceId, some, wanted))
      const held = some.map((head) => withSketches(head, sketches?.get(head.id) ?? []))
      for (const portion of chunkRows(held, PORTION_BYTES)) {
        yield portion
        await yieldToEventLoop()
      }
    }
  }
}

type Head = TraceHead & { refs: string[] }

async function findHeads(q: Queries, workspaceId: string, refs: readonly string[]): Promise<Head[]> {
  const canonical = await canonicalRefs(q, workspaceId, refs)
  const refsByTrace = Map.groupBy(refs.keys(), (place) => canonical[place] ?? '')
  const heads = await listTraceHeads(q, workspaceId, [...refsByTrace.keys()])
  return heads.map((head) => ({
    ...head,
    refs: [...new Set((refsByTrace.get(head.traceId) ?? []).map((place) => refs[place] ?? ''))],
  }))
}

async function readSketches(q: Queries, workspaceId: string, heads: Head[], wanted: NonNullable<StepsWanted>) {
  const traceDbIds = heads.map(({ id }) => id)
  const all: SpanSketch[] = []
  const isOnlyProcess = heads.length === 1
  // The list of several traces has a higher limit, so that spans that arrived since the count do not displace spans of other traces.
  const limit = isOnlyProcess ? SPANS_PER_STATEMENT : SPANS_PER_TRACE_MAX
  for (let after = ''; ; ) {
    const page = await listSpanSketches(q, { workspaceId, traceDbIds }, { ...wanted, after, limit })
    for (const sketch of page) all.push(sketch)
    after = page.at(-1)?.id ?? ''
    if (page.length < limit || all.length >= SPANS_PER_TRACE_MAX) return Map.groupBy(all, (sketch) => sketch.traceDbId)
    await yieldToEventLoop()
  }
}

function withSketches(head: Head, sketches: SpanSketch[]): HeldTrace {
  const kept = withoutEnvelopes(sketches).sort(byStart)
  return { ...head, bytes: kept.reduce((sum, { bytes }) => sum + bytes, head.bytes), sketches: kept }
}

function byStart(a: SpanSketch, b: SpanSketch): number {
  return a.startUs - b.startUs || a.startRestNs - b.startRestNs || a.position - b.position
}

/**
 * Two instrumentations often report the same call, one span inside the other. For models the inner span is kept, which is the call
 * itself; for tools the outer one, which has the arguments as the model provided them.
 */
function withoutEnvelopes(sketches: SpanSketch[]): SpanSketch[] {
  const byId = new Map(sketches.map((sketch) => [sketch.id, sketch]))
  const wrapping = new Set(sketches.flatMap(({ kind, parentId }) => (kind === 'llm' && parentId ? [parentId] : [])))
  return sketches.filter(({ id, kind, name, parentId }) => {
    if (kind === 'llm') return !wrapping.has(id)
    if (kind !== 'tool') return true
    const parent = byId.get(parentId ?? '')
    return parent?.kind !== 'tool' || parent.name !== name
  })
}

/** Reads the steps of a portion and visits them one by one, trace by trace, in order of their start. */
export async function visitSteps<Row extends { traceDbId: string; id: string }>(
  portion: readonly HeldTrace[],
  list: (wanted: Omit<SpansWanted, 'workspaceId'>) => Promise<Row[]>,
  visit: (trace: HeldTrace, sketch: SpanSketch, row: Row) => void,
): Promise<void> {
  const [only] = portion
  if (only && portion.length === 1) {
    for (const part of chunkRows(only.sketches, PORTION_BYTES)) {
      const rows = await list({ traceDbIds: [only.id], spanIds: part.map(({ id }) => id) })
      visitRows(part, rows, (sketch, row) => visit(only, sketch, row))
      await yieldToEventLoop()
    }
    return
  }
  const withSteps = portion.filter(({ sketches }) => sketches.length > 0)
  if (withSteps.length === 0) return
  const rows = Map.groupBy(await list({ traceDbIds: withSteps.map(({ id }) => id) }), ({ traceDbId }) => traceDbId)
  for (const trace of withSteps) {
    visitRows(trace.sketches, rows.get(trace.id) ?? [], (sketch, row) => visit(trace, sketch, row))
  }
}

function visitRows<Row extends { id: string }>(
  sketches: readonly SpanSketch[],
  rows: readonly Row[],
  visit: (sketch: SpanSketch, row: Row) => void,
): void {
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const sketch of sketches) {
    const row = byId.get(sketch.id)
    if (row) visit(sketch, row)
  }
}
