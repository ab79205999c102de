import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, judging, metricOf, QUICK, type Row, seedItems, seedOutputs } from './evaluating.ts'

const ANCHORS = 30

/** Anchor n is good if it is even; a judge that has become lenient passes all of them. */
function anchorsOf(): Row[] {
  return Array.from({ length: ANCHORS }, (_, place) => ({
    input: `anchor ${place}`,
    output: `anchored answer ${place}`,
    metadata: { rating: place % 2 === 0 ? 'positive' : 'negative' },
  }))
}

describeEachEngine(
  'anchors',
  (app) => {
    /** A judge that is right about every anchor until `lenient` is set. */
    async function seedJudge() {
      const seeded = await seedOutputs(app(), 12)
      const { datasetId: anchors } = await seedItems(seeded, anchorsOf(), 'Anchors')
      const judge = { isLenient: false }
      const server = await connectModel(seeded, {
        answer: ({ user }) => {
          const place = /anchored answer (\d+)/.exec(user)?.[1]
          return { reason: '', passed: place === undefined || judge.isLenient || Number(place) % 2 === 0 }
        },
      })
      const asked = () => server.requests.filter(({ user }) => user.includes('anchored')).length
      return { seeded, anchors, judge, asked }
    }

    it('are judged in every evaluation, without the cache, and show no drift while the judge is the same', async () => {
      const { seeded, anchors, asked } = await seedJudge()
      const config = judging({ anchors, concurrency: 8 })
      const first = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      expect(asked()).toBe(ANCHORS)
      expect(metricOf(first, 'good')).toMatchObject({
        n: 12,
        drift: { evaluations: 0, hasDrifted: false, p: null, summary: expect.stringMatching(/^The first evaluation/) },
      })
      const second = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      expect(asked()).toBe(2 * ANCHORS)
      // The cases themselves are answered from the cache.
      expect(Object(second.results).cost.calls).toBe(ANCHORS)
      expect(metricOf(second, 'good').drift).toMatchObject({
        anchors: ANCHORS,
        evaluations: 1,
        gained: 0,
        lost: 0,
        p: 1,
        labeled: ANCHORS,
        agreement: { first: 1, now: 1 },
        hasDrifted: false,
      })
    })

    it('show a judge that has become lenient, and a gate on it cannot decide', async () => {
      const { seeded, anchors, judge } = await seedJudge()
      const { client, below, datasetId } = seeded
      const run = async (name: string) => {
        const traces = Array.from({ length: 12 }, (_, place) => {
          return { traceId: `${name} ${place}`, input: `question ${place}`, output: `answer ${place}` }
        })
        await client.post(`${below}/traces`, { traces })
        return client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      }
      const [baselineRunId, runId] = [await run('before'), await run('after')]
      const config = { anchors, concurrency: 8 }
      const before = await evaluated(seeded, { datasetId, runId: baselineRunId, config: judging(config) })
      judge.isLenient = true
      const gate = { metric: 'good' }
      const after = await evaluated(seeded, { datasetId, runId, config: judging({ ...config, baselineRunId, gate }) })
      const drift = Object(metricOf(after, 'good').drift)
      expect(drift).toMatchObject({
        firstEvaluationId: before.id,
        gained: 15,
        lost: 0,
        agreement: { first: 1, now: 0.5 },
        hasDrifted: true,
      })
      // 2 · ½¹⁵.
      expect(drift.p).toBeCloseTo(2 ** -14, 12)
      expect(Object(after.results).gate).toEqual({
        passed: false,
        summary:
          'Cannot decide: The judge has changed: 15 of 30 anchors pass now and failed first, 0 the reverse; it agrees with 50 % of the labels, 100 % first.',
      })
    })

    it('start a new series for a judge with other settings, and are not judged without the key', async () => {
      const { seeded, anchors, asked } = await seedJudge()
      const { datasetId } = seeded
      await evaluated(seeded, { datasetId, config: judging({ anchors, concurrency: 8 }) })
      const evaluators = [
        { type: 'llmJudge', name: 'good', instructions: 'Be strict.' },
        { type: 'exactMatch', name: 'same' },
      ]
      const body = await evaluated(seeded, { datasetId, config: judging({ anchors, evaluators, concurrency: 8 }) })
      expect(metricOf(body, 'good').drift).toMatchObject({ evaluations: 0, hasDrifted: false })
      expect(metricOf(body, 'same').drift).toBeNull()
      expect(asked()).toBe(2 * ANCHORS)
      const plain = await evaluated(seeded, { datasetId, config: judging() })
      expect(metricOf(plain, 'good').drift).toBeNull()
      expect(asked()).toBe(2 * ANCHORS)
    })

    it('are a part of the estimate, and must be a dataset of the application', async () => {
      const { seeded, anchors } = await seedJudge()
      const { client, at, datasetId } = seeded
      const estimate = await client.post(`${at}?dry_run=true`, { datasetId, config: judging({ anchors }) })
      expect(estimate.body).toMatchObject({ calls: 12 + ANCHORS })
      const { client: stranger } = await app().newWorkspace()
      const other = await stranger.create('/components', { name: 'Other' })
      const foreign = await stranger.create(`/components/${other}/datasets`, { name: 'Foreign' })
      for (const unknown of [foreign, crypto.randomUUID(), 'not an id', 5]) {
        const dry = await client.post(`${at}?dry_run=true`, { datasetId, config: judging({ anchors: unknown }) })
        expect(dry.status).toBe(400)
        expect(dry.body.error).toMatch(/^config\.anchors/)
        const body = await evaluated(seeded, { datasetId, config: judging({ anchors: unknown }) })
        expect(body).toMatchObject({ status: 'failed', error: dry.body.error })
      }
    })

    it('are deleted with the evaluation', async () => {
      const { seeded, anchors } = await seedJudge()
      const { client, datasetId, workspaceId } = seeded
      const config = judging({ anchors, concurrency: 8 })
      const first = await evaluated(seeded, { datasetId, config })
      await client.send('DELETE', first.path)
      const second = await evaluated(seeded, { datasetId, config })
      expect(metricOf(second, 'good').drift).toMatchObject({ evaluations: 0, firstEvaluationId: second.id })
      const rows = await app()
        .storage.read.selectFrom('anchor_verdicts')
        .select('evaluation_id')
        .where('workspace_id', '=', workspaceId)
        .where('evaluation_id', '=', String(second.id))
        .execute()
      expect(rows).toHaveLength(ANCHORS)
    })
  },
  QUICK,
)
