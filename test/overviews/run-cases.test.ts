// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { newRaters, type Rater, rate, setPolicy } from '../annotations/rated-run.ts'
import { type Pass, passesOf, type Seeded, seedComparison } from '../comparisons/seed-comparison.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'

type Row = Record<string, unknown> & { id: string; cases: Record<string, unknown>[] }
type Page = { data: Row[]; nextCursor: string | null; total: number; traces: number; counts: Record<string, number> }

async function readCases(client: Client, path: string): Promise<Page> {
  const { status, text } = await client.get(path)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

const metricOf = (name: string) => ({
  name,
  mean: 0.5,
  ci: [0.4, 0.6],
  n: 12,
  cases: 40,
  failed: 0,
  kind: 'boolean',
  scale: [0, 1],
  higherIsBetter: true,
})

const ITEMS = 12

/** Each item once; the first two items three times, with results that differ; one trace without an item. */
function passes(): Pass[] {
  const once = passesOf(ITEMS, (item) => ({
    isError: item < 3,
    durationMs: 100 + item,
    ...(item < 4 && { costUsd: 0.25 }),
    scores: item === 11 ? {} : { right: { score: item % 2, passed: item % 2 === 1 }, length: item / 10 },
  }))
  const again = [0, 1].flatMap((item) =>
    [0, 1].map(() => ({ item, durationMs: 900, scores: { right: { score: 1, passed: true }, length: 0.5 } })),
  )
  return [...once, ...again, { item: null }]
}

describeEachEngine('GET …/runs/{runId}/cases', (app) => {
  let seeded: Seeded
  let path: string
  let ada: Rater
  let ben: Rater

  beforeAll(async () => {
    const metrics = [metricOf('right'), metricOf('length')]
    seeded = await seedComparison(app(), { items: ITEMS, baseline: passes(), candidate: passes(), metrics })
    const { component, workspaceId, candidate } = seeded
    path = `${component}/runs/${candidate.runId}/cases`
    const raters = await newRaters(app(), { workspaceId, count: 2 })
    if (!raters[0] || !raters[1]) throw new Error('there are two')
    ;[ada, ben] = [raters[0], raters[1]]
    const run = `${component}/runs/${candidate.runId}`
    await rate(ada.client, run, candidate.traceIds[5] ?? '')
    await rate(ben.client, run, candidate.traceIds[6] ?? '', 'negative')
  })

  it('has one row for each item with its repetitions, and one for a trace without an item', async () => {
    const { client, itemIds, candidate } = seeded
    const { data, total, traces, counts, nextCursor } = await readCases(client, path)
    expect([total, traces, nextCursor]).toEqual([ITEMS + 1, ITEMS + 5, null])
    expect(data.map(({ id }) => id)).toEqual([...itemIds.toSorted(), candidate.traceIds.at(-1)])
    const first = data.find(({ id }) => id === itemIds[0])
    expect(first).toMatchObject({ itemId: itemIds[0], input: 'question 0', expected: null, repetitions: 3 })
    expect(first?.cases.map(({ traceId }) => traceId)).toHaveLength(3)
    expect(first?.spread).toEqual([
      { evaluator: 'length', n: 3, mean: 1 / 3, min: 0, max: 0.5, passed: null },
      { evaluator: 'right', n: 3, mean: 2 / 3, min: 0, max: 1, passed: 2 },
    ])
    expect(data.at(-1)).toMatchObject({ itemId: null, repetitions: 1, spread: [] })
    expect(counts).toEqual({
      all: 13,
      failed: 3,
      rated: 2,
      unrated: 11,
      passed: 5,
      not_passed: 6,
      not_measured: 2,
      not_arrived: 0,
      without_item: 1,
    })
  })

  it('has the texts, numbers, scores and ratings of each trace', async () => {
    const { client, itemIds, candidate } = seeded
    const { data } = await readCases(client, path)
    const [only] = data.find(({ id }) => id === itemIds[5])?.cases ?? []
    expect(only).toMatchObject({
      traceId: candidate.traceIds[5],
      status: 'ok',
      durationMs: 105,
      costUsd: null,
      ratings: [{ userId: ada.userId, rating: 'positive' }],
    })
    expect(only?.scores).toEqual([
      { evaluator: 'length', state: 'scored', score: 0.5, label: null, passed: null, repetitions: 1, reason: null },
      { evaluator: 'right', state: 'scored', score: 1, label: null, passed: true, repetitions: 1, reason: null },
    ])
    const [failed] = data.find(({ id }) => id === itemIds[2])?.cases ?? []
    expect(failed).toMatchObject({ status: 'error', costUsd: 0.25 })
  })

  it('returns for each filter as many rows as it counts', async () => {
    const { client } = seeded
    const { counts, total } = await readCases(client, path)
    for (const [filter, count] of Object.entries(counts)) {
      if (filter === 'all') expect(count).toBe(total)
      else expect((await readCases(client, `${path}?filter=${filter}`)).total, filter).toBe(count)
    }
    const byLength = await readCases(client, `${path}?metric=length`)
    expect(byLength.counts).toMatchObject({ passed: 0, not_passed: 0, not_measured: 2 })
  })

  it('finds rows by the query language among the traces of the run only', async () => {
    const { client, itemIds } = seeded
    const { data, counts } = await readCases(client, `${path}?q=${encodeURIComponent('status:error')}&sort=item`)
    expect(data.map(({ id }) => id).toSorted()).toEqual(itemIds.slice(0, 3).toSorted())
    expect(counts).toMatchObject({ all: 3, failed: 3 })
  })

  it('has traces that have not arrived, and without an evaluation no scores', async () => {
    const { client, component, datasetId } = seeded
    const runId = await client.create(`${component}/runs`, { datasetId, traceIds: ['a1'.repeat(16)] })
    const page = await readCases(client, `${component}/runs/${runId}/cases`)
    expect(page).toMatchObject({
      total: 1,
      evaluation: null,
      metric: null,
      counts: { not_arrived: 1, not_measured: 1 },
    })
    expect(page.data[0]?.cases).toMatchObject([{ traceDbId: null, status: null, output: null, scores: [] }])
    await client.delete(`${component}/runs/${runId}`)
    expect((await client.get(`${component}/runs/${runId}/cases`)).status).toBe(404)
  })

  it('hides ratings of others from a rater of a blind run until the trace is rated', async () => {
    const { client, component, baseline } = seeded
    const run = `${component}/runs/${baseline.runId}`
    await setPolicy(client, run, { blind: true })
    await rate(ada.client, run, baseline.traceIds[3] ?? '')
    expect((await readCases(ben.client, `${run}/cases`)).counts).toMatchObject({ rated: 0 })
    await rate(ben.client, run, baseline.traceIds[3] ?? '', 'negative')
    const { data, counts } = await readCases(ben.client, `${run}/cases?filter=rated`)
    expect(counts).toMatchObject({ rated: 1 })
    expect(data[0]?.cases[0]?.ratings).toHaveLength(2)
  })

  it('has errors without a score before the lowest score, and among those that did not pass', async () => {
    const judged = (item: number) => ({ scores: { right: { score: item / 10, passed: item > 1 } } })
    const cases = passesOf(4, (item) =>
      item === 3 ? { isError: true, scores: { right: { state: 'skipped' } } } : judged(item),
    )
    const { client, component, itemIds, candidate } = await seedComparison(app(), {
      items: 4,
      baseline: cases,
      candidate: cases,
      metrics: [metricOf('right')],
    })
    const at = `${component}/runs/${candidate.runId}/cases`
    const placesOf = ({ data }: Page) => data.map(({ id }) => itemIds.indexOf(id))
    expect(placesOf(await readCases(client, `${at}?sort=score`))).toEqual([3, 0, 1, 2])
    expect(placesOf(await readCases(client, `${at}?sort=-score`))).toEqual([2, 1, 0, 3])
    const notPassed = await readCases(client, `${at}?sort=score&filter=not_passed`)
    expect(placesOf(notPassed)).toEqual([3, 0, 1])
    expect(notPassed.counts).toMatchObject({ passed: 1, not_passed: 3, not_measured: 1 })
  })

  it('has each row exactly once on pages of any size, in every order', { tags: 'sized' }, async () => {
    const { client } = seeded
    const sorts = ['item', 'duration', '-duration', 'cost', '-cost', 'score', '-score']
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...sorts), fc.integer({ min: 1, max: 14 }), async (sort, limit) => {
        const ids: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const page: Page = await readCases(
            client,
            `${path}?sort=${sort}&limit=${limit}${cursor && `&cursor=${cursor}`}`,
          )
          ids.push(...page.data.map(({ id }) => id))
          cursor = page.nextCursor
        }
        const whole = await readCases(client, `${path}?sort=${sort}&limit=100`)
        expect(ids).toEqual(whole.data.map(({ id }) => id))
        expect(new Set(ids).size).toBe(whole.total)
      }),
      { numRuns: runs(10) },
    )
    const slowest = await readCases(client, `${path}?sort=-duration&limit=2`)
    expect(slowest.data.map(({ repetitions }) => repetitions)).toEqual([3, 3])
  })

  describe('is rejected with 400 for', () => {
    it.each([
      ['filter=odd', 'The query parameter filter must be one of failed, rated'],
      ['sort=name', 'The query parameter sort must be one of item, duration'],
      ['limit=0', 'The query parameter limit must be a whole number from 1 to 100'],
      ['cursor=abc', 'The query parameter cursor must be the nextCursor'],
      ['q=cost:high', 'The query is invalid at character 6'],
      ['q=%20', 'The query parameter q must have a condition'],
    ])('%s', async (query, message) => {
      const { status, body } = await seeded.client.get(`${path}?${query}`)
      expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
    })
  })
})
