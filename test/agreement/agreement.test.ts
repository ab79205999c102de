import { expect, it } from 'vitest'
import { ask, newRaters, type Rater, rate, seedRatedRun, setPolicy } from '../annotations/rated-run.ts'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

/** Krippendorff (2011), section C: four coders, twelve units, with gaps. */
const KRIPPENDORFF = [
  [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
  [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
  [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
  [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null],
]

/** Cohen's κ by hand: 20 + 15 of 50 agree; by chance 0.5 × 0.6 + 0.5 × 0.4 = 0.5; (0.7 − 0.5) / 0.5 = 0.4. */
const FIFTY = { yesYes: 20, yesNo: 5, noYes: 10, noNo: 15 }

describeEachEngine('agreement', (app) => {
  /** Each row is what one person says, by trace. */
  async function rateTable(
    raters: readonly Rater[],
    path: string,
    table: readonly (readonly (string | number | null)[])[],
  ) {
    for (const [person, row] of table.entries()) {
      for (const [unit, rating] of row.entries()) {
        if (rating === null) continue
        const answer = await rate(raters[person]?.client ?? never(), path, `unit ${unit}`, String(rating))
        expect(answer.status).toBe(201)
      }
    }
  }

  it('of Krippendorff’s table is his own α, 0.743, and 0.815 when the ratings are ordered', async () => {
    const { client, workspaceId, path, componentId, datasetId } = await seedRatedRun(app(), 0)
    const raters = await newRaters(app(), { workspaceId, count: 4 })
    await rateTable(raters, path, KRIPPENDORFF)
    for (const at of [path, `/components/${componentId}/datasets/${datasetId}`]) {
      const { status, body } = await client.get(`${at}/agreement`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        items: 12,
        categories: ['1', '2', '3', '4', '5'],
        excluded: 0,
        disagreementsTotal: 3,
      })
      expect(body.alpha).toMatchObject({ value: expect.closeTo(0.743, 3), level: 'nominal', units: 11 })
      expect(Object(body.alpha).method).toMatch(/Krippendorff/)
      const [low, high] = Object(body.alpha).ci
      expect(low).toBeLessThan(0.743)
      expect(high).toBeGreaterThan(0.743)
      expect(body.raters).toHaveLength(4)
      expect(body.raters).toContainEqual({ userId: raters[1]?.userId, name: 'Rater 1', count: 11 })
      expect(body.pairs).toHaveLength(6)
      expect(body.summary).toMatch(
        /^4 people have rated 12 traces, 11 of them by two or more: α 0\.74 \(nominal, 95 % CI/,
      )
    }
    const ratings = [1, 2, 3, 4, 5].map((score) => ({ value: String(score), score }))
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    const { body } = await client.get(`${path}/agreement`)
    expect(body.alpha).toMatchObject({ value: expect.closeTo(0.815, 3), level: 'ordinal', units: 11 })
  })

  it('of two people is Cohen’s κ of the traces they share, and the same at every read', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 0)
    const raters = await newRaters(app(), { workspaceId, count: 2 })
    const pairs = [
      ...Array.from({ length: FIFTY.yesYes }, () => [1, 1]),
      ...Array.from({ length: FIFTY.yesNo }, () => [1, 0]),
      ...Array.from({ length: FIFTY.noYes }, () => [0, 1]),
      ...Array.from({ length: FIFTY.noNo }, () => [0, 0]),
    ]
    const table = [0, 1].map((person) => [...pairs.map((pair) => pair[person] ?? null), person === 0 ? 1 : null])
    await rateTable(raters, path, table)
    const { body, text } = await client.get(`${path}/agreement`)
    const [pair] = Object(body.pairs)
    expect(pair).toMatchObject({
      a: raters[0]?.userId,
      b: raters[1]?.userId,
      shared: 50,
      kappa: expect.closeTo(0.4, 10),
    })
    expect(pair.ci[0]).toBeLessThan(0.4)
    expect(pair.ci[1]).toBeGreaterThan(0.4)
    expect(pair.method).toMatch(/Cohen/)
    expect(body).toMatchObject({ items: 51, disagreementsTotal: 15 })
    expect((await client.get(`${path}/agreement`)).text).toBe(text)
  })

  it('of two people who contradict each other has an interval that says so', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 0)
    const raters = await newRaters(app(), { workspaceId, count: 2 })
    const ratings = Array.from({ length: 20 }, (_, unit) => unit % 2)
    await rateTable(raters, path, [ratings, ratings.map((rating, unit) => (unit === 0 ? rating : 1 - rating))])
    const [pair] = Object((await client.get(`${path}/agreement`)).body.pairs)
    // One of 20 agrees, by chance half of them: (0.05 − 0.5) / 0.5.
    expect(pair).toMatchObject({ shared: 20, kappa: expect.closeTo(-0.9, 10) })
    expect(pair.ci[0]).toBeGreaterThan(-1)
    expect(pair.ci[1]).toBeLessThan(-0.4)
  })

  it('of ordered ratings weights adjacent ratings less than distant ones, and excludes words that are not on the scale', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 0)
    const raters = await newRaters(app(), { workspaceId, count: 2 })
    await rateTable(raters, path, [
      [1, 2, 3, 1, 2, 3, 1, 3],
      [1, 2, 3, 2, 3, 3, 1, 1],
    ])
    await rate(raters[0]?.client ?? never(), path, 'unit 0', 'splendid')
    const ratings = [3, 1, 2].map((score) => ({ value: String(score), score }))
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    const { body } = await client.get(`${path}/agreement`)
    expect(body).toMatchObject({ categories: ['1', '2', '3'], excluded: 1, items: 8 })
    const [pair] = Object(body.pairs)
    // Of the seven shared ones the squared distances are 0, 0, 1, 1, 0, 0 and 4; each said 1 twice, 2 twice and 3 three times.
    expect(pair.shared).toBe(7)
    expect(pair.kappa).toBeCloseTo(1 - 6 / 7 / (chance([2, 2, 3], [2, 2, 3]) / 49), 10)
    expect(pair.method).toMatch(/quadratic/)
  })

  it('lists the most even disagreements first, with the rating of each person, by the id of the trace', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 3)
    const raters = await newRaters(app(), { workspaceId, count: 4 })
    const says = ['++--', '+++-', '++++']
    for (const [place, { traceId }] of traces.entries()) {
      for (const [person, rater] of raters.entries()) {
        const rating = says[place]?.[person] === '+' ? 'positive' : 'negative'
        await rater.client.post(`${path}/annotations`, { traceDbId: traceId, rating, comment: `by ${person}` })
      }
    }
    const { body } = await client.get(`${path}/agreement`)
    const said = (words: string) =>
      raters.map(({ userId }, person) => ({
        userId,
        rating: words[person] === '+' ? 'positive' : 'negative',
        comment: `by ${person}`,
      }))
    expect(body.disagreements).toEqual([
      { traceDbId: traces[0]?.id, ratings: said('++--') },
      { traceDbId: traces[1]?.id, ratings: said('+++-') },
    ])
  })

  it('has a consensus from three raters on, in which a rater who always says the same counts little', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 0)
    const raters = await newRaters(app(), { workspaceId, count: 4 })
    const truths = '+-+-+-+-+-'
    const table = [truths, '+-+-+-+-+-', '+-+-+-+-++', '++++++++++'].map((row) =>
      [...row].map((sign) => (sign === '+' ? 'positive' : 'negative')),
    )
    await rateTable(raters.slice(0, 2), path, table.slice(0, 2))
    expect((await client.get(`${path}/agreement?include=consensus`)).body.consensus).toBeNull()
    await rateTable(raters.slice(2), path, table.slice(2))
    const { consensus } = (await client.get(`${path}/agreement?include=consensus,pair_summaries`)).body
    const { categories, raters: found } = Object(consensus)
    // By votes, 26 of 40 are positive; half of the traces are.
    expect(categories).toEqual([
      { rating: 'negative', share: expect.closeTo(0.5, 1), votes: expect.closeTo(14 / 40, 12) },
      { rating: 'positive', share: expect.closeTo(0.5, 1), votes: expect.closeTo(26 / 40, 12) },
    ])
    const accuracies = new Map(found.map((one: { userId: string; accuracy: number }) => [one.userId, one.accuracy]))
    const [best, , , worst] = raters.map(({ userId }) => Number(accuracies.get(userId)))
    expect(best).toBeGreaterThan(0.85)
    expect(worst).toBeLessThan(0.65)
    expect((await client.get(`${path}/agreement`)).body).not.toHaveProperty('consensus')
  })

  it('is undefined without ratings, with one rater, or if all ratings are equal', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 0)
    const [one, two] = await newRaters(app(), { workspaceId, count: 2 })
    if (!one || !two) throw new Error('there are two')
    const nothing = { raters: [], categories: [], items: 0, pairs: [], disagreements: [], judges: [] }
    expect((await client.get(`${path}/agreement`)).body).toMatchObject({
      ...nothing,
      alpha: { value: null, ci: null, units: 0 },
    })
    await rate(one.client, path, 'a')
    await rate(one.client, path, 'b')
    const alone = (await client.get(`${path}/agreement`)).body
    expect(alone).toMatchObject({ items: 2, alpha: { value: null, units: 0 } })
    expect(alone.summary).toBe(
      '1 person has rated 2 traces; no trace has two ratings, so there is no agreement to measure.',
    )
    await rate(two.client, path, 'a')
    await rate(two.client, path, 'b')
    const same = (await client.get(`${path}/agreement`)).body
    expect(same).toMatchObject({ alpha: { value: null, units: 2 }, pairs: [{ shared: 2, kappa: null, ci: null }] })
    expect(same.summary).toMatch(/all ratings are equal/)
  })

  it('of a dataset has all its runs, and other runs on its traces; of a person’s several ratings the newest counts', async () => {
    const { client, workspaceId, path, componentId, datasetId } = await seedRatedRun(app(), 0)
    const [one, two] = await newRaters(app(), { workspaceId, count: 2 })
    if (!one || !two) throw new Error('there are two')
    const below = `/components/${componentId}`
    const second = `${below}/runs/${await client.create(`${below}/runs`, { datasetId })}`
    const other = await client.create(`${below}/datasets`, { name: 'Other', traceIds: ['shared'] })
    const elsewhere = `${below}/runs/${await client.create(`${below}/runs`, { datasetId: other })}`
    await rate(one.client, path, 'shared', 'negative')
    await rate(two.client, second, 'shared', 'positive')
    await rate(one.client, second, 'shared', 'positive')
    await rate(one.client, elsewhere, 'only elsewhere')
    const ofDataset = (await client.get(`${below}/datasets/${datasetId}/agreement`)).body
    expect(ofDataset).toMatchObject({ items: 1, disagreementsTotal: 0, alpha: { units: 1 } })
    const ofOther = (await client.get(`${below}/datasets/${other}/agreement`)).body
    expect(ofOther).toMatchObject({ items: 2, alpha: { units: 1 } })
    expect((await client.get(`${path}/agreement`)).body).toMatchObject({ items: 1, alpha: { units: 0 } })
    // What was said last counts, in whichever run it was said first.
    await rate(one.client, path, 'shared', 'negative')
    const changed = (await client.get(`${below}/datasets/${datasetId}/agreement`)).body
    expect(changed).toMatchObject({ items: 1, disagreementsTotal: 1 })
    await client.delete(second)
    expect((await client.get(`${below}/datasets/${datasetId}/agreement`)).body).toMatchObject({ alpha: { units: 0 } })
  })

  it('is readable by viewers, and 404 for a missing run or one of another application', async () => {
    const { client, workspaceId, path, componentId, datasetId } = await seedRatedRun(app(), 0)
    const foreign = await seedRatedRun(app(), 0)
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    const ofDataset = `/components/${componentId}/datasets/${datasetId}`
    for (const at of [path, ofDataset]) expect((await viewer.get(`${at}/agreement`)).status).toBe(200)
    for (const at of [`/components/${componentId}/runs/${ABSENT_ID}`, foreign.path])
      expectError(await client.get(`${at}/agreement`), 404, 'Run not found')
    for (const at of [
      `/components/${componentId}/datasets/${ABSENT_ID}`,
      `/components/${foreign.componentId}/datasets/${foreign.datasetId}`,
    ])
      expectError(await client.get(`${at}/agreement`), 404, 'Dataset not found')
  })

  it('is computed from ratings of the queue, two people per item', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 5)
    await setPolicy(client, path, { ratersPerItem: 2, blind: true })
    const raters = await newRaters(app(), { workspaceId, count: 3 })
    const left = new Set(raters)
    while (left.size > 0) {
      for (const rater of left) {
        const { traceDbId } = await ask(rater.client, path)
        if (traceDbId === null) left.delete(rater)
        else expect((await rate(rater.client, path, traceDbId)).status).toBe(201)
      }
    }
    const { body } = await client.get(`${path}/agreement`)
    expect(body).toMatchObject({ items: traces.length, alpha: { units: traces.length } })
    expect(Object(body.raters).reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(10)
  })
})

/** The sum of squared distances of every rating of one with every rating of the other, by how often each gave which place. */
function chance(first: readonly number[], second: readonly number[]): number {
  return first.reduce(
    (sum, times, place) => sum + second.reduce((inner, other, at) => inner + times * other * (place - at) ** 2, 0),
    0,
  )
}

function never(): never {
  throw new Error('there are so many')
}
