import { expect, it } from 'vitest'
import { type CaseTraceRead, readTraces } from '../../src/evaluations/runner/read-case-traces.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import type { SeededWorkspace } from '../harness/test-app.ts'

const START_MS = Date.UTC(2026, 10, 15, 9, 30)

/** Spans of one trace below a root, a millisecond apart unless they say when they began. */
function traceOf(number: number, spans: Partial<SpanSketch>[]): SpanSketch[] {
  const traceId = traceIdOf(number)
  const spanId = (place: number) => spanIdOf(number * 10_000 + place)
  const root = { traceId, spanId: spanId(0), start: START_MS, end: START_MS + 2_000, name: 'answer' }
  const below = spans.map((span, place) => ({
    traceId,
    spanId: spanId(place + 1),
    parentSpanId: spanId(0),
    start: START_MS + place + 1,
    ...span,
  }))
  return [{ ...root, attributes: { 'input.value': 'Where?', 'output.value': 'There.' } }, ...below]
}

function tool(name: string, input: unknown, sketch: Partial<SpanSketch> = {}): Partial<SpanSketch> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': name,
    'gen_ai.tool.call.arguments': typeof input === 'string' ? input : JSON.stringify(input),
  }
  return { ...sketch, attributes }
}

function chat(attributes: Record<string, unknown> = {}, sketch: Partial<SpanSketch> = {}): Partial<SpanSketch> {
  return { name: 'chat', ...sketch, attributes: { 'gen_ai.operation.name': 'chat', ...attributes } }
}

function toolCalls(...calls: { id: string; name: string; arguments: unknown }[]) {
  const parts = calls.map((call) => ({ type: 'tool_call', ...call }))
  return { 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts, finish_reason: 'tool_call' }]) }
}

/** All portions in one; the same whether or not the analysis is shown them as well. */
async function readCaseTraces(...[q, workspaceId, refs, wanted]: Parameters<typeof readTraces>) {
  const [alone, analysed] = [new Map<string, CaseTraceRead>(), new Map<string, CaseTraceRead>()]
  for (const [all, facts] of [[alone, false] as const, [analysed, true] as const]) {
    for await (const portion of readTraces(q, workspaceId, refs, { ...wanted, facts })) {
      for (const read of portion) for (const ref of read.refs) all.set(ref, read.trace)
    }
  }
  expect(analysed).toEqual(alone)
  return alone
}

const WITH_STEPS = { steps: true, facts: false }
const SUMMARY = { steps: false, facts: false }

async function componentOf({ client }: SeededWorkspace): Promise<string> {
  return client.create('/components', { name: 'Answers' })
}

