import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { compared, rowsOf } from './read-comparison.ts'
import { type Pass, passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

const METRICS = [
  { name: 'right', kind: 'binary', scale: [0, 1], higherIsBetter: true },
  { name: 'style', kind: 'numeric', scale: [1, 5], higherIsBetter: true },
]

const FILTERS = ['regressed', 'improved', 'tie', 'only_baseline', 'only_candidate', 'failed', 'not_measured']

/**
 * Of 14 items: 0 to 2 regress on right, 3 improves, 4 failed in the candidate, 5 has no score, 6 is only in the
 * baseline, 7 and 8 only in the candidate, the others are ties. Style is worse in item 9 alone, and not measured in 4.
 */
function seedKinds(app: Parameters<typeof seedComparison>[0]): Promise<Seeded> {
  const right = (place: number): Pass['scores'] => {
    if (place < 3) return { right: 0, style: 3 }
    if (place === 4) return { right: { state: 'failed' } }
    return place === 5 ? { style: 3 } : { right: 1, style: place === 9 ? 1 : 3 }
  }
  const before = passesOf(14, (place) => ({
    scores: { ...(place !== 5 && { right: place === 3 ? 0 : 1 }), style: 3 },
  }))
  const after = passesOf(14, (place) => ({ scores: right(place) ?? {} }))
  return seedComparison(app, {
    items: 14,
    baseline: before.filter(({ item }) => item !== 7 && item !== 8),
    candidate: after.filter(({ item }) => item !== 6),
    metrics: METRICS,
  })
}

describeEachEngine('the rows of a comparison', (app) => {
  const itemsOf = (seeded: Seeded, body: Record<string, unknown>) =>
    rowsOf(body).map(({ itemId }) => seeded.itemIds.indexOf(itemId ?? ''))

  it('are filtered by their change on a metric, and the counts add up to all of them', async () => {
    const seeded = await seedKinds(app())
    const expected: Record<string, number[]> = {
      regressed: [0, 1, 2],
      improved: [3],
      tie: [9, 10, 11, 12, 13],
      only_baseline: [6],
      only_candidate: [7, 8],
      failed: [4],
      not_measured: [5],
    }
    for (const filter of FILTERS) {
      const body = await compared(seeded, `metric=right&filter=${filter}`)
      expect(itemsOf(seeded, body).sort((a, b) => a - b)).toEqual(expected[filter])
      expect(body).toMatchObject({
        total: 14,
        counts: Object.fromEntries(FILTERS.map((name) => [name, expected[name]?.length])),
      })
    }
  })

  it('are ordered by the metric that is named, and otherwise by all', async () => {
    const seeded = await seedKinds(app())
    expect(itemsOf(seeded, await compared(seeded, 'metric=style'))[0]).toBe(9)
    const all = await compared(seeded, 'filter=regressed')
    expect(itemsOf(seeded, all).sort((a, b) => a - b)).toEqual([0, 1, 2, 9])
    // The candidate's answer to item 4 was measured by its trace, but an evaluator failed.
    expect(all).toMatchObject({ counts: { failed: 1, regressed: 4, tie: 5 } })
  })

  it('regress where the candidate is an error, as often in the counts as in the flips', async () => {
    // Of 4 items: 0 passed and is an error now, 1 failed and is an error now, 2 was an error and passes now, 3 is the same.
    const passed = (score: number) => ({ scores: { right: { score, passed: score === 1 } } })
    const seeded = await seedComparison(app(), {
      items: 4,
      baseline: passesOf(4, (place) => (place === 2 ? { isError: true } : passed(place === 1 ? 0 : 1))),
      candidate: passesOf(4, (place) => (place < 2 ? { isError: true } : passed(1))),
      metrics: METRICS,
    })
    const regressed = await compared(seeded, 'metric=right&filter=regressed')
    expect(itemsOf(seeded, regressed)).toEqual([0])
    expect(regressed).toMatchObject({ counts: { regressed: 1, improved: 1, not_measured: 1, tie: 1 } })
    expect(itemsOf(seeded, await compared(seeded, 'metric=right&filter=improved'))).toEqual([2])
    expect(regressed.metrics).toContainEqual(
      expect.objectContaining({
        name: 'right',
        flips: { toFail: [seeded.itemIds[0]], toFailCount: 1, toPass: [seeded.itemIds[2]], toPassCount: 1 },
      }),
    )
  })

  it('join page by page to all of the filter, each once', async () => {
    const seeded = await seedKinds(app())
    const found: number[] = []
    for (let offset = 0; offset < 6; offset += 2)
      found.push(...itemsOf(seeded, await compared(seeded, `metric=right&filter=tie&limit=2&offset=${offset}`)))
    expect(found.sort((a, b) => a - b)).toEqual([9, 10, 11, 12, 13])
    const { headers } = await seeded.client.get(seeded.at('metric=right&filter=tie&limit=2'))
    expect(headers.get('link')).toContain('offset=2')
    const last = await seeded.client.get(seeded.at('metric=right&filter=tie&limit=2&offset=4'))
    expect(last.headers.get('link')).not.toContain('rel="next"')
  })

  it('stay as they are without a filter, a metric or texts', async () => {
    const seeded = await seedKinds(app())
    const plain = await compared(seeded)
    expect(Object.keys(plain)).not.toContain('counts')
    const { counts: _, ...filtered } = await compared(seeded, 'include=texts')
    const rows = Array.isArray(filtered.data) ? filtered.data : []
    expect({ ...filtered, data: rows.map(({ texts: _texts, ...row }) => row) }).toEqual(plain)
  })

  it('count as one look, for any filters and orders', async () => {
    const seeded = await seedKinds(app())
    const parameters = [
      '',
      'limit=2&offset=4',
      'filter=tie',
      'metric=style',
      'metric=right&include=texts&limit=1',
      `item=${seeded.itemIds[0]}`,
    ]
    for (const one of parameters) expect(await compared(seeded, one)).toMatchObject({ looks: 1, warnings: [] })
  })

  it.each(['filter=worse', 'metric=unknown', 'include=scores', 'include=', 'item=first'])(
    'are rejected with %s',
    async (parameter) => {
      const { client, at } = await seedKinds(app())
      expect((await client.get(at(parameter))).status).toBe(400)
    },
  )

  it('have their texts, the reasons of judges and the ratings of people', async () => {
    const { client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Answers' })
    const component = `/components/${componentId}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
    const long = 'x'.repeat(5_000)
    await client.post(`${component}/datasets/${datasetId}/items`, { input: 'first', expected: 'one' })
    const { body } = await client.post(`${component}/datasets/${datasetId}/items`, [
      { input: 'second', expected: long, split: 'test' },
    ])
    const [item] = Array.isArray(body.data) ? body.data : []
    const runs: string[] = []
    for (const [run, output] of [
      ['A', 'two'],
      ['B', long],
    ]) {
      const runId = await client.create(`${component}/runs`, { datasetId, name: run })
      const trace = { traceId: `${run}-${item.id}`, run, itemId: item.id, input: 'second', output }
      expect((await client.post(`${component}/traces`, { traces: [trace] })).status).toBe(201)
      const config = { evaluators: [{ type: 'contains', value: 'two', name: 'says two' }] }
      const evaluationId = await client.create(`${component}/evaluations`, { datasetId, runId, config })
      await until(async () =>
        expect((await client.get(`${component}/evaluations/${evaluationId}`)).body.status).toBe('completed'),
      )
      await client.create(`${component}/runs/${runId}/annotations`, {
        traceDbId: trace.traceId,
        rating: run === 'A' ? 'positive' : 'negative',
        comment: `about ${run}`,
      })
      runs.push(runId)
    }
    const at = `${component}/comparisons?baseline=${runs[0]}&candidate=${runs[1]}&include=texts`
    const { body: comparison } = await client.get(at)
    const { body: whole } = await client.get(`${at}&item=${item.id}`)
    expect(rowsOf(whole)).toMatchObject([
      { texts: { candidate: { text: long, isCut: false }, expected: { text: long, isCut: false } } },
    ])
    expect(rowsOf(comparison)).toMatchObject([
      {
        itemId: item.id,
        texts: {
          number: 2,
          split: 'test',
          repetition: 1,
          input: { text: 'second', isCut: false },
          expected: { text: 'x'.repeat(4_000), isCut: true },
          baseline: { text: 'two', isCut: false },
          candidate: { text: 'x'.repeat(4_000), isCut: true },
          results: [
            { run: 'baseline', name: 'says two', repetition: 1, passed: true, error: null },
            { run: 'candidate', name: 'says two', repetition: 1, passed: false, error: null },
          ],
          ratings: [
            { run: 'baseline', rating: 'positive', comment: { text: 'about A', isCut: false } },
            { run: 'candidate', rating: 'negative', comment: { text: 'about B', isCut: false } },
          ],
        },
      },
    ])
  })
})
