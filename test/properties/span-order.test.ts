// @module-tag sized
// @module-tag sql
/** For any batches, order and repetitions of spans: the trace is the same as in one request. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { countSourceRollups, readSourceRollups } from '../traces/source-rollups.ts'
import { countRollups, readRollups } from '../traces/stored-traces.ts'
import {
  batchesOf,
  MODELS,
  PROMPTS,
  type RandomSpan,
  SESSIONS,
  SOURCES,
  SPAN_NAMES,
  sendBatch,
  spanTree,
  TAGS,
} from './random-spans.ts'

const RUNS = runs(8)
const START_MS = Date.now() - 3_600_000

type Case = { traces: RandomSpan[][]; batches: RandomSpan[][] }

const someTraces: fc.Arbitrary<Case> = fc
  // The second lies at the end of an hour, so that a span may move it into the one before.
  .tuple(spanTree(1, START_MS), spanTree(2, START_MS - (START_MS % 3_600_000) - 10))
  .chain((traces) => fc.record({ traces: fc.constant(traces), batches: batchesOf(traces.flat()) }))

const FILTERS = [
  ...['ok', 'error'].map((status) => `status=${status}`),
  ...SESSIONS.map((session) => `session_id=${session}`),
  ...['u', 'v'].map((user) => `user_id=${user}`),
  ...['web', 'worker'].map((service) => `service=${service}`),
  ...['production', 'staging'].map((environment) => `environment=${environment}`),
  ...SPAN_NAMES.map((name) => `q=${encodeURIComponent(`name:"${name}"`)}`),
  ...MODELS.map((model) => `q=model:${model}`),
  ...TAGS.map((tag) => `q=${encodeURIComponent(`tag:"${tag}"`)}`),
  ...PROMPTS.map((prompt) => `q=prompt:${prompt}`),
  ...SOURCES.map((source) => `q=source:${source}`),
  ...['llm', 'span', 'chain'].map((kind) => `q=kind:${kind}`),
  `q=${encodeURIComponent('tokens:>500')}`,
  // Costs are thousandths: no sum is so near to this that the order of adding decides.
  `q=${encodeURIComponent('cost:>0.5005')}`,
  'q=has:cost',
  'q=where',
]

describeEachEngine('spans in any order', (app) => {
  it('give the same traces, sums and filters as all at once, and every token is counted once', async () => {
    await fc.assert(
      fc.asyncProperty(someTraces, async ({ traces, batches }) => {
        // Both send the same ids: what one workspace has must not change the responses to the other.
        const [atOnce, inPieces] = [await app().newWorkspace(), await app().newWorkspace()]
        await sendBatch(atOnce.client, traces.flat())
        for (const batch of batches) await sendBatch(inPieces.client, batch)
        const whole = await seen(atOnce.client, traces)
        expect(await seen(inPieces.client, traces)).toEqual(whole)
        for (const [place, spans] of traces.entries()) expect(whole.traces[place]).toMatchObject(totalsOf(spans))
        expect(whole.stats).toMatchObject(statsOf(traces))
        for (const { workspaceId, client } of [atOnce, inPieces]) {
          expect(await readRollups(app().storage, workspaceId)).toEqual(await countRollups(app().storage, workspaceId))
          expect(await readSourceRollups(app().storage, workspaceId)).toEqual(
            await countSourceRollups(app().storage, workspaceId),
          )
          for (const [first] of traces) expect((await client.delete(`/traces/${first?.traceId}`)).status).toBe(204)
          expect((await client.get('/traces/stats')).body).toMatchObject({ totalTraces: 0, totalTokens: 0 })
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })
})

/** All that the API returns of these traces, without what the server generates. */
async function seen(client: Client, traces: RandomSpan[][]) {
  const answers: Record<string, unknown>[] = []
  const links: unknown[] = []
  for (const [first] of traces) {
    const { status, body } = await client.get(`/traces/${first?.traceId}`)
    expect(status).toBe(200)
    answers.push(withoutOurs(body))
    const { source, prompts } = (await client.get(`/traces/${first?.traceId}/links`)).body
    links.push({ source, prompts })
  }
  const found: Record<string, unknown> = {}
  for (const filter of ['limit=100', ...FILTERS]) {
    const { status, text, body } = await client.get(`/traces?${filter}`)
    expect(status, text).toBe(200)
    const data: Record<string, unknown>[] = Array.isArray(body.data) ? body.data : []
    expect(body.total).toBe(data.length)
    found[filter] = data.toSorted((a, b) => (String(a.traceId) < String(b.traceId) ? -1 : 1)).map(withoutOurs)
  }
  return { traces: answers, links, found, stats: (await client.get('/traces/stats')).body }
}

