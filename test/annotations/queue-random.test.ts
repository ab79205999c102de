// @module-tag sql
import { expect, it } from 'vitest'
import { evaluated, metricOf, QUICK, seedComponent, seedItems } from '../evaluation-engine/evaluating.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ask, rate, rateAll, raterPair, seedJudgements, seedRatedRun } from './rated-run.ts'

const CASES = 60
const RATED = 24

describeEachEngine(
  'the order of the queue and the corrected rate',
  (app) => {
    /** The judge is least sure of a third of the cases, all of which people find bad; they find all others good. */
    async function rateIn(order: string) {
      const seeded = await seedComponent(app())
      const { client, below, component: componentId } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      const traces = Array.from({ length: CASES }, (_, place) => {
        return { traceId: `t${place}`, input: 'q', output: place % 3 === 0 ? 'yes, hard' : 'yes' }
      })
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      const scores = traces.map(({ traceId, output }) => ({
        ref: traceId,
        passed: true,
        score: output === 'yes' ? 1 : 0.6,
      }))
      await seedJudgements(app(), { ...seeded, componentId, datasetId, runId }, scores)
      const run = `${below}/runs/${runId}`
      let positive = 0
      for (let rated = 0; rated < RATED; rated += 1) {
        const { traceDbId, item } = await ask(client, run, [], order)
        const isPositive = item?.output === 'yes'
        if (isPositive) positive += 1
        await rate(client, run, traceDbId ?? '', isPositive ? 'positive' : 'negative')
      }
      const config = { evaluators: [{ type: 'contains', name: 'judge', value: 'yes' }] }
      const corrected = metricOf(await evaluated(seeded, { datasetId, runId, config }), 'judge').corrected
      return { ...Object(corrected), positive }
    }

    it('in the order of information has no corrected rate, and the reason', async () => {
      const found = await rateIn('information')
      expect(found).toMatchObject({ rate: null, ci: null, labels: 0, excluded: RATED })
      expect(found.method).toBe(
        'too few labels: 0 of at least 20; 24 rated cases were not drawn at random and not used: rate in the order random or calibration of the queue',
      )
    })

    it('in random order has that of the people who rated the drawn cases', async () => {
      const { rate: found, labels, excluded, positive } = await rateIn('random')
      expect({ labels, excluded }).toEqual({ labels: RATED, excluded: 0 })
      expect(found).toBeCloseTo(positive / RATED, 9)
      // Of 60 cases 40 are good. No random order has so few of them first: in that of information, these are 4 of 24.
      expect(positive).toBeGreaterThan(7)
    })

    it('counts ratings that exist as drawn where the random order passes them, and no others', async () => {
      const { client, workspaceId, runId, path, traces } = await seedRatedRun(app(), 6)
      await rateAll(
        client,
        path,
        [traces[0], traces[5]].filter((trace) => trace !== undefined),
      )
      expect((await ask(client, path)).traceDbId).toBe(traces[1]?.id)
      const draws = app().storage.read.selectFrom('annotation_draws').where('workspace_id', '=', workspaceId)
      const drawn = await draws.where('run_id', '=', runId).select(['trace_ref', 'probability', 'pool']).execute()
      expect(drawn.map(({ trace_ref }) => trace_ref).sort()).toEqual(
        traces
          .slice(0, 2)
          .map(({ traceId }) => traceId)
          .sort(),
      )
      for (const { probability, pool } of drawn) expect(probability * pool).toBeCloseTo(1, 12)
    })

    it('is the same for all raters, and the draws of one that looks are not stored', async () => {
      const { client, workspaceId, path, traces } = await seedRatedRun(app(), 6)
      const [ann, ben] = await raterPair(app(), workspaceId)
      await ann.client.get(`${path}/queue`)
      const draws = () =>
        app().storage.read.selectFrom('annotation_draws').selectAll().where('workspace_id', '=', workspaceId).execute()
      expect(await draws()).toEqual([])
      for (const rater of [ann, ben]) expect((await ask(rater.client, path)).traceDbId).toBe(traces[0]?.id)
      await rate(ann.client, path, traces[0]?.id ?? '')
      // A second rater first gets what no one has rated.
      expect((await ask(ben.client, path)).traceDbId).toBe(traces[1]?.id)
      expect((await client.get(`${path}/queue`)).body.order).toBe('random')
    })
  },
  QUICK,
)
