// @module-tag sized
// @module-tag sql
/** What lists show of spans is stored with the trace. A list must not differ from one that reads the spans. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendLogs, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { batchesOf, sendBatch, spanTree } from '../properties/random-spans.ts'

const START_MS = Date.now() - 3_600_000
const RUNS = runs(6)

type Row = Record<string, unknown>

async function rowsOf(client: Client): Promise<Row[]> {
  const { status, text, body } = await client.get('/traces?include=previews')
  expect(status, text).toBe(200)
  return Array.isArray(body.data) ? body.data : []
}

async function onlyRow(client: Client): Promise<Row | undefined> {
  return (await rowsOf(client))[0]
}

type StoredFields = { model_summary?: string | null; preview?: string | null; mapping_version?: number }

async function setStored(storage: Storage, workspaceId: string, fields: StoredFields & { listed_spans?: number }) {
  await storage.transaction((tx) =>
    tx.updateTable('traces').set(fields).where('workspace_id', '=', workspaceId).execute(),
  )
}

async function storedFields(storage: Storage, workspaceId: string) {
  return storage.read
    .selectFrom('traces')
    .select(['model_summary', 'preview', 'root_span_id'])
    .where('workspace_id', '=', workspaceId)
    .execute()
}

const STALE = { model_summary: '{"models":["stale"],"costBasis":null}', preview: '{"input":"stale","output":null}' }

function rootOf(number: number, attributes: Row = {}): SpanSketch {
  return { traceId: traceIdOf(number), spanId: spanIdOf(1), start: START_MS, attributes }
}

function callOf(number: number, place: number, attributes: Row): SpanSketch {
  return {
    traceId: traceIdOf(number),
    spanId: spanIdOf(place),
    parentSpanId: spanIdOf(1),
    start: START_MS + place,
    attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
  }
}

const CONTENTS = [
  'plain',
  '',
  ' \n\t ',
  '[]',
  '{"question":"in an object"}',
  '{"text":"with \\u0000 and \\ud83d"}',
  '<Object at 0x7f>',
  '[{"role":"system","content":"only instructions"}]',
  '[{"role":"system","content":"be brief"},{"role":"user","content":"in messages 😀"}]',
  '[{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"look_up","arguments":"{}"}}]}]',
  `${'long 😀 '.repeat(600)}`,
  `large ${'é'.repeat(33_000)}`,
]
const content = fc.option(fc.constantFrom(...CONTENTS), { nil: undefined })

const contentSpan = fc.record({
  input: content,
  output: content,
  operation: fc.constantFrom('chat', 'chat', 'embeddings', 'execute_tool', 'invoke_agent', undefined),
  model: fc.constantFrom('gpt-4o-mini', 'Model', 'émile', '😀', '\uffee', undefined),
  startMs: fc.nat(3),
  costUsd: fc.constantFrom(0.5, undefined, undefined),
  inputTokens: fc.constantFrom(10, undefined),
  event: fc.constantFrom('gen_ai.user.message', 'gen_ai.choice', undefined, undefined, undefined),
  isRoot: fc.boolean(),
})
type ContentSpan = typeof contentSpan extends fc.Arbitrary<infer Span> ? Span : never

function sketchOf(span: ContentSpan, place: number): SpanSketch {
  const { input, output, operation, model, costUsd, inputTokens } = span
  const attributes = {
    'touchstone.input': input,
    'touchstone.output': output,
    'gen_ai.operation.name': operation,
    'gen_ai.request.model': model,
    'touchstone.cost_usd': costUsd,
    'gen_ai.usage.input_tokens': inputTokens,
  }
  return {
    traceId: traceIdOf(1),
    spanId: spanIdOf(place),
    ...(span.isRoot ? {} : { parentSpanId: spanIdOf(99) }),
    start: START_MS + span.startMs,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
  }
}

describeEachEngine('models and previews that are stored with a trace', (app) => {
  it('are those of its spans, for any contents, and for events before and after them', async () => {
    const steps = fc.array(contentSpan, { minLength: 1, maxLength: 6 }).chain((spans) =>
      fc.shuffledSubarray(
        spans.flatMap((span, place) => [
          { kind: 'span' as const, span, place },
          ...(span.event === undefined ? [] : [{ kind: 'event' as const, span, place }]),
        ]),
        { minLength: 1 },
      ),
    )
    await fc.assert(
      fc.asyncProperty(steps, async (order) => {
        const { client, workspaceId } = await app().newWorkspace()
        for (const { kind, span, place } of order) {
          if (kind === 'span') await sendSpans(client, [sketchOf(span, place)])
          else {
            const body = { content: `from an event ${place}`, message: { content: `chosen ${place}` } }
            const time = START_MS + span.startMs
            await sendLogs(client, [
              { traceId: traceIdOf(1), spanId: spanIdOf(place), name: span.event ?? '', time, body },
            ])
          }
          const listed = await rowsOf(client)
          const stored = await storedFields(app().storage, workspaceId)
          await setStored(app().storage, workspaceId, { model_summary: null, preview: null })
          expect(listed).toEqual(await rowsOf(client))
          for (const { model_summary, preview } of stored) {
            await setStored(app().storage, workspaceId, { model_summary, preview })
          }
        }
      }),
      { numRuns: RUNS * 3, endOnFailure: true },
    )
  })

  it('are those of its spans, for any batches', async () => {
    const someSpans = fc
      .tuple(spanTree(1, START_MS), spanTree(2, START_MS - 10_000))
      .chain((traces) => batchesOf(traces.flat()))
    await fc.assert(
      fc.asyncProperty(someSpans, async (batches) => {
        const { client, workspaceId } = await app().newWorkspace()
        const { storage } = app()
        for (const batch of batches) await sendBatch(client, batch)
        for (const stored of await storedFields(storage, workspaceId)) {
          expect(stored.model_summary).not.toBeNull()
          expect(stored.preview === null).toBe(stored.root_span_id === null)
        }
        const listed = await rowsOf(client)
        await setStored(storage, workspaceId, { model_summary: null, preview: null })
        expect(listed).toEqual(await rowsOf(client))
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('follow a model call that arrives after the root, if the root has no content', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [rootOf(1)])
    expect(await onlyRow(client)).toMatchObject({ models: [], preview: { input: null, output: null } })
    const call = { 'gen_ai.request.model': 'm-1', 'touchstone.input': 'first', 'touchstone.output': 'one' }
    await sendSpans(client, [callOf(1, 2, call)])
    expect(await onlyRow(client)).toMatchObject({ models: ['m-1'], preview: { input: 'first', output: 'one' } })
    const last = { 'gen_ai.request.model': 'm-2', 'touchstone.input': 'second', 'touchstone.output': 'two' }
    await sendSpans(client, [callOf(1, 3, last)])
    expect(await onlyRow(client)).toMatchObject({ models: ['m-1', 'm-2'], preview: { input: 'first', output: 'two' } })
  })

  it('follow events that change the content of a span and nothing else of its trace', async () => {
    const { client } = await app().newWorkspace()
    const message = (name: string, content: string, at: number) => ({
      traceId: traceIdOf(2),
      spanId: spanIdOf(1),
      name,
      time: START_MS + at,
      attributes: { 'gen_ai.system': 'openai' },
      body: { content },
    })
    await sendSpans(client, [rootOf(2, { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o-mini' })])
    await sendLogs(client, [message('gen_ai.user.message', 'How warm is it?', 1)])
    expect((await onlyRow(client))?.preview).toMatchObject({ input: 'How warm is it?' })
    await sendLogs(client, [message('gen_ai.user.message', 'And how wet?', 2)])
    expect((await onlyRow(client))?.preview).toMatchObject({ input: 'And how wet?' })
  })

  it('follow prices that change the basis of a cost', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const usage = { 'gen_ai.request.model': 'our-model', 'gen_ai.usage.input_tokens': 0 }
    await sendSpans(client, [rootOf(3, { 'gen_ai.operation.name': 'chat', ...usage })])
    expect((await onlyRow(client))?.costBasis).toBeNull()
    await client.create('/prices', { modelPattern: 'our-model', inputPerMillion: 1, outputPerMillion: 1 })
    expect((await client.post('/traces/reprice', {})).status).toBe(202)
    await waitForJobs(app().storage, workspaceId)
    const { costBasis } = (await onlyRow(client)) ?? {}
    expect(costBasis).not.toBeNull()
    await setStored(app().storage, workspaceId, { model_summary: null })
    expect((await onlyRow(client))?.costBasis).toBe(costBasis)
  })

  it('are ignored if an older server has added a span since, and correct again with the next span', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    await sendSpans(client, [rootOf(4, { 'touchstone.input': 'q', 'touchstone.output': 'a' })])
    await setStored(app().storage, workspaceId, { ...STALE, listed_spans: 0 })
    const fresh = { models: [], preview: { input: 'q', output: 'a' } }
    expect(await onlyRow(client)).toMatchObject(fresh)
    await sendSpans(client, [callOf(4, 2, { 'gen_ai.request.model': 'm-1' })])
    expect(await onlyRow(client)).toMatchObject({ ...fresh, models: ['m-1'] })
  })

  it('include no preview of another version of the mapping', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    await sendSpans(client, [rootOf(5, { 'touchstone.input': 'q', 'touchstone.output': 'a' })])
    await setStored(app().storage, workspaceId, { preview: STALE.preview, mapping_version: 0 })
    expect((await onlyRow(client))?.preview).toEqual({ input: 'q', output: 'a' })
  })

  it('are read from the spans if a content is large or if the names of models are very long', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const models = Array.from({ length: 9 }, (_, place) => `${'m'.repeat(250)}-${place}`)
    const calls = models.map((model, place) => callOf(6, place + 2, { 'gen_ai.request.model': model }))
    const input = `question ${'é'.repeat(33_000)}`
    await sendSpans(client, [rootOf(6, { 'touchstone.input': input, 'touchstone.output': 'a' }), ...calls])
    expect(await storedFields(app().storage, workspaceId)).toMatchObject([{ model_summary: null, preview: null }])
    const row = await onlyRow(client)
    expect(row).toMatchObject({ models, hasAllModels: true, preview: { output: 'a' } })
    expect(Object(row?.preview).input).toHaveLength(200)
  })
})
