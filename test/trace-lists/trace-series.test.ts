// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { copyTrace } from './copied-trace.ts'

type Bucket = {
  start: string
  count: number
  errors: number
  p50Ms: number | null
  p95Ms: number | null
  tokens: number
  costUsd: number
}
type Series = { kind: string; value: string | null; label: string | null; buckets: Bucket[] }

const DAY = Date.UTC(2026, 10, 10)
const HOUR_MS = 3_600_000

async function readSeries(client: Client, parameters: Record<string, string>) {
  const { status, text, body } = await client.get(`/traces/series?${new URLSearchParams(parameters)}`)
  expect(status, text).toBe(200)
  const series: Series[] = JSON.parse(text).series
  const { from, to, completeFrom, bucketSeconds, durationsAreSampled } = body
  return { from, to, completeFrom, bucketSeconds, durationsAreSampled, series }
}

function nonEmpty(series: Series | undefined): Bucket[] {
  return (series?.buckets ?? []).filter(({ count }) => count > 0)
}

describeEachEngine('GET /traces/series', (app) => {
  let client: Client
  type Sent = {
    atMs: number
    durationMs: number
    tokens: number
    isFailed: boolean
    model: string
    service: string
    component: string
  }
  const sent: Sent[] = []
  const components = new Map<string, string>()

  beforeAll(async () => {
    ;({ client } = await app().newWorkspace())
    for (const name of ['one', 'two', 'three']) components.set(name, await client.create('/components', { name }))
    for (let number = 0; number < 40; number += 1) {
      const trace = {
        atMs: DAY + number * 47 * 60_000,
        durationMs: (number * 13) % 100,
        tokens: number % 7,
        isFailed: number % 5 === 0,
        model: `model ${Math.floor(Math.sqrt(number))}`,
        service: number % 3 === 0 ? 'web' : 'voice',
        component: [...components.keys()][number % 4] ?? '',
      }
      sent.push(trace)
      await sendSpans(
        client,
        [
          {
            traceId: traceIdOf(number),
            spanId: spanIdOf(1),
            start: trace.atMs,
            end: trace.atMs + trace.durationMs,
            status: trace.isFailed ? 'error' : 'ok',
            attributes: {
              'gen_ai.operation.name': 'chat',
              'gen_ai.response.model': trace.model,
              'gen_ai.usage.input_tokens': trace.tokens,
              'gen_ai.usage.cost': trace.tokens / 4,
              'user.id': number % 2 === 0 ? 'even' : 'odd',
              ...(trace.component !== '' && { 'touchstone.component': trace.component }),
            },
          },
        ],
        { 'service.name': trace.service },
      )
    }
  })

  function expectedBuckets(seconds: number, isIncluded: (trace: Sent, number: number) => boolean): Bucket[] {
    const byBucket = Map.groupBy(sent.filter(isIncluded), ({ atMs }) => Math.floor(atMs / seconds / 1_000))
    return [...byBucket].map(([bucket, traces]) => {
      const durations = traces.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
      const tokens = traces.reduce((sum, trace) => sum + trace.tokens, 0)
      return {
        start: new Date(bucket * seconds * 1_000).toISOString(),
        count: traces.length,
        errors: traces.filter(({ isFailed }) => isFailed).length,
        p50Ms: durations[Math.ceil(durations.length * 0.5) - 1] ?? null,
        p95Ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
        tokens,
        costUsd: tokens / 4,
      }
    })
  }

  const RANGE = { from: '2026-11-10', to: '2026-11-12' }

  it('has for each bucket the plain sum of the traces, for any bucket and filter', {
    tags: 'sized',
  }, async () => {
    const buckets = { '15m': 900, '1h': 3_600, '3h': 10_800, '1d': 86_400 } as const
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<keyof typeof buckets>('15m', '1h', '3h', '1d'),
        fc.constantFrom<[Record<string, string>, (trace: Sent, number: number) => boolean]>(
          [{}, () => true],
          [{ status: 'error' }, ({ isFailed }) => isFailed],
          [{ q: 'service:web' }, ({ service }) => service === 'web'],
          [{ q: 'user:even' }, (_, number) => number % 2 === 0],
          [{ q: 'tokens:>3' }, ({ tokens }) => tokens > 3],
          [{ component_id: 'one' }, ({ component }) => component === 'one'],
        ),
        async (bucket, [filter, isIncluded]) => {
          const given = filter.component_id ? { component_id: components.get('one') ?? '' } : filter
          const { series, ...rest } = await readSeries(client, { ...RANGE, bucket, ...given })
          expect(rest).toMatchObject({
            from: '2026-11-10T00:00:00.000Z',
            to: '2026-11-12T00:00:00.000Z',
            completeFrom: '2026-11-10T00:00:00.000Z',
            bucketSeconds: buckets[bucket],
            durationsAreSampled: false,
          })
          expect(series).toHaveLength(1)
          expect(series[0]?.buckets).toHaveLength((2 * 86_400) / buckets[bucket])
          expect(nonEmpty(series[0])).toEqual(expectedBuckets(buckets[bucket], isIncluded))
        },
      ),
      { numRuns: runs(20) },
    )
  })

  it('has a series for each of the five most frequent values, and one for the others', async () => {
    const { series } = await readSeries(client, { ...RANGE, bucket: '1d', group_by: 'model' })
    expect(series.map(({ kind }) => kind)).toEqual([...Array(5).fill('value'), 'others'])
    for (const { value, buckets } of series.slice(0, 5))
      expect(buckets.filter(({ count }) => count > 0)).toEqual(expectedBuckets(86_400, ({ model }) => model === value))
    const total = series.flatMap(({ buckets }) => buckets).reduce((sum, { count }) => sum + count, 0)
    expect(total).toBe(sent.length)
  })

  it('names components, and counts those that are deleted as none', async () => {
    const { series } = await readSeries(client, { ...RANGE, bucket: '1d', group_by: 'component' })
    expect(new Set(series.map(({ label }) => label))).toEqual(new Set(['one', 'two', 'three', null]))
    const one = series.find(({ label }) => label === 'one')
    expect(one?.value).toBe(components.get('one'))
    expect(nonEmpty(one)).toEqual(expectedBuckets(86_400, ({ component }) => component === 'one'))
    const other = (await app().newWorkspace()).client
    const id = await other.create('/components', { name: 'gone' })
    await other.create(`/components/${id}/traces`, { traceId: 'a', startTime: '2026-11-10T01:00:00Z' })
    await other.delete(`/components/${id}`)
    const left = await readSeries(other, { ...RANGE, group_by: 'component' })
    expect(left.series.map(({ kind, value, label }) => [kind, value, label])).toEqual([['value', null, null]])
  })

  it.each(['status', 'service', 'environment'])('groups by %s', async (group_by) => {
    const { series } = await readSeries(client, { ...RANGE, bucket: '1d', group_by })
    const total = series.flatMap(({ buckets }) => buckets).reduce((sum, { count }) => sum + count, 0)
    expect(total).toBe(sent.length)
    if (group_by === 'status') expect(series.map(({ value }) => value)).toEqual(['ok', 'error'])
  })

  it('covers the last 24 hours by default, and the time range of the query if that has one', async () => {
    const now = Date.now()
    const byDefault = await readSeries(client, {})
    expect(Date.parse(String(byDefault.to))).toBeGreaterThanOrEqual(now)
    expect(Date.parse(String(byDefault.from))).toBeLessThanOrEqual(now - 24 * HOUR_MS)
    expect(byDefault.bucketSeconds).toBe(900)
    const byQuery = await readSeries(client, { q: 'start:2026-11-10' })
    expect([byQuery.from, byQuery.to]).toEqual(['2026-11-10T00:00:00.000Z', '2026-11-11T00:00:00.000Z'])
  })

  it('counts what the list counts, also if the range does not begin and end with a bucket', async () => {
    const range = { from: '2026-11-10T03:20:00.000Z', to: '2026-11-10T19:47:00.000Z' }
    const counted = async (parameters: object) => {
      const { series } = await readSeries(client, { ...range, ...parameters })
      return nonEmpty(series[0]).reduce((sum, { count }) => sum + count, 0)
    }
    const within = sent.filter(({ atMs }) => atMs >= Date.parse(range.from) && atMs < Date.parse(range.to))
    for (const bucket of ['5m', '1h', '6h', '1d']) expect(await counted({ bucket }), bucket).toBe(within.length)
    expect(await counted({ bucket: '1d', q: 'tokens:>=0' })).toBe(within.length)
    const rare = sent.filter(({ atMs }, number) => within.some((other) => other.atMs === atMs) && number % 2 === 0)
    expect(await counted({ bucket: '1d', q: 'user:even' })).toBe(rare.length)
  })

  it('begins with the first trace on request, even if that has the time 0', async () => {
    const { client: other } = await app().newWorkspace()
    expect((await readSeries(other, { from: 'first' })).bucketSeconds).toBe(900)
    await sendSpans(other, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), start: DAY + HOUR_MS + 5 }])
    const first = await readSeries(other, { from: 'first', to: '2026-11-10T04:00:00Z' })
    expect([first.from, first.bucketSeconds]).toEqual(['2026-11-10T01:00:00.000Z', 300])
    await sendSpans(other, [{ traceId: traceIdOf(2), spanId: spanIdOf(2), start: 1, end: 2 }])
    const all = await readSeries(other, { from: 'first', to: '2026-11-10T04:00:00Z' })
    expect(all.bucketSeconds).toBe(365 * 86_400)
    expect(nonEmpty(all.series[0]).map(({ count }) => count)).toEqual([1, 1])
  })

  it('has exact counts and sampled durations of very many traces, and reads the latest part of other queries', async () => {
    const { client: other, workspaceId } = await app().newWorkspace()
    const start = DAY + HOUR_MS
    const attributes = { 'user.id': 'someone', 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 3 }
    await sendSpans(other, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), start, end: start + 80, attributes }])
    await copyTrace(app(), workspaceId, 24_999)
    await sendSpans(other, [{ traceId: traceIdOf(2), spanId: spanIdOf(2), start: start + 5 * HOUR_MS, attributes }])
    const all = await readSeries(other, RANGE)
    expect(all).toMatchObject({ durationsAreSampled: true, completeFrom: all.from, bucketSeconds: 3_600 })
    expect(nonEmpty(all.series[0])).toMatchObject([
      { count: 25_000, tokens: 75_000, p50Ms: 80, p95Ms: 80 },
      { count: 1, p50Ms: 100 },
    ])
    const part = { from: '2026-11-10T01:00:00Z', to: '2026-11-10T06:30:00Z' }
    for (const group_by of ['status', 'component']) {
      const { series } = await readSeries(other, { ...part, group_by })
      expect(nonEmpty(series[0]).map(({ count }) => count)).toEqual([25_000, 1])
    }
    expect(nonEmpty((await readSeries(other, { ...part, to: '2026-11-10T05:50:00Z' })).series[0])).toHaveLength(1)
    const { status, body } = await other.get(`/traces/series?${new URLSearchParams({ ...RANGE, bucket: '15m' })}`)
    expect([status, body.error]).toEqual([
      400,
      expect.stringContaining('too many traces in the time range for buckets of 15m'),
    ])
    for (const q of ['tokens:>1', 'user:someone']) {
      const latest = await readSeries(other, { ...RANGE, q })
      expect(Date.parse(String(latest.completeFrom)), q).toBeGreaterThan(start)
      expect(
        nonEmpty(latest.series[0]).map(({ count }) => count),
        q,
      ).toEqual([1])
    }
  })

  describe('is rejected with 400 for', () => {
    it.each([
      [{ from: 'yesterday' }, 'The query parameter from must be a date'],
      [{ from: '2026-11-12', to: '2026-11-11' }, 'The query parameter from must be before to'],
      [{ bucket: '2h' }, 'The query parameter bucket must be one of auto, 1m, 5m'],
      [{ from: '2026-01-01', to: '2026-11-11', bucket: '1m' }, 'at most 300 are possible'],
      [{ group_by: 'name' }, 'The query parameter group_by must be one of component, model'],
      [{ q: 'latency:' }, 'The query is invalid at character 9'],
      [{ start_after: '2026-01-01' }, 'The query parameter start_after is not known'],
    ])('%o', async (parameters, message) => {
      const { status, body } = await client.get(`/traces/series?${new URLSearchParams(parameters)}`)
      expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringContaining(message)])
    })
  })
})
