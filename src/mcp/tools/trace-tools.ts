import { Type } from 'typebox'
import { badRequest } from '../../base/errors.ts'
import { closed } from '../../http/schemas.ts'
import { Component } from '../named-arguments.ts'
import { longText, Preview, Ref, Stored, TextPart, type TextRange } from '../stored-text.ts'
import {
  type Call,
  defineTool,
  hasTexts,
  include,
  type Loaded,
  listIn,
  offsetCursor,
  offsetOf,
  paging,
  queryOf,
} from '../tool.ts'
import { Bool, Num } from './shared-fields.ts'

const TRACES = 'GET /traces'

const summary = {
  id: Ref,
  traceId: Ref,
  name: Stored,
  status: Stored,
  aiComponentId: Ref,
  componentName: Stored,
  durationMs: Num,
  totalTokens: Num,
  totalCostUsd: Num,
  startTime: Stored,
}

export const searchTraces = defineTool({
  name: 'search_traces',
  title: 'Search traces',
  description:
    'Finds traces with a query such as `status:error kind:tool start:>-24h`, newest first or sorted. explain_query_language describes all fields. Rows have numbers, ratings and scores; with include ["io"], also the beginnings of input and output.',
  routes: [TRACES],
  input: closed({
    query: Type.Optional(Type.String({ maxLength: 2_000, description: 'A query of the query language.' })),
    component: Type.Optional(Component),
    sort: Type.Optional(
      Type.Enum(
        ['time', '-time', 'arrival', '-arrival', 'duration', '-duration', 'cost', '-cost', 'tokens', '-tokens'],
        {
          type: 'string',
          description: 'A minus means descending; time is the start time. Default: -time.',
        },
      ),
    ),
    include,
    ...paging,
  }),
  // Without the index of texts, only traces that started at `searchedSince` or later are searched.
  facts: { total: Num, totalIsExact: Bool, sortIsComplete: Bool, searchedSince: Stored },
  row: closed({
    ...summary,
    sessionId: Stored,
    userId: Stored,
    service: Stored,
    environment: Stored,
    tags: Type.Optional(Type.Array(Type.String())),
    spanCount: Num,
    errorCount: Num,
    models: Type.Optional(Type.Array(Type.String())),
    preview: Type.Optional(closed({ input: Preview, output: Preview })),
    ratings: Type.Optional(Type.Array(closed({ userId: Ref, rating: Stored }))),
    scores: Type.Optional(
      Type.Array(closed({ evaluationId: Ref, evaluator: Stored, score: Num, label: Stored, passed: Bool })),
    ),
  }),
  narrow: 'Add terms to the query, use a lower limit, or continue with the cursor. get_trace returns one trace.',
  run: async (call, { query: q, component: componentId, sort, limit, cursor, ...args }) => {
    const parts = hasTexts(args) ? 'previews,ratings,scores' : 'ratings,scores'
    const query = queryOf({ q, component_id: componentId, sort, include: parts, limit, cursor })
    const body = await call(TRACES, { query })
    return { facts: body, rows: listIn(body), nextCursor: body.nextCursor }
  },
})

const TRACE = 'GET /traces/:traceId'
const SPANS = 'GET /traces/:traceId/spans'
const SPAN = 'GET /traces/:traceId/spans/:spanId'
const LINKS = 'GET /traces/:traceId/links'

/** Of the input and of the output: of the trace, of each of its spans, and of one span that was asked for. */
const TRACE_TEXT_MAX = 2_000
const SPAN_TEXT_MAX = 400
const ONE_SPAN_TEXT_MAX = 4_000

const spanFields = {
  spanId: Ref,
  parentSpanId: Ref,
  name: Stored,
  kind: Stored,
  status: Stored,
  statusMessage: Stored,
  startTime: Stored,
  durationMs: Num,
  model: Stored,
  inputTokens: Num,
  outputTokens: Num,
  costUsd: Num,
  input: TextPart,
  output: TextPart,
}

export const getTrace = defineTool({
  name: 'get_trace',
  title: 'Get a trace',
  description:
    'Gets a trace by its id or the id of its sender: numbers, scores with reasons, the runs that it is a case of, and its spans as rows in chronological order. With include ["io"], also input and output, cut; read on with textOffset, and read a span with spanId.',
  routes: [TRACE, SPANS, SPAN, LINKS],
  input: closed({
    traceId: Type.String({ minLength: 1, maxLength: 128 }),
    spanId: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Only this span.' })),
    include,
    textOffset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'The nextOffset of a text: its input and output continue there. With include ["io"].',
      }),
    ),
    limit: paging.limit,
    cursor: offsetCursor,
  }),
  facts: {
    ...summary,
    endTime: Stored,
    sessionId: Stored,
    userId: Stored,
    tags: Type.Optional(Type.Array(Type.String())),
    input: TextPart,
    output: TextPart,
    spanCount: Num,
    runs: Type.Optional(Type.Array(closed({ runId: Ref, runName: Stored, datasetName: Stored, itemId: Ref }))),
    scores: Type.Optional(
      Type.Array(
        closed({
          evaluationId: Ref,
          runId: Ref,
          evaluator: Stored,
          repetition: Num,
          score: Num,
          label: Stored,
          passed: Bool,
          reason: Stored,
        }),
      ),
    ),
  },
  row: closed(spanFields),
  narrow:
    'Use a lower limit, or continue with the cursor for more spans. A text with nextOffset continues: call get_trace with include ["io"] and textOffset, and with spanId for the text of a span.',
  run: async (call, args): Promise<Loaded> => {
    const { traceId, spanId, textOffset: offset = 0 } = args
    if (offset > 0 && !hasTexts(args)) throw badRequest('The field textOffset needs include ["io"]')
    if (spanId !== undefined) {
      const span = await call(SPAN, { params: { traceId, spanId } })
      return { rows: [withTexts(span, { offset, lengthMax: ONE_SPAN_TEXT_MAX })] }
    }
    const trace = await call(TRACE, { params: { traceId }, query: { spans: 'none' } })
    const texts = { offset, lengthMax: TRACE_TEXT_MAX }
    // The call before has returned everything else.
    if (offset > 0) return { facts: withTexts(trace, texts) }
    const links = await call(LINKS, { params: { traceId } })
    const { total, ...spans } = await readSpans(call, args)
    return { facts: { ...withTexts(trace, texts), spanCount: total, runs: links.runs, scores: links.scores }, ...spans }
  },
})

async function readSpans(call: Call, args: { traceId: string; limit: number; cursor?: string | undefined }) {
  const { traceId, limit, cursor } = args
  const offset = offsetOf(cursor)
  const body = await call(SPANS, { params: { traceId }, query: queryOf({ limit, offset }) })
  const { total, nextOffset } = body
  const rows = listIn(body).map((span) => withTexts(span, { offset: 0, lengthMax: SPAN_TEXT_MAX }))
  const cursorAfter = (count: number) => String(offset + count)
  return { total, rows, cursorAfter, ...(typeof nextOffset === 'number' ? { nextCursor: String(nextOffset) } : {}) }
}

function withTexts(value: Record<string, unknown>, range: TextRange) {
  return { ...value, input: longText(value.input, range), output: longText(value.output, range) }
}
