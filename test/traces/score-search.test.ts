// @module-tag sql
import { expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const EVALUATORS = [
  { type: 'exactMatch', name: 'correct' },
  { type: 'humanRating', name: 'people' },
]

/** A dataset with two items of traces, one of which has the right answer, and a run with both. */
async function seedTraces(client: Client) {
  const path = `/components/${await client.create('/components', { name: 'C' })}`
  await client.post(`${path}/traces`, {
    traces: ['right', 'wrong'].map((output) => ({ traceId: output, input: output, output, dataset: 'D', run: 'R' })),
  })
  const [dataset] = await client.list(`${path}/datasets`)
  const [run] = await client.list(`${path}/runs`)
  for (const item of await client.list(`${path}/datasets/${dataset?.id}/items`)) {
    await client.send('PATCH', `/api/v1${path}/datasets/${dataset?.id}/items/${item.id}`, {
      body: { expected: 'right' },
    })
  }
  return { path, datasetId: String(dataset?.id), runId: String(run?.id) }
}

async function evaluate(client: Client, path: string, body: Record<string, unknown>): Promise<string> {
  const { body: evaluation } = await client.post(`${path}/evaluations`, { ...body, config: { evaluators: EVALUATORS } })
  const { text } = await client.get(`${path}/evaluations/${evaluation.id}/events`)
  expect(text).toContain('completed')
  return String(evaluation.id)
}

async function found(client: Client, q: string): Promise<unknown[]> {
  const { status, body } = await client.get(`/traces?q=${encodeURIComponent(q)}`)
  expect(status).toBe(200)
  return Array.isArray(body.data) ? body.data.map(({ traceId }) => traceId).sort() : []
}

describeEachEngine('a search for scores', (app) => {
  it('finds the traces of an evaluation of a dataset', async () => {
    const { client } = await app().newWorkspace()
    const { path, datasetId } = await seedTraces(client)
    await evaluate(client, path, { datasetId })
    expect(await found(client, 'score.correct:1')).toEqual(['right'])
    expect(await found(client, 'score.correct:<0.5')).toEqual(['wrong'])
  })

  it('finds the traces of an evaluation of a run, and none when the evaluation was deleted', async () => {
    const { client } = await app().newWorkspace()
    const { path, datasetId, runId } = await seedTraces(client)
    const evaluationId = await evaluate(client, path, { datasetId, runId })
    expect(await found(client, 'score.correct:1')).toEqual(['right'])
    // As deleting does, but without the job that removes the scores soon afterwards.
    const deleted_at = timestamp(app().clock.now())
    await app().storage.transaction((tx) =>
      tx.updateTable('evaluations').set({ deleted_at }).where('id', '=', evaluationId).execute(),
    )
    expect(await found(client, 'score.correct:1')).toEqual([])
  })

  it('does not reveal the ratings of a blind run, under any name', async () => {
    const { client } = await app().newWorkspace()
    const { path, datasetId, runId } = await seedTraces(client)
    await client.post(`${path}/runs/${runId}/annotations`, { traceDbId: 'wrong', rating: 'negative' })
    await evaluate(client, path, { datasetId, runId })
    await evaluate(client, path, { datasetId })
    expect(await found(client, 'score.people:0')).toEqual(['wrong'])
    expect(await found(client, 'rating:negative')).toEqual(['wrong'])
    const policy = await client.send('PUT', `${path}/runs/${runId}/annotation-policy`, { body: { blind: true } })
    expect(policy.status, policy.text).toBe(200)
    expect(await found(client, 'score.people:0')).toEqual([])
    expect(await found(client, 'rating:negative')).toEqual([])
  })
})
