// @module-tag sql
/** The snapshot of a trace in a dataset item, for any order of the two, and any batches of the trace. */
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf } from '../harness/otlp-json.ts'
import { newTraceId } from './stored-trace.ts'

describeEachEngine('the snapshot that an item has of its trace', (app) => {
  async function newDataset() {
    const { client, workspaceId } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Bot' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'Golden' })
    return { client, workspaceId, datasetId, at: `${component}/datasets/${datasetId}/items` }
  }

  const LINKS = { 'touchstone.component': 'Bot', 'touchstone.dataset': 'Golden' }

  function said(input: string | undefined, output: string | undefined): Record<string, unknown> {
    return {
      ...(input === undefined ? {} : { 'input.value': input }),
      ...(output === undefined ? {} : { 'output.value': output }),
    }
  }

  function call(place: number, input: string, output: string): Omit<SpanSketch, 'traceId'> {
    const attributes = { 'openinference.span.kind': 'LLM', ...said(input, output) }
    return { spanId: spanIdOf(place), parentSpanId: spanIdOf(1), start: place * 1_000, attributes }
  }

  function root(input?: string, output?: string): Omit<SpanSketch, 'traceId'> {
    return { spanId: spanIdOf(1), start: 1_000, end: 90_000, attributes: said(input, output) }
  }

  async function contentsOf(client: Client, at: string) {
    return (await client.list(at)).map(({ input, output }) => [input, output])
  }

  it('is the root’s, if the item was created by a call below it that arrived before', async () => {
    const { client, at } = await newDataset()
    const traceId = newTraceId()
    const first = call(2, 'prompt', 'completion')
    await sendSpans(client, [{ traceId, ...first, attributes: { ...first.attributes, ...LINKS } }])
    expect(await contentsOf(client, at)).toEqual([['prompt', 'completion']])
    await sendSpans(client, [{ traceId, ...root('question', 'answer') }])
    expect(await contentsOf(client, at)).toEqual([['question', 'answer']])
  })

  it('is the root’s, if a person created the item from a partial trace', async () => {
    const { client, at } = await newDataset()
    const traceId = newTraceId()
    await sendSpans(client, [{ traceId, ...call(2, 'prompt', 'completion') }])
    await client.post(at, { traceId })
    await sendSpans(client, [{ traceId, ...root('question', 'answer') }])
    expect(await contentsOf(client, at)).toEqual([['question', 'answer']])
    await sendSpans(client, [{ traceId, ...call(3, 'more', 'even more') }])
    expect(await contentsOf(client, at)).toEqual([['question', 'answer']])
  })

  it('is what the trace itself shows, for any order of its spans', async () => {
    const spans = [root(), call(2, 'a', 'b'), call(3, 'c', 'd')]
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      const { client, at } = await newDataset()
      const traceId = newTraceId()
      await client.post(at, { traceId })
      for (const place of order) {
        const span = spans[place]
        if (span) await sendSpans(client, [{ traceId, ...span }])
      }
      expect(await contentsOf(client, at), order.join()).toEqual([['a', 'd']])
      const { input, output } = (await client.get(`/traces/${traceId}`)).body
      expect([input, output]).toEqual(['a', 'd'])
    }
  })

  it('does not replace the text of a person, nor restore what a person removed', async () => {
    const { client, at } = await newDataset()
    const traceId = newTraceId()
    const [written, emptied] = [newTraceId(), newTraceId()]
    await client.post(at, { traceId: written, input: 'own' })
    await client.post(at, { traceId: emptied })
    const [item] = await client.list(at)
    await client.patch(`${at}/${item?.id}`, { output: null })
    for (const each of [written, emptied, traceId]) await sendSpans(client, [{ traceId: each, ...root('q', 'a') }])
    expect(await contentsOf(client, at)).toEqual([
      ['q', null],
      ['own', 'a'],
    ])
    await client.patch(`${at}/${item?.id}`, { input: null })
    await sendSpans(client, [{ traceId: emptied, ...call(2, 'late', 'late') }])
    expect(await contentsOf(client, at)).toEqual([
      [null, null],
      ['own', 'a'],
    ])
  })

  it('is not lost when the trace is deleted and a straggler begins a new one', async () => {
    const { client, at } = await newDataset()
    const traceId = newTraceId()
    await client.post(at, { traceId })
    await sendSpans(client, [
      { traceId, ...root() },
      { traceId, ...call(2, 'a', 'b') },
    ])
    expect((await client.delete(`/traces/${traceId}`)).status).toBe(204)
    await sendSpans(client, [{ traceId, spanId: spanIdOf(9), parentSpanId: spanIdOf(1) }])
    expect(await contentsOf(client, at)).toEqual([['a', 'b']])
  })

  it('is filled in if an older server without traces created the item', async () => {
    const { client, workspaceId, datasetId, at } = await newDataset()
    const traceId = newTraceId()
    const item = { workspace_id: workspaceId, dataset_id: datasetId, id: datasetId, trace_ref: traceId }
    await app().storage.transaction((tx) =>
      tx
        .insertInto('dataset_items')
        .values({ ...item, created_at: new Date().toISOString() })
        .execute(),
    )
    await sendSpans(client, [{ traceId, ...root('q', 'a') }])
    expect(await contentsOf(client, at)).toEqual([['q', 'a']])
  })

  it('never overwrites a concurrent change of a person', async () => {
    const { client, at } = await newDataset()
    for (let round = 0; round < 25; round += 1) {
      const traceId = newTraceId()
      const { body } = await client.post(at, { traceId })
      const id = Array.isArray(body.data) ? body.data[0].id : ''
      const [, { status, text }] = await Promise.all([
        sendSpans(client, [{ traceId, ...root(`q${round}`, 'the trace’s') }]),
        client.patch(`${at}/${id}`, { output: 'the person’s' }),
      ])
      expect(status, text).toBe(200)
      const [item] = await client.list(`${at}?limit=1`)
      expect(item).toMatchObject({ input: `q${round}`, output: 'the person’s' })
    }
  })
})
