import { expect, it } from 'vitest'
import { drawAll } from '../annotations/rated-run.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, metricOf, QUICK, type Row, type Seeded, seedComponent, seedItems } from './evaluating.ts'

const CONFIG = {
  evaluators: [
    { type: 'contains', name: 'good', value: 'yes' },
    { type: 'tokenF1', name: 'overlap' },
  ],
}

type Answer = { item: number; output: string; rating?: string }

describeEachEngine(
  'an evaluation of a run',
  (app) => {
    /** A run with these answers to so many items. */
    async function seedRun(
      items: number,
      answers: readonly Answer[],
    ): Promise<Seeded & { datasetId: string; runId: string }> {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(
        seeded,
        Array.from({ length: items }, (_, place) => ({ input: `question ${place}`, expected: 'yes or no' })),
      )
      const traces = answers.map(({ item, output }, place) => ({
        traceId: `t${place}`,
        input: `question ${item}`,
        output,
      }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      for (const [place, { rating }] of answers.entries()) {
        if (rating === undefined) continue
        await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: `t${place}`, rating })
      }
      return { ...seeded, datasetId, runId }
    }

    async function metricsOf(seeded: Awaited<ReturnType<typeof seedRun>>): Promise<{ good: Row; overlap: Row }> {
      const { datasetId, runId } = seeded
      const body = await evaluated(seeded, { datasetId, runId, config: CONFIG })
      return { good: metricOf(body, 'good'), overlap: metricOf(body, 'overlap') }
    }

    it('counts an item once in its means, for any number of attempts, and reports that', async () => {
      // Two items fail four times each, six pass at once: 6 of 8 items, and 6 of 14 traces.
      const answers = [0, 1, 2, 3, 4, 5].map((item) => ({ item, output: 'yes' }))
      const retried = [6, 7].flatMap((item) => Array.from({ length: 4 }, () => ({ item, output: 'no' })))
      const { good, overlap } = await metricsOf(await seedRun(8, [...answers, ...retried]))
      expect(good).toMatchObject({ n: 14, cases: 14, mean: 0.75, passed: { n: 14, mean: 0.75 }, missing: 0 })
      expect(good.method).toMatch(/mean of items/)
      // Each answer is one of three tokens: F1 = 2 · 1 · ⅓ / (1 + ⅓) for all of them.
      expect(overlap.mean).toBeCloseTo(0.5, 12)
    })

    it('counts the items without a trace as missing', async () => {
      const answers = Array.from({ length: 11 }, (_, item) => ({ item, output: 'yes' }))
      const { good, overlap } = await metricsOf(await seedRun(20, answers))
      expect(good).toMatchObject({ n: 11, mean: 1, missing: 9, failed: 0 })
      expect(overlap).toMatchObject({ n: 11, missing: 9 })
    })

    it('counts a trace that has not arrived once, not again as an item without a trace', async () => {
      const seeded = await seedRun(3, [{ item: 0, output: 'yes' }])
      const { client, below, datasetId } = seeded
      const linked = await client.create(`${below}/runs`, { datasetId, traceIds: ['t0', 'not arrived'] })
      const { good } = await metricsOf({ ...seeded, runId: linked })
      // The trace that has not arrived belongs to no item as far as is known: two items have no answer.
      expect(good).toMatchObject({ n: 1, missing: 3 })
    })

    it('corrects scores without a pass mark to the mean rating, by hand as PPI++', async () => {
      // Half of the 40 answers are rated; the judge gives 0.5 or 0, people 1 or 0.
      const answers = Array.from({ length: 40 }, (_, item): Answer => {
        const isGood = item % 4 !== 0
        return {
          item,
          output: isGood ? 'yes' : 'maybe',
          ...(item < 24 && { rating: isGood ? 'positive' : 'negative' }),
        }
      })
      const seeded = await seedRun(40, answers)
      await drawAll(app(), seeded)
      const { overlap } = await metricsOf(seeded)
      const corrected = Object(overlap.corrected)
      // The judge is half of what people say: λ is limited to 1. People: 18 of 24; judge: 0.375 on rated and unrated ones.
      expect(corrected.rate).toBeCloseTo(0.75, 12)
      expect(corrected).toMatchObject({ labels: 24, sensitivity: null, ppv: null, nextLabels: null })
      expect(corrected.method).toMatch(/prediction-powered mean rating of items, 95 % by t .*PPI\+\+/)
      expect(corrected.ci[0]).toBeLessThan(0.75)
      expect(corrected.ci[1]).toBeGreaterThan(0.75)
    })
  },
  QUICK,
)
