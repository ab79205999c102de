import { expect, it } from 'vitest'
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

/** A judge that is right of twelve in fourteen good ones and of eight in ten bad ones, and what nobody has rated. */
const MIXED = [
  { judge: true, people: 'positive', count: 12 },
  { judge: false, people: 'positive', count: 2 },
  { judge: true, people: 'negative', count: 2 },
  { judge: false, people: 'negative', count: 8 },
  { judge: true, count: 10 },
  { judge: false, count: 6 },
]

describeEachEngine(
  'numbers corrected by what people say',
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
      const body = await evaluated(seeded, { datasetId, runId, config: CONFIG })
      expect(metricOf(body, 'humanRating').corrected).toBeNull()
      // It is measured and not a guess at what people say.
      expect(metricOf(body, 'latency').corrected).toBeNull()
      const { body: agreement } = await client.get(`${below}/runs/${runId}/agreement`)
      return { metric: metricOf(body, 'judge'), agreed: rowsIn(agreement.judges)[0] ?? {} }
    }

    it('with twenty labels or more is the rate of Rogan and Gladen, as computed by hand', async () => {
      const metric = await corrected(MIXED)
      expect(metric).toMatchObject({ n: 40, mean: 24 / 40 })
      const [sensitivity, specificity] = [12 / 14, 8 / 10]
      const found = Object(metric.corrected)
      expect(found.rate).toBeCloseTo((24 / 40 + specificity - 1) / (sensitivity + specificity - 1), 12)
      expect(found).toMatchObject({
        sensitivity: { value: sensitivity, n: 14 },
        specificity: { value: specificity, n: 10 },
        labels: 24,
        method: expect.stringMatching(/Rogan & Gladen 1978/),
      })
      expect(found.ci[0]).toBeLessThan(found.rate)
      expect(found.ci[1]).toBeGreaterThan(found.rate)
    })

    it('are as uncertain as the items allow, however often each of them was passed over', async () => {
      const [once, thrice] = [await runOver(MIXED, 1), await runOver(MIXED, 3)]
      const [single, triple] = [Object(once.metric.corrected), Object(thrice.metric.corrected)]
      expect(triple.labels).toBe(72)
      expect(triple.rate).toBeCloseTo(single.rate, 12)
      for (const part of ['sensitivity', 'specificity']) expectSame(triple[part], single[part])
      // How much the judge counts is estimated from all cases, which differs a little.
      for (const end of [0, 1]) expect(triple.mean.ci[end]).toBeCloseTo(single.mean.ci[end], 2)
      // Drawn with another seed.
      for (const end of [0, 1]) expect(triple.ci[end]).toBeCloseTo(single.ci[end], 1)
      for (const part of ['kappaCi', 'agreementCi', 'sensitivityCi', 'specificityCi'])
        expectSame(Object(thrice.agreed)[part], Object(once.agreed)[part])
      expect(thrice.agreed).toMatchObject({ shared: 72, sensitivityN: 14, specificityN: 10 })
    })

    it('are not told for many labels of few items', async () => {
      const { metric, agreed } = await runOver([{ judge: true, people: 'positive', count: 6 }], 4)
      const message = 'too few labels: 24 on 6 items, of at least 20'
      expect(metric.corrected).toMatchObject({ rate: null, labels: 24, method: message })
      expect(agreed).toMatchObject({ shared: 24, kappa: null, summary: message })
    })

    it('are of cases, however often a judge is asked: it says of each what most of its answers say', async () => {
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
      const once = await evaluated(seeded, { datasetId, runId, config: judging({ concurrency: 20 }) })
      const often = await evaluated(seeded, { datasetId, runId, config: judging({ repetitions: 5, concurrency: 20 }) })
      expect(metricOf(often, 'good').mean).toBeCloseTo(0.3, 12)
      const [single, majority] = [Object(metricOf(once, 'good').corrected), Object(metricOf(often, 'good').corrected)]
      expect(majority).toMatchObject({ rate: 0.5, sensitivity: { value: 1 }, specificity: { value: 1 }, labels: 40 })
      // Five answers to one question are not five cases.
      const widthOf = ([low, high]: number[]) => (high ?? 0) - (low ?? 0)
      expect(widthOf(majority.ci)).toBeGreaterThan(0.9 * widthOf(single.ci))
    })

    it.each([1, 19])('with %i of the twenty labels that it takes says that they are too few', async (count) => {
      const metric = await corrected([
        { judge: true, people: 'positive', count },
        { judge: false, count: 5 },
      ])
      expect(metric.corrected).toEqual({
        rate: null,
        ci: null,
        sensitivity: null,
        specificity: null,
        labels: count,
        method: `too few labels: ${count} of at least 20`,
        mean: null,
      })
    })

    it('without a label is null, and a word that means neither is none', async () => {
      expect((await corrected([{ judge: true, count: 25 }])).corrected).toBeNull()
      expect((await corrected([{ judge: true, people: 'meh', count: 25 }])).corrected).toBeNull()
    })

    it('with labels of one kind alone tells no rate, and why', async () => {
      const metric = await corrected([{ judge: true, people: 'positive', count: 25 }])
      expect(metric.corrected).toMatchObject({
        rate: null,
        ci: null,
        sensitivity: { value: 1, n: 25 },
        specificity: null,
        labels: 25,
        method: expect.stringMatching(/^none: the labels are all of one kind/),
      })
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
