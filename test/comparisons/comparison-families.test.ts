import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { compared, metricNamed, seedRegression } from './read-comparison.ts'
import { passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

const ITEMS = 40
const HELPFUL = [{ name: 'helpful', kind: 'numeric', scale: [0, 1], higherIsBetter: true }]

type Row = Record<string, unknown>

describeEachEngine('POST /components/{componentId}/comparisons', (app) => {
  const helpful = (gain: (place: number) => number) =>
    passesOf(ITEMS, (place) => ({ scores: { helpful: 0.3 + (place % 7) / 50 + gain(place) } }))

  /** B gains 0.2 in every item and a little more or less; C and D gain and lose 0.1 in turns. */
  async function seedFamily() {
    const seeded = await seedComparison(app(), {
      items: ITEMS,
      baseline: helpful(() => 0),
      candidate: helpful((place) => 0.2 + (place % 5) / 100),
      metrics: HELPFUL,
      others: [helpful((place) => (place % 2 ? 0.1 : -0.1)), helpful((place) => (place % 3 ? 0.05 : -0.1))],
    })
    const runIds = [seeded.candidate.runId, ...seeded.others.map(({ runId }) => runId)]
    return { ...seeded, runIds }
  }

  async function post({ client, component, baseline }: Seeded, body: Row) {
    return client.post(`${component}/comparisons`, { baseline: baseline.runId, ...body })
  }

  it('compares each candidate with the baseline, corrected for the number of candidates', async () => {
    const seeded = await seedFamily()
    const { status, body } = await post(seeded, { candidates: seeded.runIds })
    expect(status).toBe(200)
    const candidates: Row[] = Object(body).candidates
    expect(candidates.map(({ candidate }) => Object(candidate).runId)).toEqual(seeded.runIds)
    const alone = metricNamed(await compared(seeded), 'helpful')
    const [first = {}] = candidates
    const together = metricNamed(first, 'helpful')
    expect(together).toMatchObject({ verdict: 'improved', difference: alone.difference, alone: { ci: alone.ci } })
    expect(together.confidence).toBeCloseTo(1 - 0.05 / 3, 10)
    expect(Object(together.test).pAdjusted).toBeCloseTo(3 * Object(alone.test).p, 15)
  })

  it('accepts the ids of candidates in upper case, as in paths, and finds duplicates in either case', async () => {
    const seeded = await seedFamily()
    const { status, body } = await post(seeded, { candidates: seeded.runIds.map((id) => id.toUpperCase()) })
    expect(status).toBe(200)
    const candidates: Row[] = Object(body).candidates
    expect(candidates.map(({ candidate }) => Object(candidate).runId)).toEqual(seeded.runIds)
    const twice = await post(seeded, { candidates: [...seeded.runIds, seeded.runIds[0]?.toUpperCase()] })
    expect(twice.status).toBe(400)
  })

  it('compares the items of one split, and counts the reading of the test split once per candidate', async () => {
    const seeded = await seedFamily()
    const { client, component, datasetId, itemIds, runIds } = seeded
    for (const id of itemIds.slice(0, 12))
      await client.send('PATCH', `${component}/datasets/${datasetId}/items/${id}`, { body: { split: 'test' } })
    const openings = async (more: Row) => {
      const { status, body } = await post(seeded, { candidates: runIds, ...more })
      expect(status).toBe(200)
      const candidates: Row[] = Object(body).candidates
      return candidates.map(({ pairs, testSet }) => [pairs, Object(testSet).openings])
    }
    expect(await openings({ split: 'validation' })).toEqual(runIds.map(() => [0, undefined]))
    expect(await openings({ split: 'test' })).toEqual([1, 2, 3].map((opening) => [12, opening]))
    expect(await openings({ split: 'test' })).toEqual(runIds.map(() => [12, 3]))
  })

  it('has the expected gain of the chosen one, the number of candidates, and an interval for each', async () => {
    const seeded = await seedFamily()
    const { body } = await post(seeded, { candidates: seeded.runIds })
    expect(body.chosen).toMatchObject({
      runId: seeded.candidate.runId,
      metric: 'helpful',
      chosenFrom: 3,
      items: ITEMS,
      difference: expect.closeTo(0.22, 10),
      expectedDifference: expect.closeTo(0.22, 2),
      verdict: 'improved',
    })
    const [low, high] = Object(body.chosen).ci
    const [alone, aloneHigh] = Object(metricNamed(await compared(seeded), 'helpful').ci)
    expect([low, high]).toEqual(metricNamed(Object(body.candidates)[0], 'helpful').ci)
    expect(low).toBeLessThan(alone)
    expect(high).toBeGreaterThan(aloneHigh)
    expect(body.summary).toMatch(
      /^B has the best helpful, chosen from 3 against A on the same items: the difference there is 0\.22; expect 0\.22 on other items/,
    )
    expect((await post(seeded, { candidates: seeded.runIds })).body).toEqual(body)
  })

  it('says so if the interval of the chosen one has items that other candidates lack', async () => {
    const seeded = await seedComparison(app(), {
      items: ITEMS,
      baseline: helpful(() => 0),
      candidate: helpful((place) => 0.2 + (place % 5) / 100),
      metrics: HELPFUL,
      others: [helpful(() => 0).slice(3)],
    })
    const runIds = [seeded.candidate.runId, ...seeded.others.map(({ runId }) => runId)]
    const { chosen } = Object((await post(seeded, { candidates: runIds })).body)
    expect(chosen).toMatchObject({ name: 'B', items: ITEMS - 3 })
    expect(chosen.summary).toMatch(
      /on other items \(37 items, 95 % CI for any of 2 on its own 40 items: 0\.\d+ to 0\.\d+\)\.$/,
    )
  })

  it('has an interval of the chosen one that is corrected where the dataset names groups, too', async () => {
    const seeded = await seedFamily()
    const { client, component, datasetId, itemIds, runIds } = seeded
    const dataset = `${component}/datasets/${datasetId}`
    for (const [place, id] of itemIds.entries())
      await client.patch(`${dataset}/items/${id}`, { metadata: { document: place % 10 } })
    await client.patch(`${dataset}/settings`, { groupBy: 'metadata.document' })
    const { body } = await post(seeded, { candidates: runIds })
    const row = metricNamed(Object(body.candidates)[0], 'helpful')
    expect(row).toMatchObject({ groups: 10, confidence: expect.closeTo(1 - 0.05 / 3, 10) })
    const { ci } = Object(body.chosen)
    expect(ci).toEqual(row.ci)
    const { ci: alone } = metricNamed(await compared(seeded), 'helpful')
    expect(Object(row.alone).ci).toEqual(alone)
    expect(ci[0]).toBeLessThan(Object(alone)[0])
    expect(ci[1]).toBeGreaterThan(Object(alone)[1])
    expect(body.summary).toMatch(/95 % CI for any of 3: /)
  })

  it('counts as a look at each of them, so that one pair warns', async () => {
    const seeded = await seedFamily()
    await post(seeded, { candidates: seeded.runIds })
    const { looks, warnings } = await compared(seeded)
    expect(looks).toBe(1)
    expect(warnings).toEqual([expect.stringMatching(/^3 runs were compared with this baseline/)])
  })

  it('chooses by the metric that is named', async () => {
    const seeded = await seedFamily()
    const { body } = await post(seeded, { candidates: seeded.runIds, metric: 'error' })
    expect(body.chosen).toMatchObject({ metric: 'error', difference: 0, expectedDifference: 0 })
    expect((await post(seeded, { candidates: seeded.runIds, metric: 'durationMs' })).body).toEqual({
      error: 'metric must be a quality metric that the baseline and all candidates have',
    })
  })

  it('400 for no candidates, the same twice, or the baseline itself', async () => {
    const seeded = await seedRegression(app())
    const { baseline, candidate } = seeded
    for (const candidates of [[], [candidate.runId, candidate.runId], [baseline.runId]])
      expect((await post(seeded, { candidates })).status).toBe(400)
  })

  it('accepts 49 candidates, as many as a trial has, and no more', async () => {
    const seeded = await seedRegression(app())
    const missing = (count: number) => Array.from({ length: count }, () => randomUUID())
    expect((await post(seeded, { candidates: missing(49) })).status).toBe(404)
    expect((await post(seeded, { candidates: missing(50) })).status).toBe(400)
  })

  it('404 for a run that is missing, and for one of another workspace, alike', async () => {
    const [seeded, foreign] = [await seedRegression(app()), await seedRegression(app())]
    for (const other of ['01890a5d-ac96-774b-bcce-b302099a8057', foreign.candidate.runId]) {
      const { status, body } = await post(seeded, { candidates: [seeded.candidate.runId, other] })
      expect([status, body]).toEqual([404, { error: 'Run not found' }])
    }
  })
})
