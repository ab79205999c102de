/** Random trees of spans, and the ways in which an exporter may cut them into batches. */
import fc from 'fast-check'
import type { Client } from '../harness/client.ts'
import { otlpRequest, type SpanSketch, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

export type RandomSpan = SpanSketch & {
  spanId: string
  service: string
  environment: string | undefined
  scope: string
  responseId: string | undefined
  /** What it reports itself, undefined if nothing. */
  tokens: number | undefined
  costUsd: number | undefined
}

/** Few, so that filters find some traces and not others. */
export const SPAN_NAMES = ['plan', 'call', 'look up']
export const MODELS = ['model-a', 'model-b']
export const TAGS = ['red', 'Red', 'a b']
export const SESSIONS = ['s-1', 's-2', 's-3']
const TRACE_NAMES = ['first name', 'second name']

export const PROMPTS = ['answer@12', 'answer', 'rewrite@3']
export const SOURCES = ['production', 'trial', 'run', 'playground']

const SPANS_MAX = 12

const drawn = fc.record({
  name: fc.constantFrom(...SPAN_NAMES),
  /** Of all that are placed before it; beyond them lies a parent that is never sent. */
  parent: fc.nat(SPANS_MAX),
  startMs: fc.nat(20),
  lengthMs: fc.nat(50),
  status: fc.constantFrom('unset', 'unset', 'ok', 'error'),
  tokens: fc.option(fc.nat(1_000), { nil: undefined }),
  costUsd: fc.option(
    fc.nat(999).map((thousandths) => thousandths / 1_000),
    { nil: undefined },
  ),
  model: fc.option(fc.constantFrom(...MODELS), { nil: undefined }),
  input: fc.option(fc.constantFrom('where to', 'Where from'), { nil: undefined }),
  output: fc.option(fc.constantFrom('here', 'there'), { nil: undefined }),
  tags: fc.subarray(TAGS),
  session: fc.option(fc.constantFrom(...SESSIONS), { nil: undefined }),
  userId: fc.option(fc.constantFrom('u', 'v'), { nil: undefined }),
  traceName: fc.option(fc.constantFrom(...TRACE_NAMES), { nil: undefined, freq: 1 }),
  service: fc.constantFrom('web', 'worker'),
  environment: fc.constantFrom('production', 'staging'),
  scope: fc.constantFrom('instrumentation', 'client'),
  responseId: fc.option(fc.constantFrom('r-1', 'r-2'), { nil: undefined }),
  prompt: fc.option(fc.constantFrom(...PROMPTS), { nil: undefined, freq: 2 }),
  label: fc.option(fc.constantFrom('production', 'staging'), { nil: undefined }),
  promptSource: fc.option(fc.constantFrom('network', 'memory', 'fallback', 'elsewhere'), { nil: undefined }),
  source: fc.option(fc.constantFrom(...SOURCES, 'elsewhere'), { nil: undefined, freq: 1 }),
  run: fc.option(fc.constantFrom('night'), { nil: undefined, freq: 1 }),
})

type Drawn = typeof drawn extends fc.Arbitrary<infer Span> ? Span : never

/** A trace. Mostly a tree below one root; sometimes the root or another parent is never sent. Spans report arbitrary parts of it. */
export function spanTree(traceNumber: number, startMs: number): fc.Arbitrary<RandomSpan[]> {
  const spans = fc.array(drawn, { minLength: 1, maxLength: SPANS_MAX })
  return fc
    .tuple(spans, fc.nat(9))
    .map(([all, rootless]) => all.map((span, place) => spanOf(span, { place, traceNumber, startMs, rootless })))
}

type Placing = { place: number; traceNumber: number; startMs: number; rootless: number }

function spanOf(span: Drawn, { place, traceNumber, startMs, rootless }: Placing): RandomSpan {
  const isRoot = place === 0 && rootless !== 0
  // One in SPANS_MAX hangs from a parent that never comes.
  const parent = place === 0 || span.parent === SPANS_MAX ? SPANS_MAX + place : span.parent % place
  const start = startMs + span.startMs
  return {
    traceId: traceIdOf(traceNumber),
    spanId: spanIdOf(place),
    ...(isRoot ? {} : { parentSpanId: spanIdOf(parent) }),
    name: span.name,
    start,
    end: start + span.lengthMs,
    status: span.status,
    service: span.service,
    environment: span.environment,
    scope: span.scope,
    responseId: span.responseId,
    tokens: span.tokens,
    costUsd: span.costUsd,
    attributes: {
      ...(span.model === undefined ? {} : { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': span.model }),
      ...(span.tokens === undefined ? {} : { 'gen_ai.usage.input_tokens': span.tokens }),
      ...(span.costUsd === undefined ? {} : { 'touchstone.cost_usd': span.costUsd }),
      ...(span.input === undefined ? {} : { 'touchstone.input': span.input }),
      ...(span.output === undefined ? {} : { 'touchstone.output': span.output }),
      ...(span.tags.length === 0 ? {} : { 'touchstone.tags': span.tags }),
      ...(span.session === undefined ? {} : { 'session.id': span.session }),
      ...(span.userId === undefined ? {} : { 'user.id': span.userId }),
      ...(span.traceName === undefined ? {} : { 'langfuse.trace.name': span.traceName }),
      ...(span.responseId === undefined ? {} : { 'gen_ai.response.id': span.responseId }),
      ...(span.prompt === undefined ? {} : { 'touchstone.prompt': span.prompt }),
      ...(span.label === undefined ? {} : { 'touchstone.prompt.label': span.label }),
      ...(span.promptSource === undefined ? {} : { 'touchstone.prompt.source': span.promptSource }),
      ...(span.source === undefined ? {} : { 'touchstone.source': span.source }),
      ...(span.run === undefined ? {} : { 'touchstone.run': span.run }),
    },
  }
}

/** Every span at least once, in any order, some again, cut anywhere. */
export function batchesOf(spans: RandomSpan[]): fc.Arbitrary<RandomSpan[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray(spans, { minLength: spans.length }),
      fc.array(fc.tuple(fc.constantFrom(...spans), fc.nat()), { maxLength: 4 }),
      fc.array(fc.nat(spans.length + 4), { maxLength: 6 }),
    )
    .map(([order, repeated, cuts]) => {
      const all = order.slice()
      for (const [span, place] of repeated) all.splice(place % (all.length + 1), 0, span)
      const places = [...new Set([0, ...cuts.filter((cut) => cut < all.length), all.length])].sort((a, b) => a - b)
      return places.slice(1).map((end, place) => all.slice(places[place], end))
    })
}

/** In one request, for all resources and scopes. */
export function requestOfSpans(spans: RandomSpan[]) {
  const origins = Map.groupBy(spans, ({ service, environment, scope }) => `${service} ${environment} ${scope}`)
  return {
    resourceSpans: [...origins.values()].flatMap((own) => {
      const { service, environment, scope } = own[0] ?? { service: '', environment: '', scope: '' }
      const resource = { 'service.name': service, 'deployment.environment': environment ?? '' }
      return otlpRequest(own, resource, scope).resourceSpans
    }),
  }
}

export async function sendBatch(client: Client, spans: RandomSpan[]): Promise<void> {
  const { status, text } = await client.post('/v1/traces', requestOfSpans(spans))
  if (status !== 200 || text !== '{}') throw new Error(`traces: ${status} ${text}`)
}
