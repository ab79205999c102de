/**
 * All spans of a trace without their content, for a tree or a timeline. The outline has columns instead of one object per span, parents as
 * positions, and rounded numbers: ten thousand spans are then less than 200 kB when compressed, of which 80 kB are the ids.
 */
import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { shortened } from '../base/text.ts'
import type { Queries } from '../storage/db.ts'
import { listOutline, type TraceRow } from './trace-queries.ts'

const SPANS_MAX = 50_000
const NAME_LENGTH_MAX = 200
const SIGNIFICANT_DIGITS = 4

export async function readOutline(q: Queries, workspaceId: string, trace: TraceRow): Promise<AsyncIterable<string>> {
  const { id: traceDbId, startMs } = trace
  // Before the response begins, because a read in a worker may be rejected with 429.
  return writeOutline(trace, await listOutline(q, { workspaceId, traceDbId, startMs, limit: SPANS_MAX }))
}

type OutlineSpan = Awaited<ReturnType<typeof listOutline>>[number]

async function* writeOutline({ startMs, spanCount }: TraceRow, spans: OutlineSpan[]): AsyncGenerator<string> {
  const { labels, labelOf } = labelsOf(spans)
  const columns: [name: string, values: () => unknown][] = [
    ['labels', () => labels],
    ['spanIds', () => spans.map(({ spanId }) => spanId)],
    ['parents', () => parentsOf(spans)],
    ['labelOf', () => labelOf],
    ['startGapsMs', () => startGapsOf(spans)],
    ['durationsMs', () => spans.map(({ durationNs }) => rounded(durationNs, 1e6))],
    ['errors', () => spans.flatMap(({ status }, position) => (status === 'error' ? [position] : []))],
    ['totalTokens', () => spans.map(({ totalTokens }) => totalTokens)],
    ['costsUsd', () => spans.map(({ costUsd }) => rounded(costUsd, 1))],
  ]
  yield `{"startTime":"${timestamp(startMs)}","total":${spanCount}`
  for (const [name, values] of columns) {
    yield `,"${name}":${JSON.stringify(values())}`
    await yieldToEventLoop()
  }
  yield '}'
}

/** Spans share few kinds and names. */
function labelsOf(spans: readonly OutlineSpan[]) {
  const positions = new Map<string, number>()
  const labels: { kind: string; name: string }[] = []
  const labelOf = spans.map(({ kind, name }) => {
    const key = `${kind} ${name}`
    const known = positions.get(key)
    if (known !== undefined) return known
    positions.set(key, labels.length)
    return labels.push({ kind, name: shortened(name, NAME_LENGTH_MAX) }) - 1
  })
  return { labels, labelOf }
}

function parentsOf(spans: readonly OutlineSpan[]): (number | null)[] {
  const positions = new Map(spans.map(({ spanId }, position) => [spanId, position]))
  return spans.map(({ parentSpanId }) => positions.get(parentSpanId ?? '') ?? null)
}

/** Differences of rounded starts, so that their sum has no rounding error. */
function startGapsOf(spans: readonly OutlineSpan[]): number[] {
  let before = 0
  return spans.map(({ offsetNs }) => {
    const tenths = Math.round(offsetNs / 1e5)
    const gap = tenths - before
    before = tenths
    return gap / 10
  })
}

function rounded(value: number | null, unit: number): number | null {
  return value === null ? null : Number((value / unit).toPrecision(SIGNIFICANT_DIGITS))
}
