// @module-tag sql
import { expect, it } from 'vitest'
import { TRACE_SOURCES } from '../../src/traces/storing/mapped-span.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'
import { countPromptRollups, countSourceRollups, readPromptRollups, readSourceRollups } from './source-rollups.ts'

let made = 0x5000

function spanWith(attributes: Record<string, unknown>, of: Partial<SpanSketch> = {}): SpanSketch {
  made += 1
  const named = { 'touchstone.component': 'Support', ...attributes }
  return { traceId: traceIdOf(made), spanId: spanIdOf(made), attributes: named, ...of }
}

describeEachEngine('the source and the prompts of a trace', (app) => {
  async function seed() {
    const { client, workspaceId } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Support' })
    return { client, workspaceId, componentId }
  }

  async function sourcesOf(client: Client): Promise<Record<string, unknown>> {
    const { body } = await client.get('/traces?include=&limit=100')
    const rows = [body.data].flat().map((row) => Object(row))
    return Object.fromEntries(rows.map(({ traceId, source }) => [traceId, source]))
  }

  async function expectExactSums(workspaceId: string) {
    const { storage } = app()
    expect(await readSourceRollups(storage, workspaceId)).toEqual(await countSourceRollups(storage, workspaceId))
    expect(await readPromptRollups(storage, workspaceId)).toEqual(await countPromptRollups(storage, workspaceId))
  }

  it('is what touchstone.source states, else run for a trace that names a run, else production', async () => {
    const { client, workspaceId } = await seed()
    const stated = TRACE_SOURCES.map((source) => [spanWith({ 'touchstone.source': source }), source] as const)
    const others = [
      [spanWith({ 'touchstone.source': 'elsewhere' }), 'production'],
      [spanWith({}), 'production'],
      [spanWith({ 'touchstone.dataset': 'D', 'touchstone.run': 'R' }), 'run'],
      [spanWith({ 'touchstone.run': 'R', 'touchstone.source': 'trial' }), 'trial'],
      [spanWith({ 'touchstone.run': 'R', 'touchstone.source': 'production' }), 'production'],
    ] as const
    const all = [...stated, ...others]
    await sendSpans(
      client,
      all.map(([span]) => span),
    )
    expect(await sourcesOf(client)).toEqual(Object.fromEntries(all.map(([{ traceId }, source]) => [traceId, source])))
    await expectExactSums(workspaceId)
  })

  it('becomes run when a request links the trace, before or after it arrives, and stays so without the run', async () => {
    const { client, workspaceId, componentId } = await seed()
    const path = `/components/${componentId}`
    const prompt = { 'touchstone.prompt': 'answer@1', 'touchstone.cost_usd': 0.5 }
    const [early, late, stated, other] = [
      spanWith(prompt),
      spanWith(prompt),
      spanWith({ ...prompt, 'touchstone.source': 'production' }),
      spanWith(prompt),
    ]
    const datasetId = await client.create(`${path}/datasets`, { name: 'D' })
    const linked = [early, late, stated].map(({ traceId }) => traceId)
    await sendSpans(client, [early, other])
    const runId = await client.create(`${path}/runs`, { datasetId, traceIds: linked.slice(0, 1) })
    await client.post(`${path}/runs/${runId}/traces`, { traceIds: linked.slice(1) })
    await sendSpans(client, [late, stated])
    const expected = {
      [early.traceId]: 'run',
      [late.traceId]: 'run',
      [stated.traceId]: 'production',
      [other.traceId]: 'production',
    }
    expect(await sourcesOf(client)).toEqual(expected)
    await expectExactSums(workspaceId)
    await client.delete(`${path}/runs/${runId}`)
    // A late span does not turn it into production.
    await sendSpans(client, [spanWith({}, { traceId: early.traceId })])
    expect(await sourcesOf(client)).toEqual(expected)
    await expectExactSums(workspaceId)
  })

  it('counts prompts of production only, through late spans, deletes and a deleted component', async () => {
    const { client, workspaceId, componentId } = await seed()
    const used = (name: string, label: string, source: string) => ({
      'touchstone.prompt': name,
      'touchstone.prompt.label': label,
      'touchstone.prompt.source': source,
    })
    const first = spanWith({ ...used('answer@12', 'production', 'network'), 'touchstone.cost_usd': 0.25 })
    const trial = spanWith({ ...used('answer@12', 'production', 'network'), 'touchstone.source': 'trial' })
    await sendSpans(client, [first, trial])
    const { traceId } = first
    await sendSpans(client, [
      spanWith({ ...used('answer@12', 'production', 'fallback') }, { traceId }),
      spanWith({ ...used('answer@12', 'beta', 'memory'), 'touchstone.cost_usd': 1 }, { traceId }),
      spanWith({ ...used('answer', 'gone', 'fallback') }, { traceId }),
    ])
    const { body } = await client.get(`/traces/${traceId}/links`)
    expect(body.prompts).toEqual([
      { name: 'answer', label: 'gone', source: 'fallback', promptId: null, version: null },
      { name: 'answer@12', label: 'beta', source: 'memory', promptId: null, version: null },
      { name: 'answer@12', label: 'production', source: 'fallback', promptId: null, version: null },
    ])
    await expectExactSums(workspaceId)
    // Now it is not of production any more.
    await sendSpans(client, [spanWith({ 'touchstone.source': 'experiment' }, { traceId })])
    expect(await readPromptRollups(app().storage, workspaceId)).toEqual({})
    await expectExactSums(workspaceId)
    const kept = spanWith(used('answer@13', 'production', 'disk'))
    await sendSpans(client, [kept])
    await client.delete(`/traces/${traceId}`)
    await expectExactSums(workspaceId)
    await client.delete(`/components/${componentId}`)
    await until(async () => expect(await readPromptRollups(app().storage, workspaceId)).toEqual({}))
    await sendSpans(client, [{ ...spanWith({}, { traceId: kept.traceId }), attributes: {} }])
    await expectExactSums(workspaceId)
    expect(await readPromptRollups(app().storage, workspaceId)).toEqual({})
  })

  it('is found by the query language, counted by facets, and exported', async () => {
    const { client } = await seed()
    await sendSpans(client, [
      spanWith({ 'touchstone.prompt': 'answer@12' }),
      spanWith({ 'touchstone.prompt': 'answer@12', 'touchstone.source': 'playground' }),
      spanWith({ 'langfuse.observation.prompt.name': 'rewrite', 'langfuse.observation.prompt.version': 3 }),
      spanWith({ 'llm.prompt_template.version': 'v1.0' }),
    ])
    const totalOf = async (q: string) => (await client.get(`/traces?include=&q=${encodeURIComponent(q)}`)).body.total
    expect(await totalOf('prompt:answer@12')).toBe(2)
    expect(await totalOf('prompt:answer@12 source:production')).toBe(1)
    expect(await totalOf('prompt:answer*')).toBe(2)
    expect(await totalOf('prompt:@v1.0')).toBe(1)
    expect(await totalOf('source:playground')).toBe(1)
    expect(await totalOf('source:production')).toBe(3)
    const { body } = await client.get('/traces/facet-groups?fields=prompt,source')
    expect(body.data).toEqual([
      {
        field: 'prompt',
        values: [
          { value: 'answer@12', count: 2, isExact: true },
          { value: '@v1.0', count: 1, isExact: true },
          { value: 'rewrite@3', count: 1, isExact: true },
        ],
        isComplete: true,
      },
      {
        field: 'source',
        values: [
          { value: 'production', count: 3, isExact: true },
          { value: 'playground', count: 1, isExact: true },
        ],
        isComplete: true,
      },
    ])
    const { text } = await client.get('/traces/export?format=csv')
    expect(text).toContain('rewrite@3')
    expect((await client.get('/traces?q=source:elsewhere')).status).toBe(400)
  })
})
