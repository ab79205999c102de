// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { newRaters, rateAll } from '../annotations/rated-run.ts'
import { passesOf, type Seeded, seedComparison } from '../comparisons/seed-comparison.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { until } from '../harness/wait-for.ts'
import { copyTrace } from '../trace-lists/copied-trace.ts'

type Json = Record<string, unknown>

/** All seeded traces start on this day. */
const PERIOD = 'from=2026-11-10&to=2026-11-17'

async function read(client: Client, path: string): Promise<Json> {
  const { status, text, body } = await client.get(path)
  expect(status, text).toBe(200)
  return body
}

/** The value at a path such as `traces.errorRate.n`. */
function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((inner: unknown, name) => Object(inner)[name], value)
}

describeEachEngine('the overview of components', (app) => {
  let seeded: Seeded
  let evaluationId: string
  let summary: Json
  let overview: Json
  let evaluation: Json

  beforeAll(async () => {
    seeded = await seedComparison(app(), {
      items: 40,
      baseline: passesOf(40, (item) => ({ durationMs: 100 + item, isError: item % 2 === 0, costUsd: 0.01 })),
      candidate: passesOf(40, (item) => ({ durationMs: 200 + item, isError: item % 8 === 0, costUsd: 0.02 })),
    })
    const { client, workspaceId, component, datasetId, baseline, candidate } = seeded
    const evaluators = [
      { type: 'latency', maxMs: 1_000 },
      { type: 'exactMatch', name: 'right' },
      { type: 'humanRating' },
    ]
    const [ada, ben] = await newRaters(app(), { workspaceId, count: 2 })
    if (!ada || !ben) throw new Error('there are two')
    const run = `${component}/runs/${candidate.runId}`
    const traces = candidate.traceIds.map((id) => ({ id, traceId: id }))
    await rateAll(ada.client, run, traces.slice(0, 12))
    await rateAll(ben.client, run, traces.slice(0, 3), 'negative')
    const config = { evaluators, baselineRunId: baseline.runId, gate: { metric: 'error', margin: 0.9 } }
    evaluationId = await client.create(`${component}/evaluations`, {
      datasetId,
      runId: candidate.runId,
      name: 'Nightly',
      config,
    })
    await until(async () =>
      expect((await client.get(`${component}/evaluations/${evaluationId}`)).body.status).toBe('completed'),
    )
    evaluation = await read(client, `${component}/evaluations/${evaluationId}`)
    const deleted = await client.create(`${component}/prompts`, { name: 'deleted' })
    expect((await client.delete(`${component}/prompts/${deleted}`)).status).toBe(204)
    await client.create(`${component}/prompts`, { name: 'answer' })
    const summaries = await read(client, `/component-summaries?${PERIOD}`)
    const [first] = Array.isArray(summaries.data) ? summaries.data : []
    summary = Object(first)
    overview = await read(client, `${component}/overview?${PERIOD}`)
  })

  it('has the counts, errors, durations and costs of GET /traces/series', async () => {
    const { client, component } = seeded
    const componentId = component.split('/').at(-1)
    const series = await read(client, `/traces/series?${PERIOD}&bucket=7d&component_id=${componentId}`)
    const [all] = Array.isArray(series.series) ? series.series : []
    const { count, errors, costUsd, p95Ms } = all.buckets.find((bucket: Json) => bucket.count !== 0)
    expect(count).toBe(80)
    for (const traces of [summary.traces, at(overview, 'working.current')]) {
      expect(traces).toMatchObject({
        count,
        errors,
        errorRate: { rate: errors / count, n: count },
        p95: { ms: p95Ms, n: count },
        cost: { usd: costUsd, known: 'all', unknown: 0 },
        isSampled: false,
      })
      const buckets: { count: number; errors: number }[] = Object(traces).series
      expect(buckets.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(count)
      expect(buckets.reduce((sum, bucket) => sum + bucket.errors, 0)).toBe(errors)
    }
    expect(at(overview, 'working.current.costPerTrace')).toMatchObject({ mean: expect.closeTo(0.015), n: 80 })
    expect(at(overview, 'working.previous')).toMatchObject({ count: 0, errorRate: { rate: null, ci: null, n: 0 } })
  })

  it('has the interval of the error rate and of the 95th percentile', () => {
    // Wilson 1927: 25 of 80.
    const [low, high] = Object(at(summary, 'traces.errorRate.ci'))
    expect([low, high].map((end) => end.toFixed(4))).toEqual(['0.2215', '0.4207'])
    const { ms, ci } = Object(at(summary, 'traces.p95'))
    expect(ci[0]).toBeLessThan(ms)
    expect(ci[1]).toBeGreaterThanOrEqual(ms)
  })

  it('has the metrics of the newest evaluation, and a summary if there are too few cases for a mean', () => {
    const metrics: Json[] = Object(at(evaluation, 'results.metrics'))
    const shown: Json[] = Object(at(overview, 'good.evaluation.metrics'))
    expect(shown.map(({ name, mean, ci, n }) => ({ name, mean, ci, n }))).toEqual(
      metrics.map(({ name, mean, ci, n }) => ({ name, mean, ci, n })),
    )
    expect(at(overview, 'good.evaluation')).toMatchObject({ id: evaluationId, name: 'Nightly', run: { name: 'B' } })
    expect(summary.newestEvaluation).toMatchObject({ id: evaluationId, status: 'completed' })
    expect(summary.headline).toMatchObject({ evaluationId })
    const none = shown.find(({ n }) => n === 0)
    expect(none?.summary ?? 'No scores.').toBe('No scores.')
  })

  it('has the verdict, the summary and the gate that the newest evaluation with a baseline has stored', () => {
    const stored = Object(at(evaluation, 'results.comparison'))
    const metric = stored.metrics.find(({ name }: Json) => name === 'error')
    for (const comparison of [summary.comparison, at(overview, 'good.comparison')]) {
      expect(comparison).toMatchObject({
        evaluationId,
        verdict: stored.verdict,
        summary: stored.summary,
        pairs: stored.pairs,
        baseline: { id: seeded.baseline.runId, name: 'A', datasetName: 'Questions', traceCount: 40 },
        candidate: { id: seeded.candidate.runId, name: 'B' },
        metric: { name: 'error', difference: metric.difference, ci: metric.ci, items: metric.items },
        gate: at(evaluation, 'results.gate'),
      })
    }
  })

  it('has the verdict that a comparison of the two runs has, with the margin of the gate', async () => {
    const { body } = await seeded.client.get(seeded.at())
    const { verdict, summary: text, split } = Object(summary.comparison)
    expect(body).toMatchObject({ verdict, summary: text, split, margin: 0.9, metrics: expect.any(Array) })
    expect(Object(at(overview, 'good.comparison'))).toMatchObject({ verdict, summary: text, split })
    // Without a margin, fewer errors would be better.
    expect(verdict).toBe('equivalent')
  })

  it('has no metric of the comparison that says nothing: nothing failed in either run', async () => {
    const quiet = await seedComparison(app(), {
      items: 12,
      baseline: passesOf(12, () => ({})),
      candidate: passesOf(12, () => ({})),
    })
    const { client, component, datasetId, candidate, baseline } = quiet
    const config = { evaluators: [{ type: 'latency', maxMs: 1_000 }], baselineRunId: baseline.runId }
    const id = await client.create(`${component}/evaluations`, { datasetId, runId: candidate.runId, config })
    await until(async () => expect((await client.get(`${component}/evaluations/${id}`)).body.status).toBe('completed'))
    const [first] = await client.list('/component-summaries')
    expect(first?.comparison).toMatchObject({ verdict: 'tooFewCases', metric: null })
  })

  it('compares with the newest evaluation of another run of the dataset', () => {
    expect(at(overview, 'good.previous.run')).toMatchObject({ id: seeded.baseline.runId, name: 'A' })
    const history: Json[] = Object(at(overview, 'good.history'))
    expect(history.map(({ run }) => at(run, 'name'))).toEqual(['A', 'B'])
  })

  it('counts rated and remaining traces, and unresolved disagreements', async () => {
    const { client, component, candidate } = seeded
    const run = { id: candidate.runId, traceCount: 40, rated: 12, unrated: 28, openDisagreements: 3, isToBeRated: true }
    expect(summary.newestRun).toMatchObject(run)
    expect(overview.newestRun).toMatchObject({ ...run, isEvaluated: true })
    const work = await read(client, '/me/work')
    expect(summary.work).toEqual({ remaining: work.remaining, openDisagreements: 3, hasMore: false })
    expect(overview.needs).toMatchObject({ remaining: work.remaining, openDisagreements: 3 })
    const [first = ''] = candidate.traceIds
    const path = `${component}/runs/${candidate.runId}/disagreements/${first}/resolution`
    expect((await client.send('PUT', path, { body: { rating: 'positive' } })).status).toBe(200)
    const { needs } = await read(client, `${component}/overview?${PERIOD}`)
    expect(needs).toMatchObject({ openDisagreements: 2 })
    await client.delete(path)
  })

  it('lists the latest events, with the names of raters and without ratings', () => {
    const activity: Json[] = Object(overview.activity)
    const kinds = activity.map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['evaluation', 'evaluation', 'evaluation', 'ratings', 'ratings', 'run', 'run'])
    const ratings = activity
      .filter(({ kind }) => kind === 'ratings')
      .map(({ user, count }) => [at(user, 'name'), count])
    expect(ratings.sort()).toEqual([
      ['Rater 0', 12],
      ['Rater 1', 3],
    ])
    expect(JSON.stringify(activity)).not.toMatch(/positive|negative/)
  })

  it('names the datasets and counts prompts, datasets, runs, evaluations and experiments', () => {
    expect(overview.datasets).toEqual([{ id: seeded.datasetId, name: 'Questions', itemCount: 40 }])
    expect(overview.counts).toEqual({ prompts: 1, datasets: 1, runs: 2, evaluations: 3, experiments: 0 })
    expect(summary.counts).toEqual(overview.counts)
  })
})

