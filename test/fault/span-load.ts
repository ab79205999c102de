/** Spans that are sent until the server is killed, and what must be there of them afterwards. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { chunksOf } from '../../src/base/event-loop.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Client } from '../harness/client.ts'
import { otlpRequest, type SpanSketch, spanIdOf } from '../harness/otlp-json.ts'
import { SERVER_KEY, type ServerProcess } from '../harness/server-process.ts'
import { requestType } from '../otlp/otlp-messages.ts'
import { JSON_TYPE, PROTOBUF, postTraces } from '../otlp/post-traces.ts'
import { countRollups, readRollups } from '../traces/stored-traces.ts'

export type SpanEncoding = 'json' | 'protobuf'

/** A request as its sender saw it. Its spans are stored together or not at all. */
export type SpanBatch = { spans: SentSpan[]; encoding: SpanEncoding; isAnswered: boolean }

type SentSpan = SpanSketch & { tokens: number }

/** How many batches the spans of one trace are spread over; the root comes with the last. */
const PARTS = 3
const SPANS_PER_PART = 2
const START_MS = Date.now() - 600_000

/** The n-th batch of a sender: the first part of one trace, the second of the one before, the last of the one before that. */
export function spanBatch({ sender, turn }: { sender: string; turn: number }, encoding: SpanEncoding): SpanBatch {
  const parts = Array.from({ length: PARTS }, (_, part) => ({ part, trace: turn - part })).filter(
    ({ trace }) => trace >= 0,
  )
  const spans = parts.flatMap(({ part, trace }) =>
    Array.from({ length: SPANS_PER_PART }, (_, place) =>
      spanOf(`${sender}${trace.toString(16).padStart(6, '0')}`, part, place),
    ),
  )
  return { spans, encoding, isAnswered: false }
}

function spanOf(traceName: string, part: number, place: number): SentSpan {
  const number = part * SPANS_PER_PART + place
  const isRoot = number === PARTS * SPANS_PER_PART - 1
  // The root reports the sum of the spans below it, which must be counted once.
  const tokens = isRoot ? 1_000 : number + 1
  return {
    traceId: traceName.padStart(32, 'd'),
    spanId: spanIdOf(number),
    ...(isRoot ? {} : { parentSpanId: spanIdOf(PARTS * SPANS_PER_PART - 1) }),
    name: isRoot ? 'root' : `step ${number}`,
    start: START_MS + number,
    status: isRoot ? 'error' : 'unset',
    tokens,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': tokens,
    },
  }
}

/** Throws only what is no answer at all; any answer but a full success is an error. */
export async function sendBatch(client: Client, { spans, encoding }: SpanBatch): Promise<void> {
  const request = otlpRequest(spans)
  const { status, text } =
    encoding === 'json'
      ? await client.post('/v1/traces', request)
      : await client.send('POST', '/v1/traces', { body: inProtobuf(request), headers: { 'content-type': PROTOBUF } })
  if (status !== 200 || text !== (encoding === 'json' ? '{}' : '')) throw new Error(`traces: ${status} ${text}`)
}

/** The same request in bytes: ids are hexadecimal text in JSON alone. */
function inProtobuf(request: object): Buffer {
  const message = JSON.parse(JSON.stringify(request), (key, value) =>
    /^(trace|span|parentSpan)Id$/.test(key) ? [...Buffer.from(value, 'hex')] : value,
  )
  return requestType.encode(message)
}

/** Sends spans to a server that cannot store them: its error must have the encoding of the request, and a Retry-After. */
export async function sendRejected(
  server: ServerProcess,
  { spans, encoding }: SpanBatch,
): Promise<'rejected' | 'stored'> {
  const request = otlpRequest(spans)
  const isJson = encoding === 'json'
  const body = isJson ? JSON.stringify(request) : inProtobuf(request)
  const type = isJson ? JSON_TYPE : PROTOBUF
  const answer = await postTraces(server.url, body, { key: SERVER_KEY, type })
  if (answer.status === 200) return 'stored'
  expect(answer.status).toBe(503)
  expect(answer.headers.get('content-type')).toMatch(isJson ? /^application\/json/ : /^application\/x-protobuf$/)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(answer.body).toMatchObject({ code: UNAVAILABLE, message: expect.stringMatching(/./) })
  return 'rejected'
}

