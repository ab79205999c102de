import { expect, it } from 'vitest'
import { drawAll } from '../annotations/rated-run.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  connectModel,
  evaluated,
  judging,
  metricOf,
  QUICK,
  type Row,
  rowsIn,
  seedComponent,
  seedItems,
} from './evaluating.ts'

/** A judge for which “yes” is good. */
const CONFIG = {
  evaluators: [
    { type: 'contains', name: 'judge', value: 'yes' },
    { type: 'latency', maxMs: 1_000 },
    { type: 'humanRating' },
  ],
}

/** A judge that is right about twelve of fourteen good ones and eight of ten bad ones, and unrated ones. */
const MIXED = [
  { judge: true, people: 'positive', count: 12 },
  { judge: false, people: 'positive', count: 2 },
  { judge: true, people: 'negative', count: 2 },
  { judge: false, people: 'negative', count: 8 },
  { judge: true, count: 10 },
  { judge: false, count: 6 },
]

describeEachEngine(
  'metrics corrected by ratings',
  (app) => {
    /** For each kind of case how many there are: what the judge says of it, and what people do, if anything. */
    async function corrected(kinds: readonly { judge: boolean; people?: string; count: number }[]): Promise<Row> {
      return (await runOver(kinds, 1)).metric
    }

    /** Goes over so many items, each several times with the same outcome. */
    async function runOver(kinds: readonly { judge: boolean; people?: string; count: number }[], passes: number) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const items = kinds.flatMap(({ count, ...kind }) => Array.from({ length: count }, () => kind))
      const { datasetId } = await seedItems(
        seeded,
        items.map((_, place) => ({ input: `question ${place}` })),
      )
      const cases = Array.from({ length: passes }, () => items).flat()
      const traces = cases.map(({ judge }, place) => ({
        traceId: `t${place}`,
        input: `question ${place % items.length}`,
        output: judge ? 'yes' : 'no',
        startTime: '2026-11-15T10:00:00.000Z',
        endTime: '2026-11-15T10:00:00.500Z',
      }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      for (const [place, { people }] of cases.entries()) {
        if (people === undefined) continue
        await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: `t${place}`, rating: people })
      }
      await drawAll(app(), { ...seeded, runId })
      const body = await evaluated(seeded, { datasetId, runId, config: CONFIG })
      expect(metricOf(body, 'humanRating').corrected).toBeNull()
      // It is measured and not a guess at what people say.
      expect(metricOf(body, 'latency').corrected).toBeNull()
      const { body: agreement } = await client.get(`${below}/runs/${runId}/agreement`)
      return { metric: metricOf(body, 'judge'), agreed: rowsIn(agreement.judges)[0] ?? {} }
    }

    it('with twenty labels or more is the rate by PPV and NPV, as computed by hand', async () => {
      const metric = await corrected(MIXED)
      expect(metric).toMatchObject({ n: 40, mean: 24 / 40 })
      const [pass, ppv, npv] = [24 / 40, 12 / 14, 8 / 10]
      const found = Object(metric.corrected)
      const rate = pass * ppv + (1 - pass) * (1 - npv)
      expect(found.rate).toBeCloseTo(rate, 12)
      expect(found).toMatchObject({
        sensitivity: { value: expect.closeTo((pass * ppv) / rate, 12), n: 14 },
        specificity: { value: expect.closeTo(((1 - pass) * npv) / (1 - rate), 12), n: 10 },
        ppv: { value: expect.closeTo(ppv, 12), n: 14 },
        npv: { value: expect.closeTo(npv, 12), n: 10 },
        labels: 24,
        method: expect.stringMatching(/Tenenbein 1970; Begg & Greenes 1983/),
      })
      expect(found).not.toHaveProperty('mean')
      expect(found.ci[0]).toBeLessThan(found.rate)
      expect(found.ci[1]).toBeGreaterThan(found.rate)
      // 24 cases · √(13/16 · 3/16) to 16 · √(3/12 · 9/12), of 40 labels, of which 14 and 10 exist; 6 failed cases are left.
      expect(found.nextLabels).toEqual({ passed: 10, failed: 6 })
    })

    it('is not moved by rating as many failed cases as passed ones', async () => {
      const found = Object(
        (
          await corrected([
            { judge: true, people: 'positive', count: 18 },
            { judge: true, people: 'negative', count: 2 },
            { judge: false, people: 'positive', count: 4 },
            { judge: false, people: 'negative', count: 16 },
            { judge: true, count: 40 },
          ])
        ).corrected,
      )
      // 60 of 80 pass, nine of ten of them rightly; a fifth of the others is good. Rated alone: 22 of 40.
      expect(found.rate).toBeCloseTo(0.75 * 0.9 + 0.25 * 0.2, 12)
    })

    it('with every case rated is the share itself with its interval', async () => {
      const found = Object(
        (
          await corrected([
            { judge: true, people: 'positive', count: 20 },
            { judge: true, people: 'negative', count: 10 },
            { judge: false, people: 'positive', count: 17 },
            { judge: false, people: 'negative', count: 13 },
          ])
        ).corrected,
      )
      expect(found.rate).toBeCloseTo(37 / 60, 12)
      // The score interval of 37 in 60, by the closed formula of Wilson (1927).
      expect(found.ci[0]).toBeCloseTo(0.490176, 5)
      expect(found.ci[1]).toBeCloseTo(0.729117, 5)
      expect(found.method).toMatch(/^every case is labeled/)
      expect(found.nextLabels).toEqual({ passed: 0, failed: 0 })
    })

    it('of a judge that guesses has about the interval of the labels alone', async () => {
      const found = Object(
        (
          await corrected([
            { judge: true, people: 'positive', count: 26 },
            { judge: true, people: 'negative', count: 18 },
            { judge: false, people: 'positive', count: 21 },
            { judge: false, people: 'negative', count: 16 },
            { judge: true, count: 30 },
            { judge: false, count: 30 },
          ])
        ).corrected,
      )
      expect(found.rate).toBeGreaterThan(0.55)
      expect(found.rate).toBeLessThan(0.61)
      // The labels alone, 47 of 81: 0.47 to 0.68.
      expect(found.ci[1] - found.ci[0]).toBeLessThan(0.23)
    })

    it('have intervals by the number of items, for any number of repetitions', async () => {
      const [once, thrice] = [await runOver(MIXED, 1), await runOver(MIXED, 3)]
      const [single, triple] = [Object(once.metric.corrected), Object(thrice.metric.corrected)]
      expect(triple.labels).toBe(72)
      expect(triple.rate).toBeCloseTo(single.rate, 12)
      for (const part of ['sensitivity', 'specificity', 'ppv', 'npv']) {
        expect(triple[part]).toMatchObject({ value: expect.closeTo(single[part].value, 12), n: single[part].n })
      }
      // Drawn with another seed.
      for (const end of [0, 1]) expect(Math.abs(triple.ci[end] - single.ci[end])).toBeLessThan(0.01)
      for (const part of ['kappaCi', 'agreementCi', 'sensitivityCi', 'specificityCi'])
        expectSame(Object(thrice.agreed)[part], Object(once.agreed)[part])
      expect(thrice.agreed).toMatchObject({ shared: 72, sensitivityN: 14, specificityN: 10 })
    })

    it('are null for many labels of few items', async () => {
      const { metric, agreed } = await runOver([{ judge: true, people: 'positive', count: 6 }], 4)
      const message = 'too few labels: 24 on 6 items, of at least 20'
      expect(metric.corrected).toMatchObject({ rate: null, labels: 24, method: message })
      expect(agreed).toMatchObject({ shared: 24, kappa: null, summary: message })
    })

    it('are counted by case: repeated verdicts of a judge are reduced to their majority', {
      tags: 'deep',
    }, async () => {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const { datasetId } = await seedItems(seeded, [{ input: 'unused' }])
      // Of thirty good ones the judge passes three answers of five, of thirty bad ones none.
      await connectModel(seeded, {
        answer: ({ user, body: { seed } }) => ({ reason: '', passed: user.includes('good') && Number(seed) <= 3 }),
      })
      const traces = Array.from({ length: 60 }, (_, place) => ({
        traceId: `t${String(place).padStart(2, '0')}`,
        input: 'q',
        output: `${place % 2 === 0 ? 'good' : 'bad'} ${place}`,
      }))
      await client.post(`${below}/traces`, { traces })
      const runId = await client.create(`${below}/runs`, { datasetId, traceIds: traces.map(({ traceId }) => traceId) })
      for (const [place, { traceId }] of traces.slice(0, 40).entries()) {
        const rating = place % 2 === 0 ? 'positive' : 'negative'
        await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: traceId, rating })
      }
      await drawAll(app(), { ...seeded, runId })
      const once = await evaluated(seeded, { datasetId, runId, config: judging({ concurrency: 20 }) })
      const often = await evaluated(seeded, { datasetId, runId, config: judging({ repetitions: 5, concurrency: 20 }) })
      expect(metricOf(often, 'good').mean).toBeCloseTo(0.3, 12)
      const [single, majority] = [Object(metricOf(once, 'good').corrected), Object(metricOf(often, 'good').corrected)]
      expect(majority).toMatchObject({ rate: 0.5, sensitivity: { value: 1 }, specificity: { value: 1 }, labels: 40 })
      // Five answers to one question are not five cases.
      const widthOf = ([low, high]: number[]) => (high ?? 0) - (low ?? 0)
      expect(widthOf(majority.ci)).toBeGreaterThan(0.9 * widthOf(single.ci))
    })

    it.each([1, 19])('with %i of the twenty required labels reports that they are too few', async (count) => {
      const metric = await corrected([
        { judge: true, people: 'positive', count },
        { judge: false, count: 5 },
      ])
      expect(metric.corrected).toEqual({
        rate: null,
        ci: null,
        method: `too few labels: ${count} of at least 20`,
        labels: count,
        excluded: 0,
        sensitivity: null,
        specificity: null,
        ppv: null,
        npv: null,
        nextLabels: { passed: 0, failed: 5 },
      })
    })

    it('without a label is null, and a word that means neither is none', async () => {
      expect((await corrected([{ judge: true, count: 25 }])).corrected).toBeNull()
      expect((await corrected([{ judge: true, people: 'meh', count: 25 }])).corrected).toBeNull()
    })

    it('with labels of only one kind has a rate, whose interval includes unseen ones', async () => {
      const metric = await corrected([
        { judge: true, people: 'positive', count: 25 },
        { judge: true, count: 25 },
      ])
      const found = Object(metric.corrected)
      expect(found).toMatchObject({
        sensitivity: { value: expect.any(Number), n: 25 },
        specificity: null,
        ppv: { value: 1, n: 25 },
        npv: null,
        labels: 25,
        rate: 1,
      })
      expect(found.ci[1]).toBe(1)
      expect(found.ci[0]).toBeGreaterThan(0.85)
      expect(found.ci[0]).toBeLessThan(0.95)
    })
  },
  QUICK,
)

/** But for the last digit of the numbers. */
function expectSame(one: unknown, other: unknown): void {
  const round = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'number' ? Number(part.toFixed(10)) : part))
  expect(round(one)).toEqual(round(other))
}
