// @module-tag sql
import { expect, it } from 'vitest'
import { raterPair, seedRatedRun, setPolicy } from '../annotations/rated-run.ts'
import { ABSENT_ID, expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const NO_LINKS = {
  source: 'production',
  prompts: [],
  runs: [],
  items: [],
  scores: [],
  hasMore: { runs: false, items: false, scores: false },
}

const EVALUATORS = [
  { type: 'exactMatch', name: 'correct' },
  { type: 'humanRating', name: 'people' },
]

type Links = Record<'runs' | 'items' | 'scores', Record<string, unknown>[]> & { hasMore: Record<string, boolean> }

async function linksOf(client: Client, traceId: string): Promise<Links> {
  const { status, text } = await client.get(`/traces/${traceId}/links`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

async function evaluate(client: Client, path: string, body: Record<string, unknown>): Promise<string> {
  const id = await client.create(`${path}/evaluations`, body)
  const { text } = await client.get(`${path}/evaluations/${id}/events`)
  expect(text).toContain('completed')
  return id
}

/** A dataset with two items of traces, the second of which has the right answer, and a run with both. */
async function seedLinks(client: Client) {
  const componentId = await client.create('/components', { name: 'Support' })
  const path = `/components/${componentId}`
  for (const output of ['wrong', 'right'])
    await client.create(`${path}/traces`, { traceId: output, input: output, output, dataset: 'Returns', run: 'v7' })
  const [dataset] = await client.list(`${path}/datasets`)
  const [run] = await client.list(`${path}/runs`)
  const datasetId = String(dataset?.id)
  const items = await client.list(`${path}/datasets/${datasetId}/items`)
  for (const { id } of items)
    await client.send('PATCH', `/api/v1${path}/datasets/${datasetId}/items/${id}`, { body: { expected: 'right' } })
  return { componentId, path, datasetId, runId: String(run?.id), itemId: items[0]?.id }
}

describeEachEngine('the links of a trace', (app) => {
  it('are its runs, its dataset items and its scores, by its own id or that of its sender', async () => {
    const { client } = await app().newWorkspace()
    const { componentId, path, datasetId, runId, itemId } = await seedLinks(client)
    const config = { evaluators: EVALUATORS }
    const evaluationId = await evaluate(client, path, { datasetId, runId, name: 'Nightly', config })
    const inDataset = { aiComponentId: componentId, componentName: 'Support', datasetId, datasetName: 'Returns' }
    const links = await linksOf(client, 'right')
    expect(links).toEqual({
      source: 'run',
      prompts: [],
      runs: [{ ...inDataset, runId, runName: 'v7', createdAt: TIMESTAMP, traceCount: 2, caseNumber: 2, itemId }],
      items: [{ ...inDataset, itemId, itemNumber: 2 }],
      scores: [
        {
          ...inDataset,
          evaluationId,
          evaluationName: 'Nightly',
          createdAt: TIMESTAMP,
          runId,
          runName: 'v7',
          evaluator: 'correct',
          repetition: 1,
          score: 1,
          label: null,
          passed: true,
          reason: null,
        },
      ],
      hasMore: { runs: false, items: false, scores: false },
    })
    const { body: trace } = await client.get('/traces/right')
    expect(await linksOf(client, String(trace.id))).toEqual(links)
    const wrong = await linksOf(client, 'wrong')
    expect(wrong.runs).toEqual([expect.objectContaining({ caseNumber: 1 })])
    expect(wrong.items).toEqual([expect.objectContaining({ itemNumber: 1 })])
    expect(wrong.scores).toEqual([expect.objectContaining({ evaluator: 'correct', score: 0, passed: false })])
  })

  it('are none for a trace that is used nowhere, and none to anything that was deleted', async () => {
    const { client } = await app().newWorkspace()
    const { path, datasetId, runId } = await seedLinks(client)
    const config = { evaluators: EVALUATORS }
    await evaluate(client, path, { datasetId, runId, config })
    const plain = await client.create(`${path}/traces`, { traceId: 'plain', input: 'a' })
    expect(await linksOf(client, plain)).toEqual(NO_LINKS)
    await client.delete(`${path}/runs/${runId}`)
    const withoutRun = await linksOf(client, 'right')
    expect(withoutRun).toMatchObject({ runs: [], items: [{ datasetId }], scores: [{ runId: null, runName: null }] })
    await client.delete(`${path}/datasets/${datasetId}`)
    expect(await linksOf(client, 'right')).toEqual({ ...NO_LINKS, source: 'run' })
    expectError(await client.get(`/traces/${ABSENT_ID}/links`), 404, 'Trace not found')
  })

  it('name the item with the same input, also if it was not created from the trace', async () => {
    const { client } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'C' })}`
    const datasetId = await client.create(`${path}/datasets`, { name: 'D' })
    await client.post(`${path}/datasets/${datasetId}/items`, { input: 'question' })
    const [item] = await client.list(`${path}/datasets/${datasetId}/items`)
    await client.create(`${path}/traces`, { traceId: 'a', input: 'question', output: 'o' })
    await client.create(`${path}/runs`, { datasetId, traceIds: ['a'] })
    const links = await linksOf(client, 'a')
    expect(links.runs).toEqual([expect.objectContaining({ itemId: item?.id, runName: null, caseNumber: 1 })])
    expect(links.items).toEqual([])
  })

  it('are the newest ones of each kind, and report that there are more', async () => {
    const { client } = await app().newWorkspace()
    const { path, datasetId } = await seedLinks(client)
    for (let number = 1; number <= 20; number += 1)
      await client.create(`${path}/runs`, { datasetId, name: `run ${number}`, traceIds: ['right'] })
    const repeated = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ type: 'exactMatch', name: `correct ${index}` }))
    await evaluate(client, path, { datasetId, name: 'older', config: { evaluators: repeated(40) } })
    await evaluate(client, path, { datasetId, name: 'newer', config: { evaluators: repeated(40) } })
    const { runs, scores, hasMore } = await linksOf(client, 'right')
    expect(runs.map(({ runName }) => runName)).toEqual(Array.from({ length: 20 }, (_, index) => `run ${20 - index}`))
    expect(scores).toHaveLength(60)
    expect(scores.filter(({ evaluationName }) => evaluationName === 'newer')).toHaveLength(40)
    expect(hasMore).toEqual({ runs: true, items: false, scores: true })
  })

  it('have no score that reveals ratings to a rater of a blind run, under any name', async () => {
    const { client, workspaceId, componentId, datasetId, runId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const traceId = traces[0]?.id ?? ''
    await ann.client.create(`${path}/annotations`, { traceDbId: traceId, rating: 'negative' })
    const inComponent = `/components/${componentId}`
    const ofPeople = { evaluators: [{ type: 'humanRating', name: 'people' }] }
    const ofOthers = { evaluators: [{ type: 'contains', name: 'polite', value: 'answer' }] }
    await evaluate(client, inComponent, { datasetId, runId, config: ofPeople })
    await evaluate(client, inComponent, { datasetId, runId, config: ofOthers })
    const evaluatorsFor = async (reader: Client) => (await linksOf(reader, traceId)).scores.map((row) => row.evaluator)
    expect(await evaluatorsFor(ben.client)).toEqual(['polite', 'people'])
    await setPolicy(client, path, { blind: true })
    expect(await evaluatorsFor(ben.client)).toEqual(['polite'])
    expect(await evaluatorsFor(client)).toEqual(['polite', 'people'])
  })
})