const UNAVAILABLE = 14

/** Compares what the API returns of all traces that were sent with the batches, of which each is whole or absent. */
export async function expectWholeBatches(client: Client, batches: SpanBatch[]): Promise<void> {
  const stored = await storedSpans(client, batches)
  for (const { spans, isAnswered } of batches) {
    const there = spans.filter(({ traceId, spanId }) => stored.get(traceId)?.spanIds.includes(spanId))
    expect([isAnswered ? spans.length : 0, spans.length], 'a batch is there as a whole, or not at all').toContain(
      there.length,
    )
  }
  for (const [traceId, trace] of stored) {
    const sent = batches.flatMap(({ spans }) => spans.filter((span) => span.traceId === traceId))
    const there = sent.filter(({ spanId }) => trace.spanIds.includes(spanId))
    expect(trace.spanIds.toSorted(), 'each span once').toEqual(there.map(({ spanId }) => spanId).sort())
    expect(trace.totalTokens).toBe(tokensOf(there))
    expect(trace.status).toBe(there.some(({ status }) => status === 'error') ? 'error' : 'ok')
  }
}

/** The sums of everything that is stored are those of what was sent, all of which is stored. */
export async function expectSums(client: Client, batches: SpanBatch[]): Promise<void> {
  const traces = [
    ...Map.groupBy(
      batches.flatMap(({ spans }) => spans),
      ({ traceId }) => traceId,
    ).values(),
  ]
  const stats = {
    totalTraces: traces.length,
    totalTokens: traces.reduce((sum, spans) => sum + tokensOf(spans), 0),
    errorRate: traces.filter((spans) => spans.some(({ status }) => status === 'error')).length / (traces.length || 1),
  }
  expect((await client.get('/traces/stats')).body).toMatchObject(stats)
  expect((await client.get('/traces?limit=1')).body.total).toBe(traces.length)
}

function tokensOf(spans: SentSpan[]): number {
  const steps = spans.filter(({ parentSpanId }) => parentSpanId !== undefined)
  return (steps.length > 0 ? steps : spans).reduce((sum, { tokens }) => sum + tokens, 0)
}

type SeenTrace = { spanIds: string[]; totalTokens: unknown; status: unknown }

async function storedSpans(client: Client, batches: SpanBatch[]): Promise<Map<string, SeenTrace>> {
  const traceIds = new Set(batches.flatMap(({ spans }) => spans.map(({ traceId }) => traceId)))
  const seen = new Map<string, SeenTrace>()
  for (const chunk of chunksOf([...traceIds], 16)) {
    await Promise.all(
      chunk.map(async (traceId) => {
        const { status, body } = await client.get(`/traces/${traceId}`)
        if (status === 404) return
        const spans: { spanId: string }[] = Array.isArray(body.spans) ? body.spans : []
        const { totalTokens, status: outcome } = body
        seen.set(traceId, { spanIds: spans.map(({ spanId }) => spanId), totalTokens, status: outcome })
      }),
    )
  }
  return seen
}

/** Checks the rows themselves: the totals of a trace are those of its spans, and the sums are those of the traces. */
export async function expectSpanRows(storage: Storage, workspaceId: string): Promise<void> {
  const { rows: wrong } = await sql`
    select t.id from traces t where
      t.span_count <> (select count(*) from spans s where s.workspace_id = t.workspace_id and s.trace_id = t.id)
      or t.error_count <> (select count(*) from spans s
        where s.workspace_id = t.workspace_id and s.trace_id = t.id and s.status = 'error')
      or t.total_tokens <> (select sum(s.total_tokens) from spans s
        where s.workspace_id = t.workspace_id and s.trace_id = t.id and s.covered_usage = 0)
      or (select count(*) from trace_facets f
        where f.workspace_id = t.workspace_id and f.trace_id = t.id and f.facet = 'name')
        <> (select count(distinct s.name) from spans s where s.workspace_id = t.workspace_id and s.trace_id = t.id)
    union all select s.trace_id from spans s where not exists
      (select 1 from traces t where t.workspace_id = s.workspace_id and t.id = s.trace_id)`.execute(storage.read)
  expect(wrong).toEqual([])
  expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
}
