// @module-tag sql
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { browserWith } from './team.ts'

const TRACES = ['t1', 't2', 't3', 't4', 't5']

/** Reads an evaluation until it has ended. */
async function ended(client: Client, path: string): Promise<Record<string, unknown>> {
  return until(async () => {
    const { body } = await client.get(path)
    expect(['completed', 'failed']).toContain(body.status)
    return body
  })
}

describeEachEngine('/components/{componentId}/evaluations', (app) => {
  async function newRun() {
    const { client, workspaceId } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Summarizer' })
    const below = `/components/${component}`
    const datasetId = await client.create(`${below}/datasets`, { name: 'Questions', traceIds: TRACES })
    const runId = await client.create(`${below}/runs`, { datasetId, traceIds: TRACES })
    return { client, workspaceId, component, below, datasetId, runId, at: `${below}/evaluations` }
  }

  /** 1, 0, one half, no rating, and a word that means neither. */
  async function newRatedRun() {
    const seeded = await newRun()
    const { client, workspaceId, below, runId } = seeded
    const second = await browserWith(app(), workspaceId, 'annotator')
    const at = `${below}/runs/${runId}/annotations`
    await client.create(at, { traceDbId: 't1', rating: 'positive' })
    await client.create(at, { traceDbId: 't2', rating: 'negative' })
    await client.create(at, { traceDbId: 't3', rating: 'positive' })
    await second.create(at, { traceDbId: 't3', rating: 'negative' })
    await client.create(at, { traceDbId: 't4', comment: 'no rating' })
    await client.create(at, { traceDbId: 't5', rating: 'meh' })
    return seeded
  }

  describe('POST', () => {
    it('202 returns id, name and status, and the status is pending', async () => {
      const { client, datasetId, runId, at } = await newRun()
      const { status, body } = await client.post(at, { datasetId, runId, name: 'Nightly', config: { note: 'kept' } })
      expect(status).toBe(202)
      expect(body).toEqual({ id: NEW_ID, name: 'Nightly', status: 'pending' })
    })

    it('202 without a name returns null', async () => {
      const { client, datasetId, at } = await newRun()
      expect((await client.post(at, { datasetId })).body).toEqual({ id: NEW_ID, name: null, status: 'pending' })
    })

    it('404 for an unknown component, dataset or run, the same for foreign ones', async () => {
      const { client, datasetId, at } = await newRun()
      const foreign = await newRun()
      for (const id of [ABSENT_ID, foreign.component])
        expectError(await client.post(`/components/${id}/evaluations`, { datasetId }), 404, 'Component not found')
      for (const id of [ABSENT_ID, foreign.datasetId])
        expectError(await client.post(at, { datasetId: id }), 404, 'Dataset not found')
      for (const id of [ABSENT_ID, foreign.runId])
        expectError(await client.post(at, { datasetId, runId: id }), 404, 'Run not found')
      expect(await client.list(at)).toEqual([])
    })

    it('400 for a run of another dataset of the same component', async () => {
      const { client, below, runId, at } = await newRun()
      const other = await client.create(`${below}/datasets`, { name: 'Other' })
      expectError(await client.post(at, { datasetId: other, runId }), 400, /run does not belong to the dataset/)
      expect(await client.list(at)).toEqual([])
    })

    it('400 without a datasetId names the field', async () => {
      const { client, at } = await newRun()
      expectError(await client.post(at, { name: 'Nightly' }), 400, /datasetId/)
    })
  })

  describe('GET list', () => {
    it('200 has exactly the five fields of each, newest first, and pages', async () => {
      const { client, datasetId, runId, at } = await newRatedRun()
      const first = await client.create(at, { datasetId, runId, name: 'First' })
      const second = await client.create(at, { datasetId: datasetId.toUpperCase() })
      await ended(client, `${at}/${first}`)
      await ended(client, `${at}/${second}`)
      const listed = [
        { id: second, name: null, status: 'completed', datasetId, createdAt: TIMESTAMP },
        { id: first, name: 'First', status: 'completed', datasetId, createdAt: TIMESTAMP },
      ]
      expect((await client.get(at)).body).toEqual({ data: listed })
      expect((await client.get(`${at}?limit=1&offset=1`)).body).toEqual({ data: listed.slice(1) })
    })

    it('200 with nothing under an unknown or foreign component', async () => {
      const { client } = await newRun()
      const foreign = await newRun()
      await foreign.client.create(foreign.at, { datasetId: foreign.datasetId })
      for (const id of [ABSENT_ID, foreign.component])
        expect((await client.get(`/components/${id}/evaluations`)).text).toBe('{"data":[]}')
    })
  })

  describe('GET one', () => {
    it('200 of a completed one has the numbers that the ratings give', async () => {
      const { client, component, datasetId, runId, at } = await newRatedRun()
      const config = { evaluators: [{ type: 'humanRating', name: 'people' }], note: { kept: ['as', 'given'] } }
      const id = await client.create(at, { datasetId, runId, name: 'Nightly', config })
      const body = await ended(client, `${at}/${id}`)
      expect(body).toEqual({
        id,
        name: 'Nightly',
        aiComponentId: component,
        datasetId,
        runId,
        status: 'completed',
        error: null,
        config,
        progress: { total: 5, done: 3, failed: 0, skipped: 2 },
        results: {
          insights: [],
          meta: {
            totalRuns: 0,
            totalTokens: 0,
            totalCostUsd: 0,
            averageDurationMs: 0,
            errorRate: 0,
            analyzedAt: TIMESTAMP,
          },
          metrics: [
            {
              name: 'people',
              kind: 'numeric',
              scale: [0, 1],
              higherIsBetter: true,
              n: 3,
              cases: 3,
              groups: null,
              designEffect: null,
              missing: 2,
              failed: 0,
              mean: 0.5,
              ci: [expect.any(Number), expect.any(Number)],
              method: expect.stringContaining('Rubin 1981'),
              distribution: [1, 0, 0, 0, 0, 1, 0, 0, 0, 1],
              labels: null,
              classes: null,
              passed: {
                n: 3,
                mean: 1 / 3,
                ci: [expect.any(Number), expect.any(Number)],
                method: expect.stringContaining('Wilson 1927'),
              },
              attempts: null,
              corrected: null,
              drift: null,
              injection: null,
            },
          ],
          duplicates: 0,
          groupBy: null,
          split: null,
          testSet: null,
          cost: { calls: 0, spentUsd: 0, unpricedScores: 0, maxUsd: null },
        },
        startedAt: TIMESTAMP,
        completedAt: TIMESTAMP,
        createdAt: TIMESTAMP,
        updatedAt: body.completedAt,
      })
      const [low, high] = Object(body.results).metrics[0].ci
      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThan(0.5)
      expect(high).toBeGreaterThan(0.5)
      expect(high).toBeLessThanOrEqual(1)
      const upper = `/components/${component.toUpperCase()}/evaluations/${id.toUpperCase()}`
      expect((await client.get(upper)).body).toEqual(body)
    })

    it('200 without a run uses the ratings of the items of the dataset in all runs', async () => {
      const { client, below, datasetId, runId, at } = await newRun()
      const other = await client.create(`${below}/runs`, { datasetId })
      await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: 't1', rating: 'positive' })
      await client.create(`${below}/runs/${other}/annotations`, { traceDbId: 't1', rating: 'negative' })
      await client.create(`${below}/runs/${other}/annotations`, { traceDbId: 't2', rating: 'positive' })
      await client.create(`${below}/runs/${other}/annotations`, { traceDbId: 'no item', rating: 'negative' })
      const body = await ended(client, `${at}/${await client.create(at, { datasetId })}`)
      expect(body).toMatchObject({ runId: null, config: {}, status: 'completed' })
      // Every evaluator without required options, of which only one applies to traces that have not arrived.
      expect(body.progress).toEqual({ total: 20, done: 2, failed: 0, skipped: 18 })
      expect(Object(body.results).metrics.at(-1)).toMatchObject({ name: 'humanRating', n: 2, mean: 0.75, missing: 3 })
    })

    it('200 with the positive and negative ratings of the config, per evaluator', async () => {
      const { client, datasetId, runId, at } = await newRatedRun()
      const evaluators = [
        { type: 'humanRating' },
        { type: 'humanRating', name: 'strict', positive: ['positive'], negative: ['negative', 'meh'] },
      ]
      const body = await ended(client, `${at}/${await client.create(at, { datasetId, runId, config: { evaluators } })}`)
      expect(body.progress).toEqual({ total: 10, done: 7, failed: 0, skipped: 3 })
      expect(Object(body.results).metrics).toMatchObject([
        { name: 'humanRating', n: 3, mean: 0.5, missing: 2 },
        { name: 'strict', n: 4, mean: 0.375, missing: 1 },
      ])
    })

    it('200 of one where nothing could be scored is failed with the reason', async () => {
      const { client, datasetId, runId, at } = await newRun()
      const body = await ended(client, `${at}/${await client.create(at, { datasetId, runId })}`)
      expect(body).toMatchObject({ status: 'failed', results: null, completedAt: TIMESTAMP })
      expect(body.error).toMatch(/^Nothing could be scored .*the trace has not arrived.*the trace has no rating/)
      expect(body.progress).toEqual({ total: 20, done: 0, failed: 0, skipped: 20 })
    })

    it('200 of one on an empty dataset is failed because there are no cases', async () => {
      const { client, below, at } = await newRun()
      const datasetId = await client.create(`${below}/datasets`, { name: 'Empty' })
      const body = await ended(client, `${at}/${await client.create(at, { datasetId })}`)
      expect(body).toMatchObject({ status: 'failed', error: expect.stringMatching(/no cases/), results: null })
    })

    it.each([
      [{ evaluators: 'humanRating' }, 'config.evaluators'],
      [{ evaluators: [] }, 'config.evaluators'],
      [{ evaluators: [5] }, 'config.evaluators[0]'],
      [{ evaluators: [{ type: 'humanRating' }, { name: 'typeless' }] }, 'config.evaluators[1].type'],
      [{ evaluators: [{ type: 'guessing' }] }, 'config.evaluators[0].type'],
      [{ evaluators: [{ type: 'humanRating', name: '' }] }, 'config.evaluators[0].name'],
      [{ evaluators: [{ type: 'humanRating', positive: 'yes' }] }, 'config.evaluators[0].positive'],
      [{ evaluators: [{ type: 'humanRating', negative: [] }] }, 'config.evaluators[0].negative'],
      [{ evaluators: [{ type: 'humanRating' }, { type: 'humanRating' }] }, 'config.evaluators'],
      [{ repetitions: -1 }, 'config.repetitions'],
      [{ concurrency: 'many' }, 'config.concurrency'],
      [{ baselineRunId: 'not-a-uuid' }, 'config.baselineRunId'],
      [{ gate: 5 }, 'config.gate'],
    ])('200 of one with the config %j is failed and names %s', async (config, key) => {
      const { client, below, datasetId, runId, at } = await newRun()
      await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: 't1', rating: 'positive' })
      const created = await client.post(at, { datasetId, runId, config })
      expect(created.status).toBe(202)
      const body = await ended(client, `${at}/${created.body.id}`)
      expect(body).toMatchObject({ status: 'failed', results: null, config })
      expect(body.error).toContain(key)
    })

    it('404 for an unknown evaluation, a foreign one and one of another component', async () => {
      const { client, datasetId, at } = await newRun()
      const foreign = await newRun()
      const theirs = await foreign.client.create(foreign.at, { datasetId: foreign.datasetId })
      const own = await client.create(at, { datasetId })
      const sibling = await client.create('/components', { name: 'sibling' })
      const paths = [`${at}/${ABSENT_ID}`, `${at}/${theirs}`, `/components/${sibling}/evaluations/${own}`]
      for (const path of paths) expectError(await client.get(path), 404, 'Evaluation not found')
    })
  })
})
