// @module-tag sql
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const PERIOD = 'from=2026-11-10&to=2026-11-17'
const START_MS = Date.UTC(2026, 10, 12, 10)

let made = 0x7000

describeEachEngine('numbers of production', (app) => {
  async function send(client: Client, count: number, of: { isError?: boolean; source?: string; costUsd: number }) {
    const spans = Array.from({ length: count }, () => {
      made += 1
      const attributes = {
        'touchstone.component': 'Support',
        'touchstone.cost_usd': of.costUsd,
        ...(of.source && { 'touchstone.source': of.source }),
      }
      const span = {
        traceId: traceIdOf(made),
        spanId: spanIdOf(made),
        start: START_MS,
        end: START_MS + 100,
        attributes,
      }
      return { ...span, status: of.isError ? ('error' as const) : ('ok' as const) }
    })
    await sendSpans(client, spans)
  }

  async function numbersOf(client: Client, componentId: string) {
    const summaries = (await client.get(`/component-summaries?${PERIOD}`)).body
    const overview = (await client.get(`/components/${componentId}/overview?${PERIOD}`)).body
    const trends = (await client.get(`/components/${componentId}/trends?${PERIOD}`)).body
    const [summary] = [summaries.data].flat().map((row) => Object(row))
    const buckets: Record<string, unknown>[] = Object(trends.traces).buckets
    return {
      summary: summary.traces,
      working: Object(overview.working).current,
      failing: Object(overview.needs).failingTraces,
      trends: Object(trends.traces),
      bucket: buckets.find(({ count }) => count !== 0),
    }
  }

  it('exclude traces of runs, trials, experiments and the playground', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Support' })
    await send(client, 3, { costUsd: 0.1 })
    await send(client, 1, { costUsd: 0.1, isError: true })
    for (const source of ['run', 'trial', 'experiment', 'playground'])
      await send(client, 2, { costUsd: 5, isError: true, source })
    const { summary, working, failing, trends, bucket } = await numbersOf(client, componentId)
    const expected = { counted: 'production', others: 8, count: 4, errors: 1, errorRate: { rate: 0.25, n: 4 } }
    expect(summary).toMatchObject({ ...expected, cost: { usd: 0.4, known: 'all', unknown: 0 }, p95: { n: 4 } })
    expect(working).toMatchObject({ ...expected, costPerTrace: { n: 4 } })
    expect(working.costPerTrace.mean).toBeCloseTo(0.1, 9)
    expect(failing).toBe(1)
    expect(trends).toMatchObject({ counted: 'production', others: 8 })
    expect(bucket).toMatchObject({ count: 4, errors: 1, p50: { n: 4 }, costPerTrace: { n: 4 } })
  })

  it('are those of all traces while a component has never had one of production', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Support' })
    await send(client, 5, { costUsd: 0.1, source: 'run' })
    const before = await numbersOf(client, componentId)
    const all = { counted: 'all', others: 0, count: 5 }
    expect(before.summary).toMatchObject({ ...all, cost: { usd: 0.5 }, p95: { n: 5 } })
    expect(before.working).toMatchObject(all)
    expect(before.bucket).toMatchObject({ count: 5, p50: { n: 5 } })
    await send(client, 1, { costUsd: 0.1 })
    const after = await numbersOf(client, componentId)
    expect(after.summary).toMatchObject({ counted: 'production', others: 5, count: 1, cost: { usd: 0.1 } })
  })

  it('do not change what a list of traces and its chart count', async () => {
    const { client } = await app().newWorkspace()
    await client.create('/components', { name: 'Support' })
    await send(client, 2, { costUsd: 0.1 })
    await send(client, 3, { costUsd: 0.1, source: 'run' })
    const seriesOf = async (query: string) => {
      const { body } = await client.get(`/traces/series?${PERIOD}&bucket=1d&${query}`)
      const series = [body.series].flat().map((one) => Object(one))
      return series.map(({ value, buckets }) => [
        value,
        buckets.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
      ])
    }
    expect(await seriesOf('')).toEqual([[null, 5]])
    expect(await seriesOf('q=source:production')).toEqual([[null, 2]])
    expect(await seriesOf('group_by=source')).toEqual([
      ['run', 3],
      ['production', 2],
    ])
    expect((await client.get('/traces')).body.total).toBe(5)
  })
})