describeEachEngine('a component without anything', (app) => {
  it('has zeros and no rate, mean, run, evaluation or comparison', async () => {
    const { client } = await app().newWorkspace()
    const id = await client.create('/components', { name: 'New', description: 'Does nothing yet' })
    const { data, nextCursor } = await read(client, '/component-summaries')
    expect(nextCursor).toBeNull()
    expect(data).toMatchObject([
      {
        id,
        name: 'New',
        description: 'Does nothing yet',
        traces: { count: 0, errors: 0, errorRate: { rate: null, ci: null, n: 0 }, p95: { ms: null, ci: null, n: 0 } },
        work: { remaining: 0, openDisagreements: 0 },
        newestRun: null,
        newestEvaluation: null,
        headline: null,
        comparison: null,
      },
    ])
    expect(await read(client, `/components/${id}/overview`)).toMatchObject({
      good: { evaluation: null, previous: null, history: [], insights: [], comparison: null },
      needs: { remaining: 0, runs: [], failedEvaluations: [], failingTraces: 0 },
      newestRun: null,
      datasets: [],
      activity: [],
    })
  })

  it('returns unknown costs as null instead of zero', async () => {
    const { client } = await app().newWorkspace()
    const id = await client.create('/components', { name: 'Free' })
    const startTime = '2026-11-12T10:00:00Z'
    await client.create(`/components/${id}/traces`, { traceId: 'a', startTime, endTime: '2026-11-12T10:00:01Z' })
    const costOf = async () => at(await read(client, `/components/${id}/overview?${PERIOD}`), 'working.current.cost')
    expect(await costOf()).toEqual({ usd: null, known: 'none', unknown: 1 })
    await client.create(`/components/${id}/traces`, { traceId: 'b', startTime, costUsd: 0.5 })
    expect(await costOf()).toEqual({ usd: 0.5, known: 'some', unknown: 1 })
  })
})

