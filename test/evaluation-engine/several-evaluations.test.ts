import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { ended, evaluated, type Row, rowsIn, seedComponent, seedItems, start } from './evaluating.ts'

const ITEMS = 12
const RIGHT = { type: 'exactMatch', name: 'right' }
const OVERLAP = { type: 'tokenF1', name: 'overlap' }

describeEachEngine('several evaluations of a run', (app) => {
  /** Two runs of which the second is right everywhere, both evaluated with `right`. */
  async function seedEvaluated() {
    const seeded = await seedComponent(app())
    const { client, below } = seeded
    const items = Array.from({ length: ITEMS }, (_, place) => ({ input: `question ${place}`, expected: 'yes' }))
    const { datasetId, itemIds } = await seedItems(seeded, items)
    const run = async (name: string, output: string) => {
      const runId = await client.create(`${below}/runs`, { datasetId, name })
      const traces = itemIds.map((itemId, place) => ({
        traceId: `${name}-${place}-${datasetId}`,
        run: name,
        itemId,
        output,
      }))
      expect((await client.post(`${below}/traces`, { traces })).status).toBe(201)
      return runId
    }
    const [v1, v2] = [await run('v1', 'no'), await run('v2', 'yes')]
    const evaluate = async (runId: string, evaluator: Row, more: Row = {}) => {
      const config = { evaluators: [evaluator], ...more }
      const { id, results } = await evaluated(seeded, { datasetId, runId, config })
      return { id: String(id), results: Object(results) }
    }
    const first = { v1: await evaluate(v1, RIGHT), v2: await evaluate(v2, RIGHT) }
    const at = `${below}/comparisons`
    const compare = async (more = '') => {
      const { status, text, body } = await client.get(`${at}?baseline=${v1}&candidate=${v2}${more}`)
      expect(status, text).toBe(200)
      const metric = (name: string) => rowsIn(body.metrics).find((one) => one.name === name)
      const all: Row = body
      return { all, metric }
    }
    return { ...seeded, at, datasetId, itemIds, v1, v2, evaluate, first, compare }
  }

  it('a candidate that is evaluated at the same time is compared when the baseline has its scores', async () => {
    const { client, below, datasetId, itemIds, v1, v2 } = await seedEvaluated()
    const evaluations = { client, at: `${below}/evaluations` }
    const closeness = { type: 'tokenF1', name: 'close' }
    // What clients deliver keeps the evaluation of the baseline open.
    const evaluators = [closeness, { type: 'external', name: 'tone' }]
    const baseline = await start(evaluations, { datasetId, runId: v1, config: { evaluators } })
    const config = { evaluators: [closeness], baselineRunId: v1, gate: { metric: 'close' } }
    const candidate = await start(evaluations, { datasetId, runId: v2, config })
    const progress = { total: ITEMS, done: ITEMS, failed: 0, skipped: 0 }
    await until(async () => expect((await client.get(candidate)).body).toMatchObject({ status: 'running', progress }))
    const scores = itemIds.map((itemId) => ({ itemId, evaluator: 'tone', score: 1 }))
    expect((await client.post(`${baseline}/scores`, { scores })).status).toBe(200)
    expect(await ended(client, baseline)).toMatchObject({ status: 'completed' })
    expect(await ended(client, candidate)).toMatchObject({
      status: 'completed',
      results: { comparison: { pairs: ITEMS, baseline: { evaluationId: baseline.split('/').at(-1) } } },
    })
  })

  it('each metric is compared by the newest evaluation that has it, and what one run lacks is named first', async () => {
    const { client, at, v1, v2, evaluate, first, compare } = await seedEvaluated()
    const before = await compare()
    const second = await evaluate(v2, OVERLAP)
    const after = await compare('&include=texts')
    expect(after.all).toMatchObject({
      verdict: 'improved',
      summary: expect.stringMatching(/ 12 items\)\. Not compared: overlap \(only the candidate was evaluated with it/),
      looks: 1,
      baseline: { evaluationId: first.v1.id },
      candidate: { evaluationId: second.id },
    })
    expect(after.metric('right')).toEqual(before.metric('right'))
    expect(after.metric('right')?.evaluations).toEqual({ baseline: first.v1.id, candidate: first.v2.id })
    expect(after.metric('error')?.evaluations).toBeNull()
    expect(rowsIn(after.all.notCompared)[0]).toEqual({
      name: 'overlap',
      reason: 'only the candidate was evaluated with it: evaluate the baseline the same way',
      evaluate: { runId: v1, evaluationId: second.id },
    })
    const [row] = rowsIn(after.all.data)
    expect(rowsIn(Object(row?.texts).results).map(({ run, name }) => [run, name])).toEqual([
      ['baseline', 'right'],
      ['candidate', 'right'],
    ])
    const family = await client.post(at, { baseline: v1, candidates: [v2] })
    expect(family.body).toMatchObject({
      chosen: { metric: 'right', verdict: 'improved' },
      candidates: [{ notCompared: after.all.notCompared }],
    })
    const report = await client.get(`${at}/report?baseline=${v1}&candidate=${v2}`)
    expect(report.text).toContain('evaluate the baseline the same way')
    await evaluate(v1, OVERLAP)
    const both = await compare()
    expect(both.all.notCompared).toEqual([])
    expect(both.metric('overlap')).toMatchObject({ verdict: 'improved', n: ITEMS })
    expect(both.all.looks).toBe(2)
  })

  it('a gate compares the metrics of earlier evaluations, too', async () => {
    const { v1, v2, evaluate } = await seedEvaluated()
    await evaluate(v1, OVERLAP)
    const gate = { metric: 'overlap', margin: 0.1 }
    const { results } = await evaluate(v2, OVERLAP, { baselineRunId: v1, gate })
    expect(rowsIn(results.comparison.metrics).map(({ name, verdict }) => [name, verdict])).toEqual(
      expect.arrayContaining([
        ['overlap', 'improved'],
        ['right', 'improved'],
      ]),
    )
  })

  it('an item counts as changed if the evaluations of a compared metric judged different content', async () => {
    const { client, below, datasetId, itemIds, v1, v2, evaluate, compare } = await seedEvaluated()
    const item = `${below}/datasets/${datasetId}/items/${itemIds[0]}`
    expect((await client.send('PATCH', item, { body: { expected: 'YES' } })).status).toBe(200)
    // Both runs were judged by the same content: `right` by the old one, `overlap` by the new one.
    await evaluate(v1, OVERLAP)
    await evaluate(v2, OVERLAP)
    expect((await compare()).all.itemChanges).toMatchObject({ changed: { count: 0 }, unverified: 0 })
    await evaluate(v2, RIGHT)
    expect((await compare()).all.itemChanges).toMatchObject({
      changed: { count: 1, items: [itemIds[0]] },
      unverified: 0,
    })
    await evaluate(v1, RIGHT)
    expect((await compare()).all.itemChanges).toMatchObject({ changed: { count: 0 } })
  })

  it('an evaluator that was configured differently last is mended by evaluating the baseline like the candidate', async () => {
    const { v1, v2, evaluate, compare } = await seedEvaluated()
    const { id } = await evaluate(v2, { ...RIGHT, ignoreCase: true })
    expect((await compare()).all).toMatchObject({
      verdict: 'tooFewCases',
      summary: expect.stringMatching(/^Too few cases to decide: no quality metric was measured in both runs/),
      notCompared: [
        {
          name: 'right',
          reason: 'the two evaluations configure ignoreCase differently: evaluate the baseline like the candidate',
          evaluate: { runId: v1, evaluationId: id },
        },
      ],
    })
  })

  it('lists show each metric of a run from the newest evaluation that has it, the first measured first', async () => {
    const { client, below, datasetId, v2, evaluate, first } = await seedEvaluated()
    const second = await evaluate(v2, OVERLAP)
    const merged = {
      id: second.id,
      headline: 'right',
      metrics: [
        { name: 'right', evaluationId: first.v2.id },
        { name: 'overlap', evaluationId: second.id },
      ],
    }
    const [newest] = rowsIn((await client.get(`${below}/run-summaries`)).body.data)
    expect(newest?.results).toMatchObject(merged)
    const [dataset] = rowsIn((await client.get(`${below}/dataset-summaries`)).body.data)
    expect(dataset?.results).toMatchObject(merged)
    const cases = (await client.get(`${below}/runs/${v2}/cases`)).body
    expect(cases).toMatchObject({ metric: 'right', evaluation: merged })
    const [row] = rowsIn(cases.data)
    expect(rowsIn(rowsIn(row?.cases)[0]?.scores).map(({ evaluator }) => evaluator)).toEqual(['right', 'overlap'])
    expect((await client.get(`${below}/overview`)).body.good).toMatchObject({ evaluation: merged })
    const [component] = rowsIn((await client.get('/component-summaries')).body.data)
    expect(component?.headline).toMatchObject({ name: 'right', evaluationId: first.v2.id })
    const items = (await client.get(`${below}/datasets/${datasetId}/item-rows`)).body
    expect(rowsIn(items.runs).map(({ headline }) => headline)).toEqual(['right', 'right'])
    const results = rowsIn(rowsIn(items.data)[0]?.results)
    expect(results.map(({ turned, metrics }) => [turned, rowsIn(metrics).map(({ name }) => name)])).toEqual([
      [null, ['right']],
      ['to_pass', ['right', 'overlap']],
    ])
  })
})
