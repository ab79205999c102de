import type { Effort, Operation } from './harness/compare.ts'
import { type Line, limitLine, ratioLine } from './harness/line.ts'
import { encodeRequest } from './harness/load.ts'
import { compareWithBare, type Servers } from './harness/servers.ts'
import { madeTrace, madeTraceId, SENT_TRACES, type TraceSet } from './spans.ts'

const TRACES = 1_000
const SPANS_PER_TRACE = 10
const LONG_TRACE_SPANS = 10_000
const SHORT_SET: TraceSet = { ...SENT_TRACES, seed: 'short' }
const LONG_SET: TraceSet = { ...SENT_TRACES, seed: 'long' }

/** The bars: CPU time relative to a bare server that returns the same bytes. */
const LIST_RATIO_MAX = 8
const TRACE_RATIO_MAX = 8
const SPAN_RATIO_MAX = 6
const OUTLINE_CPU_MS_MAX = 250

/** Measures what the interface requests: the table of traces, a trace, and a span of a very long one. */
export async function* measureReadTraces(servers: Servers, effort: Effort): AsyncGenerator<Line> {
  const { touchstone } = servers
  const seeded = { firstTrace: 0, copies: 0 }
  await touchstone.ask('seedTraces', { ...seeded, set: SHORT_SET, traces: TRACES, spansPerTrace: SPANS_PER_TRACE })
  await touchstone.ask('seedTraces', { ...seeded, set: LONG_SET, traces: 1, spansPerTrace: LONG_TRACE_SPANS })
  await touchstone.ask('untilIndexed')

  const list = read('list of 50 traces, as the interface asks', 1_000, [
    '/traces?sort=-time&limit=50&include=previews,ratings,scores',
  ])
  yield ratioLine(list.name, await compareWithBare(list, servers, effort), LIST_RATIO_MAX)
  const traceIds = Array.from({ length: 100 }, (_, place) => madeTraceId(SHORT_SET, place * 7))
  const trace = read(
    `open a trace of ${SPANS_PER_TRACE} spans`,
    1_000,
    traceIds.map((id) => `/traces/${id}`),
  )
  yield ratioLine(trace.name, await compareWithBare(trace, servers, effort), TRACE_RATIO_MAX)

  const longTrace = `/traces/${madeTraceId(LONG_SET, 0)}`
  const spanIds = madeTrace(LONG_SET, 0, LONG_TRACE_SPANS).map(({ spanId }) => spanId)
  const span = read(
    `open a span of ${LONG_TRACE_SPANS}`,
    4_000,
    spanIds.slice(0, 2_000).map((id) => `${longTrace}/spans/${id}`),
  )
  yield ratioLine(span.name, await compareWithBare(span, servers, effort), SPAN_RATIO_MAX)
  // More at the same time would be rejected: they are large reads of one application.
  const outline = read(`outline of ${LONG_TRACE_SPANS} spans`, 4, [`${longTrace}/outline`])
  const { subjectMicros } = await compareWithBare(outline, servers, effort)
  yield limitLine(`CPU: ${outline.name}`, subjectMicros / 1_000, { max: OUTLINE_CPU_MS_MAX, unit: 'ms' })
}

function read(name: string, count: number, paths: string[]): Operation {
  const requests = (key: string) => paths.map((path) => encodeRequest({ method: 'GET', path: `/api/v1${path}`, key }))
  return { name, status: 200, count, requests }
}
