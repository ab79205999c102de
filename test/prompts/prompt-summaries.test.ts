// @module-tag sql
import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'
import { move, type SeededPrompt, saveTexts, seedPrompt } from './seed-prompt.ts'

let made = 0x9000

type Json = Record<string, unknown>

describeEachEngine('GET /components/{componentId}/prompt-summaries', (app) => {
  async function send({ client }: SeededPrompt, count: number, attributes: Json): Promise<string[]> {
    const spans = Array.from({ length: count }, () => {
      made += 1
      const named = { 'touchstone.component': 'Support', 'touchstone.cost_usd': 0.25, ...attributes }
      return { traceId: traceIdOf(made), spanId: spanIdOf(made), start: Date.now(), attributes: named }
    })
    await sendSpans(client, spans)
    return spans.map(({ traceId }) => traceId)
  }

  function used(name: string, source: string, label = 'production') {
    return { 'touchstone.prompt': name, 'touchstone.prompt.source': source, 'touchstone.prompt.label': label }
  }

  async function summariesOf({ client, componentId }: SeededPrompt, query = '') {
    const { status, text, body } = await client.get(`/components/${componentId}/prompt-summaries${query}`)
    expect(status, text).toBe(200)
    const data = [body.data].flat().map((row) => Object(row))
    const rest: Json = body
    return { rest, data, versions: [data[0]?.versions ?? []].flat().map((row) => Object(row)) }
  }

  it('200 has traces, cost, sources and times per version, of production only', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 4)
    await move(prompt, 'production', 1)
    await move(prompt, 'production', [
      [1, 90],
      [2, 10],
    ])
    await send(prompt, 3, used('answer@1', 'network'))
    await send(prompt, 2, used('answer@1', 'memory'))
    await send(prompt, 1, used('answer@2', 'disk'))
    await send(prompt, 1, used('answer', 'fallback'))
    await send(prompt, 1, used('answer@99', 'network'))
    await send(prompt, 5, { ...used('answer@2', 'network'), 'touchstone.source': 'trial' })
    const { data, versions, rest } = await summariesOf(prompt)
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      id: prompt.promptId,
      name: 'answer',
      labels: [{ name: 'production', splits: [{ version: 1 }, { version: 2 }] }],
      newest: { number: 4, user: { id: NEW_ID }, createdAt: TIMESTAMP },
      traces: 8,
      cost: { mean: 0.25, n: 8 },
      rate: { mean: null, ci: null, n: 0, summary: 'not rated' },
      sources: { network: 4, memory: 2, disk: 1, fallback: 1, unknown: 0 },
      withoutVersion: 1,
      unknownVersions: 1,
      missingLabels: [],
      hasMoreVersions: false,
    })
    expect(versions.map(({ number, traces }) => [number, traces])).toEqual([
      [4, 0],
      [2, 1],
      [1, 5],
    ])
    expect(versions[2]).toMatchObject({
      sources: { network: 3, memory: 2, disk: 0, fallback: 0, unknown: 0 },
      live: [
        { label: 'production', weight: 90, since: TIMESTAMP, until: null },
        { label: 'production', weight: 100, since: TIMESTAMP, until: TIMESTAMP },
      ],
    })
    expect(versions[2]?.series).toHaveLength(28)
    expect(versions[0]).toMatchObject({ live: [], rate: { summary: 'no traces' }, lastUsedAt: null })
    expect(rest).toMatchObject({ bucketSeconds: 21_600, metric: 'rating', metrics: ['rating'], nextCursor: null })
  })

  it('200 shows a rate with its interval from 30 rated traces on, and says how many there are before', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 1)
    const traces = await send(prompt, 30, used('answer@1', 'network'))
    const rate = async (from: number, to: number) => {
      for (const [place, id] of traces.slice(from, to).entries())
        await prompt.client.send('PUT', `/traces/${id}/annotation`, {
          body: { rating: place % 4 === 0 ? 'negative' : 'positive' },
        })
    }
    await rate(0, 3)
    const few = await summariesOf(prompt)
    expect(few.versions[0]?.rate).toEqual({ mean: null, ci: null, n: 3, summary: 'too few: 3 of 30 rated traces' })
    await rate(0, 30)
    const { versions, rest, data } = await summariesOf(prompt)
    expect(versions[0]?.rate).toMatchObject({ n: 30, summary: null })
    expect(Object(versions[0]?.rate).mean).toBeCloseTo(22 / 30, 9)
    expect(Object(versions[0]?.rate).ci).toHaveLength(2)
    expect(data[0]?.rate).toEqual(versions[0]?.rate)
    expect(rest.scale).toEqual([0, 1])
  })

  it('200 reads scores of a metric from the evaluations of items that are traces of production', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 1)
    const { client, componentId } = prompt
    const path = `/components/${componentId}`
    const attributes = {
      ...used('answer@1', 'network'),
      'touchstone.input': 'a question',
      'touchstone.output': 'words',
    }
    const traceIds = await send(prompt, 31, attributes)
    const datasetId = await client.create(`${path}/datasets`, { name: 'Sample', traceIds })
    const config = { evaluators: [{ type: 'length', name: 'short', maxCharacters: 3 }] }
    const evaluationId = await client.create(`${path}/evaluations`, { datasetId, config })
    await until(async () => {
      const { body } = await client.get(`${path}/evaluations/${evaluationId}`)
      expect(body.status).toBe('completed')
    })
    const { versions, rest } = await summariesOf(prompt, '?metric=short')
    expect(rest.metrics).toEqual(['rating', 'short'])
    expect(versions[0]?.rate).toMatchObject({ mean: 0, n: 31, summary: null })
    const other = await summariesOf(prompt, '?metric=other')
    expect(other.versions[0]?.rate).toMatchObject({ n: 0, summary: 'not scored on other' })
  })

  it('200 warns of labels that code asks for and that serve nothing, and of prompts that do not exist', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 1)
    await move(prompt, 'staging', 1)
    await send(prompt, 2, used('answer', 'fallback', 'production'))
    await send(prompt, 1, used('answer@1', 'network', 'staging'))
    await send(prompt, 4, used('translate', 'fallback'))
    await send(prompt, 1, used('translate@7', 'network'))
    const { data, rest } = await summariesOf(prompt)
    expect(data[0]?.missingLabels).toEqual([{ label: 'production', traces: 2, lastUsedAt: TIMESTAMP }])
    expect(data[0]?.sources).toMatchObject({ fallback: 2 })
    expect(rest.unknownPrompts).toEqual([{ name: 'translate', versions: 1, traces: 5, lastUsedAt: TIMESTAMP }])
  })

  it('200 pages by prompt; one prompt alone; 400 for wrong parameters; 404 for another component', async () => {
    const prompt = await seedPrompt(app())
    const { client, componentId } = prompt
    const second = await client.create(`/components/${componentId}/prompts`, { name: 'second' })
    const first = await summariesOf(prompt, '?limit=1')
    expect(first.data.map(({ id }) => id)).toEqual([second])
    const next = await summariesOf(prompt, `?limit=1&cursor=${first.rest.nextCursor}`)
    expect(next.data.map(({ id }) => id)).toEqual([prompt.promptId])
    expect(next.rest.nextCursor).toBeNull()
    expect((await summariesOf(prompt, `?prompt_id=${prompt.promptId}`)).data).toHaveLength(1)
    for (const query of ['days=0', 'days=91', 'days=x', 'metric=', 'prompt_id=x', 'limit=0'])
      expect((await client.get(`/components/${componentId}/prompt-summaries?${query}`)).status, query).toBe(400)
    expectError(await client.get(`/components/${crypto.randomUUID()}/prompt-summaries`), 404, /Component/)
  })
})
