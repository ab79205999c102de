import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  ended,
  expectExactProgress,
  metricOf,
  type Row,
  rowsIn,
  type SeededItems,
  scoresOf,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const TONE = { type: 'external', name: 'tone' }
const STYLE = { type: 'external', name: 'style', passAt: 0.5 }

describeEachEngine('POST …/evaluations/:evaluationId/scores', (app) => {
  async function startExternal(count: number, evaluators: Row[] = [TONE, { type: 'exactMatch' }]) {
    const seeded = await seedOutputs(app(), count)
    const path = await start(seeded, { datasetId: seeded.datasetId, config: { evaluators } })
    const deliver = (scores: Row[]) => seeded.client.post(`${path}/scores`, { scores })
    return { ...seeded, path, deliver }
  }

  function toneOf({ itemIds }: Pick<SeededItems, 'itemIds'>, result: (place: number) => Row): Row[] {
    return itemIds.map((itemId, place) => ({ evaluator: 'tone', itemId, ...result(place) }))
  }

  it('scores that are delivered right after the start are stored, and the evaluation ends with their metric', async () => {
    const seeded = await startExternal(5)
    const { status, body } = await seeded.deliver(toneOf(seeded, (place) => ({ score: place / 4, reason: 'warm' })))
    expect({ status, body }).toEqual({ status: 200, body: { stored: 5, unchanged: 0, unknown: [] } })
    const evaluation = await ended(seeded.client, seeded.path)
    expect(evaluation).toMatchObject({ status: 'completed', error: null, progress: { total: 10, done: 10 } })
    expect(metricOf(evaluation, 'tone')).toMatchObject({ n: 5, mean: 0.5, kind: 'numeric', missing: 0, passed: null })
    const scores = await expectExactProgress(seeded.client, seeded.path)
    const [first] = scores.filter(({ evaluator }) => evaluator === 'tone')
    expect(first).toMatchObject({ state: 'scored', score: 0, reason: 'warm', repetition: 1, attempts: 1, costUsd: null })
  })

  it('the evaluation scores everything else, waits without being final, and ends with the last delivered score', async () => {
    const seeded = await startExternal(3)
    const { client, path } = seeded
    await until(async () => {
      expect((await client.get(path)).body).toMatchObject({ status: 'running', progress: { total: 6, done: 3 } })
    })
    const [first, ...others] = toneOf(seeded, () => ({ passed: true }))
    expect((await seeded.deliver([first ?? {}])).body).toMatchObject({ stored: 1 })
    expect((await client.get(path)).body).toMatchObject({ status: 'running', progress: { done: 4 }, results: null })
    expect((await seeded.deliver(others)).body).toMatchObject({ stored: 2 })
    expect(metricOf(await ended(client, path), 'tone')).toMatchObject({ n: 3, kind: 'binary', passed: { mean: 1 } })
  })
})
