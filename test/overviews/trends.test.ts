// @module-tag sql
import { beforeAll, describe, expect, it } from 'vitest'
import { wilsonInterval } from '../../src/statistics/rate-intervals.ts'
import { passesOf, type Seeded, seedComparison } from '../comparisons/seed-comparison.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'

type Json = Record<string, unknown>
type Trends = { evaluations: Json[]; versions: Json[]; traces: { isSampled: boolean; buckets: Json[] }; from: string }

describeEachEngine('GET …/components/{componentId}/trends', (app) => {
  let seeded: Seeded
  const read = async (query: string): Promise<Trends> => {
    const { status, text } = await seeded.client.get(`${seeded.component}/trends?${query}`)
    expect(status, text).toBe(200)
    return JSON.parse(text)
  }

  beforeAll(async () => {
    const passes = passesOf(40, (item) => ({ durationMs: 100 + item, isError: item % 8 === 0, costUsd: 0.02 }))
    seeded = await seedComparison(app(), { items: 40, baseline: passes, candidate: passes })
    const { client, component, datasetId, baseline, candidate } = seeded
    for (const [runId, name, maxMs] of [
      [baseline.runId, 'First', 1_000],
      [candidate.runId, 'Second', 1_000],
      [candidate.runId, 'Third', 120],
    ] as const) {
      const config = { evaluators: [{ type: 'latency', maxMs }] }
      if (name === 'Third') await client.post(`${component}/datasets/${datasetId}/items`, [{ input: 'one more' }])
      const id = await client.create(`${component}/evaluations`, { datasetId, runId, name, config })
      await until(async () =>
        expect((await client.get(`${component}/evaluations/${id}`)).body.status).toBe('completed'),
      )
    }
    const say = (runId: string, metadata: Json) =>
      client.send('PATCH', `${component}/runs/${runId}/metadata`, { body: { metadata } })
    await say(baseline.runId, { prompt: 'v6', seed: 1 })
    await say(candidate.runId, { prompt: 'v7', seed: 2 })
  })

  it('has the numbers of the evaluations of the period, oldest first, as the evaluations have them', async () => {
    const { client, component } = seeded
    const { evaluations } = await read('from=-1d')
    const named = evaluations.filter(({ name }) => name !== null)
    expect(named.map(({ name }) => name)).toEqual(['First', 'Second', 'Third'])
    for (const { id, metrics } of named) {
      const stored = Object((await client.get(`${component}/evaluations/${id}`)).body.results).metrics
      const numbers = (list: Json[]) => list.map(({ name, mean, ci, n }) => ({ name, mean, ci, n }))
      expect(numbers(metrics as Json[])).toEqual(numbers(stored))
    }
  })

  it('distinguishes settings of evaluators, and counts the items of the time', async () => {
    const [first, second, third] = (await read('from=-1d')).evaluations.filter(({ name }) => name !== null)
    const keyOf = (evaluation: Json | undefined) => Object(Object(evaluation).metrics)[0].settingsKey
    expect(keyOf(second)).toBe(keyOf(first))
    expect(keyOf(third)).not.toBe(keyOf(first))
    expect([first?.items, second?.items, third?.items]).toEqual([40, 40, 41])
  })

  it('has errors, durations and costs of the traces with intervals and n', async () => {
    const { traces } = await read('from=2026-11-14&to=2026-11-15')
    const [bucket, ...others] = traces.buckets.filter(({ count }) => Number(count) > 0)
    expect([traces.isSampled, others]).toEqual([false, []])
    expect(bucket).toMatchObject({ start: '2026-11-14T09:00:00.000Z', count: 80, errors: 10 })
    const ci = wilsonInterval({ successes: 10, n: 80 })
    expect(bucket?.errorRate).toEqual({ rate: 0.125, ci, n: 80 })
    expect(bucket?.p50).toMatchObject({ ms: 119, n: 80, ci: [expect.any(Number), expect.any(Number)] })
    expect(bucket?.p95).toMatchObject({ ms: 137, n: 80 })
    expect(bucket?.cost).toEqual({ usd: 1.6, known: 'all', unknown: 0 })
    expect(bucket?.costPerTrace).toMatchObject({ mean: expect.closeTo(0.02, 10), n: 80 })
    const empty = traces.buckets.find(({ count }) => count === 0)
    expect(empty).toMatchObject({ errorRate: { rate: null, ci: null, n: 0 }, p95: { ms: null, ci: null, n: 0 } })
  })

  it('has the runs whose version fields differ from those before, and the first trace of each service version', async () => {
    const { client, candidate } = seeded
    const send = async (number: number, version: string, hour: string) => {
      const start = Date.parse(`2026-11-12T${hour}:00:00.000Z`)
      const attributes = { 'touchstone.component': 'Answers' }
      const span = { traceId: traceIdOf(5_000 + number), spanId: spanIdOf(1), start, attributes }
      const { status } = await client.post('/v1/traces', otlpRequest([span], { 'service.version': version }))
      expect(status).toBe(200)
    }
    await send(1, '1.0', '08')
    await send(2, '2.0', '10')
    await send(3, '1.0', '11')
    const { versions } = await read('from=2026-11-12&to=2026-11-13')
    expect(versions).toEqual([
      {
        kind: 'service',
        at: '2026-11-12T10:00:00.000Z',
        field: 'service.version',
        value: '2.0',
        previous: '1.0',
        run: null,
      },
    ])
    const ofRuns = (await read('from=-1d')).versions.filter(({ kind }) => kind === 'run')
    expect(ofRuns).toMatchObject([{ field: 'prompt', value: 'v7', previous: 'v6', run: { id: candidate.runId } }])
  })

  it('has the evaluations of one dataset, if requested', async () => {
    const other = await seeded.client.create(`${seeded.component}/datasets`, { name: 'Other' })
    expect((await read(`from=-1d&dataset_id=${other}`)).evaluations).toEqual([])
    expect((await read(`from=-1d&dataset_id=${seeded.datasetId}`)).evaluations).not.toEqual([])
  })

  describe('is rejected with 400 for', () => {
    it.each([
      ['dataset_id=x', 'The query parameter dataset_id must be a UUID'],
      ['from=now', 'The query parameter from must be'],
    ])('%s', async (query, message) => {
      const { status, body } = await seeded.client.get(`${seeded.component}/trends?${query}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
    })
  })
})
