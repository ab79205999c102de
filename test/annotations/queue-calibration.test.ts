import { expect, it } from 'vitest'
import {
  evaluated,
  metricOf,
  QUICK,
  type Row,
  rowsIn,
  type Seeded,
  seedComponent,
  seedItems,
} from '../evaluation-engine/evaluating.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const CONFIG = { evaluators: [{ type: 'contains', name: 'judge', value: 'yes' }] }

/** The judge passes three of four; it is right about all of those, and about every other one that it fails. */
const isPassed = (place: number) => place % 4 !== 0
const isGood = (place: number) => isPassed(place) || place % 8 === 0

describeEachEngine(
  'the queue in the order of calibration',
  (app) => {
    async function seedRun(count: number): Promise<Seeded & { datasetId: string; runId: string; run: string }> {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const places = Array.from({ length: count }, (_, place) => place)
      const { datasetId } = await seedItems(
        seeded,
        places.map((place) => ({ input: `question ${place}` })),
      )
      const traces = places.map((place) => {
        return { traceId: `t${place}`, input: `question ${place}`, output: isPassed(place) ? 'yes' : 'no' }
      })
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      return { ...seeded, datasetId, runId, run: `${below}/runs/${runId}` }
    }

    async function next({ client, run }: { client: Seeded['client']; run: string }, query = ''): Promise<Row> {
      const { status, body, text } = await client.send('POST', `${run}/queue/next?order=calibration${query}`)
      expect(status, text).toBe(200)
      return body
    }

    const placeOf = (body: Row) => Number(String(Object(body.item).input).slice('question '.length))

    /** Rates so many traces as the queue draws them. */
    async function rateDrawn(seeded: Awaited<ReturnType<typeof seedRun>>, count: number): Promise<number[]> {
      const places: number[] = []
      for (let drawn = 0; drawn < count; drawn += 1) {
        const body = await next(seeded)
        const place = placeOf(body)
        places.push(place)
        const rating = isGood(place) ? 'positive' : 'negative'
        await seeded.client.create(`${seeded.run}/annotations`, { traceDbId: Object(body.item).traceDbId, rating })
      }
      return places
    }

    const drawsOf = ({ workspaceId, runId }: Awaited<ReturnType<typeof seedRun>>) =>
      app()
        .storage.read.selectFrom('annotation_draws')
        .select(['trace_ref', 'probability', 'pool'])
        .where('workspace_id', '=', workspaceId)
        .where('run_id', '=', runId)
        .execute()

    it('draws more of the verdict that the judge is less sure of, each trace once, and the same one until it is rated', async () => {
      const seeded = await seedRun(80)
      const { datasetId, runId, client, run } = seeded
      await evaluated(seeded, { datasetId, runId, config: CONFIG })
      const first = await next(seeded)
      expect(first.order).toBe('calibration')
      expect(Object((await next(seeded)).item).traceDbId).toBe(Object(first.item).traceDbId)
      const { body: looked } = await client.get(`${run}/queue?order=calibration`)
      expect(Object(looked.item).traceDbId).toBe(Object(first.item).traceDbId)
      const places = await rateDrawn(seeded, 30)
      expect(new Set(places).size).toBe(30)
      // 1 is the chance that any unrated trace would have if all had the same. The first ratings teach what the judge is unsure of.
      const chances = new Map((await drawsOf(seeded)).map((draw) => [draw.trace_ref, draw.probability * draw.pool]))
      for (const place of places.slice(20)) {
        const chance = chances.get(`t${place}`) ?? Number.NaN
        if (isPassed(place)) expect(chance).toBeLessThan(1)
        else expect(chance).toBeGreaterThan(1)
      }
    })

    it('stores the probability of each draw, and the corrected rate weights by its inverse', async () => {
      const seeded = await seedRun(80)
      const { datasetId, runId } = seeded
      await evaluated(seeded, { datasetId, runId, config: CONFIG })
      const places = await rateDrawn(seeded, 24)
      const draws = await drawsOf(seeded)
      expect(draws.map(({ trace_ref }) => trace_ref).sort()).toEqual(places.map((place) => `t${place}`).sort())
      for (const { probability, pool } of draws) {
        expect(probability).toBeGreaterThan(0)
        expect(probability).toBeLessThanOrEqual(1)
        expect(pool).toBeLessThanOrEqual(80)
      }
      const corrected = Object(
        metricOf(await evaluated(seeded, { datasetId, runId, config: CONFIG }), 'judge').corrected,
      )
      // P(pass) is 3/4 and PPV is 1; of the failed ones, the share that is good by the weights of their draws.
      const failed = draws.filter(({ trace_ref }) => !isPassed(Number(trace_ref.slice(1))))
      const weightOf = (rows: typeof draws) =>
        rows.reduce((sum, { probability, pool }) => sum + 1 / (probability * pool), 0)
      const missed = weightOf(failed.filter(({ trace_ref }) => isGood(Number(trace_ref.slice(1))))) / weightOf(failed)
      expect(corrected.labels).toBe(24)
      expect(corrected.rate).toBeCloseTo(0.75 + 0.25 * missed, 10)
    })

    it('returns how many ratings are needed, and when they are enough', async () => {
      const seeded = await seedRun(60)
      const { datasetId, runId } = seeded
      await evaluated(seeded, { datasetId, runId, config: CONFIG })
      const before = Object((await next(seeded, '&precision=0.15')).calibration)
      expect(before).toMatchObject({ evaluator: 'judge', labels: 0, precision: 0.15 })
      expect(before.summary).toBe(`${before.ratingsNeeded} more ratings for ±15 points.`)
      expect(before.ratingsNeeded).toBeGreaterThanOrEqual(20)
      await rateDrawn(seeded, 30)
      expect((await next(seeded, '&precision=0.15')).calibration).toMatchObject({
        labels: 30,
        ratingsNeeded: 0,
        summary: 'The ratings are sufficient for ±15 points.',
      })
      expect((await next(seeded, '&precision=0.01')).calibration).toMatchObject({
        ratingsNeeded: null,
        summary: 'The run has too few traces for ±1 points, even if all of them are rated.',
      })
    })

    it('is random without a completed evaluation, and reveals no number in a blind run', async () => {
      const seeded = await seedRun(6)
      const { datasetId, runId, run, admin } = seeded
      expect(await next(seeded)).toMatchObject({ order: 'random', calibration: null })
      await evaluated(seeded, { datasetId, runId, config: CONFIG })
      expect(await next(seeded, '&evaluator=another')).toMatchObject({ order: 'random', calibration: null })
      await admin.send('PUT', `${run}/annotation-policy`, { body: { blind: true } })
      expect((await next(seeded)).calibration).toMatchObject({ labels: null, ratingsNeeded: null })
    })

    it('reserves the drawn traces if the run limits its raters, and adds nothing without the parameter', async () => {
      const seeded = await seedRun(20)
      const { datasetId, runId, run, admin, client } = seeded
      await evaluated(seeded, { datasetId, runId, config: CONFIG })
      await admin.send('PUT', `${run}/annotation-policy`, { body: { ratersPerItem: 1 } })
      const { body } = await client.post(`${run}/queue/next?order=calibration`, { limit: 4 })
      expect(rowsIn(body.items)).toHaveLength(4)
      expect(rowsIn(body.items).every(({ leaseUntil }) => leaseUntil !== null)).toBe(true)
      const { body: plain } = await client.get(`${run}/queue`)
      expect(plain).not.toHaveProperty('calibration')
      const { status } = await client.get(`${run}/queue?order=unknown`)
      expect(status).toBe(400)
    })
  },
  QUICK,
)