/** Spans of one instant are listed as they came, which is not the same in both. */
function withoutOurs({
  id: _,
  workspaceId: _workspace,
  createdAt: _createdAt,
  spans,
  ...trace
}: Record<string, unknown>) {
  return {
    ...trace,
    ...(Array.isArray(spans)
      ? {
          spans: spans
            .map(({ id: _own, traceDbId: _trace, createdAt: _stored, ...span }) => span)
            .sort((a, b) => (`${a.startTime} ${a.spanId}` < `${b.startTime} ${b.spanId}` ? -1 : 1)),
        }
      : {}),
  }
}

/**
 * The rule in plain words: a span counts unless one below it reports the same, tokens and costs each for themselves, or unless another
 * instrumentation reports the same call at the same time and says more, or as much and has the smaller id.
 */
function totalsOf(spans: RandomSpan[]) {
  const parents = new Map(spans.map(({ spanId, parentSpanId }) => [spanId, parentSpanId]))
  const isBelow = (span: RandomSpan, above: RandomSpan): boolean => {
    for (let id = span.parentSpanId; id !== undefined; id = parents.get(id)) if (id === above.spanId) return true
    return false
  }
  const total = (field: 'tokens' | 'costUsd'): number | null => {
    const reporting = spans.filter((span) => span[field] !== undefined)
    const isCovered = (span: RandomSpan) => reporting.some((other) => isBelow(other, span))
    const rank = (span: RandomSpan) => [isCovered(span) ? 0 : 1, ...rankOf(span)]
    const isRepeated = (span: RandomSpan) =>
      reporting.some(
        (other) => isSameCall(span, other) && isHigher(rank(other), rank(span), other.spanId < span.spanId),
      )
    const counted = reporting.filter((span) => !isCovered(span) && !isRepeated(span))
    return reporting.length === 0 ? null : counted.reduce((sum, span) => sum + (span[field] ?? 0), 0)
  }
  const costUsd = total('costUsd')
  return {
    totalTokens: total('tokens'),
    status: statusOf(spans),
    totalCostUsd: costUsd === null ? null : expect.closeTo(costUsd, 8),
    spans: expect.toSatisfy((listed: unknown[]) => listed.length === spans.length),
  }
}

function isSameCall(span: RandomSpan, other: RandomSpan): boolean {
  if (span.responseId === undefined || other.responseId !== span.responseId || other.scope === span.scope) return false
  const [{ start = 0, end = 0 }, { start: otherStart = 0, end: otherEnd = 0 }] = [span, other]
  return start === otherStart || (start < otherEnd && otherStart < end)
}

/** A reported cost is worth most, then tokens; of two costs the lower, of two counts the larger. */
function rankOf({ tokens, costUsd }: RandomSpan): number[] {
  const worth = (costUsd === undefined ? 0 : 2) + (tokens === undefined ? 0 : 1)
  return [worth, -(costUsd ?? 0), tokens ?? 0]
}

function isHigher(rank: number[], other: number[], isSmallerId: boolean): boolean {
  const place = rank.findIndex((value, index) => value !== other[index])
  return place === -1 ? isSmallerId : Number(rank[place]) > Number(other[place])
}

/**
 * The root's word if it failed. Otherwise the last model decides: what failed before its answer was recovered. Without an answer of a model
 * and without the word of the root, any failure counts.
 */
function statusOf(spans: RandomSpan[]): 'ok' | 'error' {
  const root = spans.find(({ parentSpanId }) => parentSpanId === undefined)
  if (root?.status === 'error') return 'error'
  const isFailed = ({ status }: RandomSpan) => status === 'error'
  const calls = spans.filter(({ attributes = {} }) => 'gen_ai.operation.name' in attributes)
  const [failed, answered] = [calls.filter(isFailed), calls.filter((call) => !isFailed(call))]
  if (root?.status !== 'ok' && answered.length === 0) return spans.some(isFailed) ? 'error' : 'ok'
  const lastEnd = (of: RandomSpan[]) => Math.max(...of.map(({ end = 0 }) => end))
  return failed.length > 0 && !(lastEnd(answered) > lastEnd(failed)) ? 'error' : 'ok'
}

function statsOf(traces: RandomSpan[][]) {
  const totals = traces.map(totalsOf)
  const costs = traces.flatMap((spans) => spans.map(({ costUsd = 0 }) => costUsd))
  return {
    totalTraces: traces.length,
    totalTokens: totals.reduce((sum, { totalTokens }) => sum + (totalTokens ?? 0), 0),
    totalCostUsd: expect.toSatisfy((sum: number) => sum >= 0 && sum <= costs.reduce((a, b) => a + b, 0.000001)),
  }
}