describeEachEngine('deleted resources', (app) => {
  it('is in no summary: a run, the comparison with it, an evaluation, a component', async () => {
    const passes = passesOf(12, () => ({ costUsd: 1 }))
    const { client, component, datasetId, baseline, candidate } = await seedComparison(app(), {
      items: 12,
      baseline: passes,
      candidate: passes,
    })
    const config = { evaluators: [{ type: 'latency', maxMs: 1_000 }], baselineRunId: baseline.runId }
    const body = { datasetId, runId: candidate.runId, config }
    const evaluationId = await client.create(`${component}/evaluations`, body)
    const path = `${component}/evaluations/${evaluationId}`
    await until(async () => expect((await client.get(path)).body.status).toBe('completed'))
    const first = async () => {
      const { data } = await read(client, `/component-summaries?${PERIOD}`)
      return Array.isArray(data) ? data[0] : undefined
    }
    expect(await first()).toMatchObject({ comparison: { evaluationId }, counts: { runs: 2 } })
    await client.delete(`${component}/runs/${baseline.runId}`)
    expect(await first()).toMatchObject({ comparison: null, counts: { runs: 1 } })
    await client.delete(path)
    expect(await first()).toMatchObject({ newestEvaluation: { id: candidate.evaluationId } })
    await client.delete(component)
    expect(await first()).toBeUndefined()
    expect((await client.get(`${component}/overview`)).status).toBe(404)
  })
})