describeEachEngine('traces as evaluators see them', (app) => {
  const read = () => app().storage.read

  it('are found by their id and by the sender’s id, in upper or lower case, and returned under the given reference', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const used = { 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 5, 'gen_ai.usage.cost': 0.25 }
    await sendSpans(client, traceOf(1, [chat(used)]))
    const [listed] = await client.list('/traces')
    const id = String(listed?.id)
    const refs = [id, id.toUpperCase(), traceIdOf(1), traceIdOf(1).toUpperCase(), 'not yet', traceIdOf(2)]
    const found = await readCaseTraces(read(), workspaceId, refs, SUMMARY)
    expect([...found.keys()].sort()).toEqual(refs.slice(0, 4).sort())
    for (const trace of found.values()) {
      expect(trace).toEqual({
        id,
        traceId: traceIdOf(1),
        status: 'ok',
        durationMs: 2_000,
        totalTokens: 12,
        costUsd: 0.25,
        input: 'Where?',
        output: 'There.',
        conversation: null,
        steps: [],
      })
    }
  })

  it('are not there for another workspace, nor once they are deleted', async () => {
    const mine = await app().newWorkspace()
    const other = await app().newWorkspace()
    await sendSpans(mine.client, [...traceOf(1, [tool('search', {})]), ...traceOf(2, [])])
    const ids = (await mine.client.list('/traces')).map(({ id }) => String(id))
    const refs = [traceIdOf(1), traceIdOf(2), ...ids]
    expect((await readCaseTraces(read(), other.workspaceId, refs, WITH_STEPS)).size).toBe(0)
    expect((await mine.client.delete(`/traces/${traceIdOf(1)}`)).status).toBe(204)
    const left = await readCaseTraces(read(), mine.workspaceId, refs, WITH_STEPS)
    expect(new Set([...left.values()].map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(2)]))
    expect((await readCaseTraces(read(), mine.workspaceId, [], WITH_STEPS)).size).toBe(0)
  })

  it('have their steps in the order of their start, with unchanged arguments, and without meaningless ones', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const retriever = { 'openinference.span.kind': 'RETRIEVER', 'input.value': 'flights to Rome' }
    await sendSpans(
      client,
      traceOf(3, [
        tool('book', { flight: 7 }, { start: START_MS + 30, status: 'error' }),
        tool('search', 'plain words', { start: START_MS + 20 }),
        chat(toolCalls({ id: '1', name: 'search', arguments: {} }), { start: START_MS + 10 }),
        { name: 'http', start: START_MS + 15 },
        { name: 'docs', start: START_MS + 40, attributes: retriever },
        { name: 'plan', start: START_MS + 5, attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
      ]),
    )
    const found = await readCaseTraces(read(), workspaceId, [traceIdOf(3)], WITH_STEPS)
    expect(found.get(traceIdOf(3))?.steps).toEqual([
      { kind: 'agent', name: 'plan', arguments: null, isError: false },
      { kind: 'llm', name: 'chat', arguments: null, isError: false },
      { kind: 'tool', name: 'search', arguments: 'plain words', isError: false },
      { kind: 'tool', name: 'book', arguments: '{"flight":7}', isError: true },
      { kind: 'retriever', name: 'docs', arguments: 'flights to Rome', isError: false },
    ])
  })

  it('have the tool calls of models as steps if no span reports tools, each call once', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const search = { id: '1', name: 'search', arguments: { to: 'Rome' } }
    const book = { id: '2', name: 'book', arguments: { flight: 7 } }
    await sendSpans(client, traceOf(4, [chat(toolCalls(search, book)), chat(toolCalls(search)), chat()]))
    const found = await readCaseTraces(read(), workspaceId, [traceIdOf(4)], WITH_STEPS)
    const model = { kind: 'llm', name: 'chat', arguments: null, isError: false }
    expect(found.get(traceIdOf(4))?.steps).toEqual([
      model,
      { kind: 'tool', name: 'search', arguments: '{"to":"Rome"}', isError: false },
      { kind: 'tool', name: 'book', arguments: '{"flight":7}', isError: false },
      model,
      model,
    ])
  })

  it('have a call once that two nested instrumentations report', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const inside = (place: number) => ({ parentSpanId: spanIdOf(50_000 + place) })
    await sendSpans(
      client,
      traceOf(5, [
        chat({}, { name: 'ChatModel' }),
        chat({}, { name: 'chat gpt', ...inside(1) }),
        tool('search', { to: 'Rome' }),
        tool('search', { params: { to: 'Rome' } }, inside(3)),
        tool('cache', {}, inside(3)),
      ]),
    )
    const found = await readCaseTraces(read(), workspaceId, [traceIdOf(5)], WITH_STEPS)
    const steps = found.get(traceIdOf(5))?.steps ?? []
    expect(steps.map(({ name }) => name)).toEqual(['chat gpt', 'search', 'cache'])
    expect(steps[1]?.arguments).toBe('{"to":"Rome"}')
  })

  it('are read of traces sent as JSON, whose answer is that of their last model call', async () => {
    const workspace = await app().newWorkspace()
    const componentId = await componentOf(workspace)
    const { body } = await workspace.client.post(`/components/${componentId}/traces`, {
      name: 'answer',
      spans: [
        {
          kind: 'llm',
          name: 'ask',
          input: [{ role: 'user', content: 'Where?' }],
          output: [{ role: 'assistant', content: 'Here.' }],
        },
        { kind: 'tool', name: 'look', input: { at: [1, 2] } },
      ],
    })
    const id = String(body.id)
    const found = await readCaseTraces(read(), workspace.workspaceId, [id], WITH_STEPS)
    expect(found.get(id)).toMatchObject({
      input: 'Where?',
      output: 'Here.',
      steps: [{ name: 'ask' }, { name: 'look', arguments: '{"at":[1,2]}' }],
    })
  })

  it('may have thousands of spans: all of them are steps, in order, and their times may be equal', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const spans = Array.from({ length: 4_500 }, (_, place) =>
      tool(`tool ${place}`, { place }, { start: START_MS + Math.floor(place / 2) }),
    )
    const sent = traceOf(6, spans)
    for (let from = 0; from < sent.length; from += 1_500) await sendSpans(client, sent.slice(from, from + 1_500))
    await sendSpans(client, traceOf(7, [tool('last', {})]))
    const found = await readCaseTraces(read(), workspaceId, [traceIdOf(6), traceIdOf(7)], WITH_STEPS)
    expect(found.get(traceIdOf(6))?.steps).toEqual(
      spans.map((_, place) => ({
        kind: 'tool',
        name: `tool ${place}`,
        arguments: `{"place":${place}}`,
        isError: false,
      })),
    )
    expect(found.get(traceIdOf(7))?.steps).toHaveLength(1)
  })

  it('are read in small batches, for traces of any size', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const numbers = Array.from({ length: 12 }, (_, place) => 10 + place)
    for (const number of numbers)
      await sendSpans(client, traceOf(number, [tool('save', { text: 'x'.repeat(200_000) })]))
    const sizes: number[] = []
    const refs = numbers.map(traceIdOf)
    for await (const portion of readTraces(read(), workspaceId, refs, WITH_STEPS)) sizes.push(portion.length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(12)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2)
    const summaries: number[] = []
    for await (const { length } of readTraces(read(), workspaceId, refs, SUMMARY)) summaries.push(length)
    expect(summaries).toEqual([12])
  })
})