describeEachEngine('GET /component-summaries', (app) => {
  it('has each component exactly once, newest first, on pages of any size, while others are created', {
    tags: 'sized',
  }, async () => {
    const { client } = await app().newWorkspace()
    for (let number = 0; number < 9; number += 1) await client.create('/components', { name: `component ${number}` })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.boolean(), async (limit, isGrowing) => {
        const expected = (await client.list('/components?limit=100')).map(({ id }) => id)
        const found: unknown[] = []
        let cursor: unknown = ''
        while (cursor !== null) {
          const { data, nextCursor } = await read(client, `/component-summaries?limit=${limit}${cursor}`)
          found.push(...(Array.isArray(data) ? data.map(({ id }) => id) : []))
          cursor = nextCursor === null ? null : `&cursor=${nextCursor}`
          if (isGrowing && found.length < 3) await client.create('/components', { name: 'later' })
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: runs(8) },
    )
  })

  describe('is rejected with 400 for', () => {
    it.each([
      ['limit=0', 'The query parameter limit must be a whole number from 1 to 100'],
      ['limit=101', 'The query parameter limit must be a whole number from 1 to 100'],
      ['cursor=abc', 'The query parameter cursor must be the nextCursor'],
      ['from=2026-11-12&to=2026-11-11', 'The query parameter from must be before to'],
      ['from=yesterday', 'The query parameter from must be a date'],
      ['q=a', 'The query parameter q is not known'],
    ])('%s', async (parameters, message) => {
      const { client } = await app().newWorkspace()
      const { status, body } = await client.get(`/component-summaries?${parameters}`)
      expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringContaining(message)])
    })
  })
})

describeEachEngine('an application with very many traces', (app) => {
  it('has exact counts, a sample of durations, and durations of a component with few traces among them', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const busy = await client.create('/components', { name: 'Busy' })
    const start = Date.UTC(2026, 10, 12, 10)
    const sketch = { spanId: spanIdOf(1), start, end: start + 80 }
    const component = (name: string) => ({ 'touchstone.component': name })
    await sendSpans(client, [{ ...sketch, traceId: traceIdOf(1), attributes: component('Busy') }])
    await copyTrace(app(), workspaceId, 24_999)
    const rare = await client.create('/components', { name: 'Rare' })
    const late = { start: start + 30_000, end: start + 30_500 }
    await sendSpans(client, [{ ...sketch, ...late, traceId: traceIdOf(2), attributes: component('Rare') }])
    const { data } = await read(client, `/component-summaries?${PERIOD}`)
    expect(data).toMatchObject([
      { id: rare, traces: { count: 1, p95: { ms: 500, ci: null, n: 1 }, isSampled: true } },
      { id: busy, traces: { count: 25_000, p95: { ms: 80 }, cost: { usd: null, known: 'none', unknown: null } } },
    ])
  })
})
