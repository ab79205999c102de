// @module-tag sql
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { newRaters, rateAll } from '../annotations/rated-run.ts'
import { passesOf, type Seeded, seedComparison } from '../comparisons/seed-comparison.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { until } from '../harness/wait-for.ts'

type Row = { id: string } & Record<string, unknown>

async function readPage(client: Client, path: string): Promise<{ data: Row[]; nextCursor: string | null }> {
  const { status, text, body } = await client.get(path)
  expect(status, text).toBe(200)
  expect(Object.keys(body)).toEqual(['data', 'nextCursor'])
  const { data, nextCursor } = body
  return { data: Array.isArray(data) ? data : [], nextCursor: typeof nextCursor === 'string' ? nextCursor : null }
}

async function evaluate(client: Client, component: string, body: object): Promise<string> {
  const id = await client.create(`${component}/evaluations`, body)
  const path = `${component}/evaluations/${id}`
  await until(async () => expect((await client.get(path)).body.status).toBe('completed'))
  return id
}

describeEachEngine('lists of datasets, runs and evaluations', (app) => {
  let seeded: Seeded
  let evaluationId: string

  beforeAll(async () => {
    const passes = passesOf(12, (item) => ({ isError: item < 3, ...(item < 4 && { costUsd: 0.25 }) }))
    seeded = await seedComparison(app(), { items: 12, baseline: passes, candidate: passes })
    const { client, workspaceId, component, datasetId, baseline, candidate } = seeded
    const [ada] = await newRaters(app(), { workspaceId, count: 1 })
    const traces = candidate.traceIds.map((id) => ({ id, traceId: id }))
    if (ada) await rateAll(ada.client, `${component}/runs/${candidate.runId}`, traces.slice(0, 5))
    const evaluators = [
      { type: 'latency', maxMs: 1_000 },
      { type: 'exactMatch', name: 'right' },
    ]
    const config = { evaluators, baselineRunId: baseline.runId, gate: { metric: 'error', margin: 0.5 } }
    evaluationId = await evaluate(client, component, { datasetId, runId: candidate.runId, name: 'Nightly', config })
  })

  it('have of each run its ratings, errors, known and unknown costs, and the numbers of its newest evaluation', async () => {
    const { client, component, datasetId, baseline, candidate } = seeded
    const { data, nextCursor } = await readPage(client, `${component}/run-summaries`)
    const results = Object((await client.get(`${component}/evaluations/${evaluationId}`)).body.results)
    expect(nextCursor).toBeNull()
    expect(data.map(({ id }) => id)).toEqual([candidate.runId, baseline.runId])
    const traces = { arrived: 12, errors: 3, cost: { usd: 1, unknown: 8 } }
    expect(data[0]).toMatchObject({ name: 'B', datasetId, datasetName: 'Questions', traceCount: 12, traces })
    expect(data[0]).toMatchObject({ rated: 5, unrated: 7, isToBeRated: true, newestEvaluation: { id: evaluationId } })
    expect(data[0]?.results).toMatchObject({ id: evaluationId, name: 'Nightly' })
    const numbers = (metrics: Row[]) => metrics.map(({ name, mean, ci, n }) => ({ name, mean, ci, n }))
    expect(numbers(Object(data[0]?.results).metrics)).toEqual(numbers(results.metrics))
    expect(data[0]?.comparison).toMatchObject({ verdict: results.comparison.verdict, gate: results.gate })
    expect(data[1]).toMatchObject({ name: 'A', rated: 0, comparison: null, results: { id: baseline.evaluationId } })
  })

  it('have of each evaluation its progress, numbers, comparison and costs', async () => {
    const { client, component, baseline, candidate } = seeded
    const { data } = await readPage(client, `${component}/evaluation-summaries`)
    expect(data.map(({ id }) => id)).toEqual([evaluationId, candidate.evaluationId, baseline.evaluationId])
    const scores = { total: 24, done: 12, failed: 0 }
    expect(data[0]).toMatchObject({ status: 'completed', run: { id: candidate.runId, name: 'B' }, spentUsd: 0, scores })
    expect(data[0]?.comparison).toMatchObject({ evaluationId, baseline: { id: baseline.runId } })
    const [newest] = data
    const one = await readPage(client, `${component}/evaluation-summaries?evaluation_id=${newest?.id}`)
    expect(one).toEqual({ data: [newest], nextCursor: null })
    const ofRun = await readPage(client, `${component}/evaluation-summaries?run_id=${baseline.runId}`)
    expect(ofRun.data.map(({ id }) => id)).toEqual([baseline.evaluationId])
  })

  it('have of each dataset its items, runs, newest run and results', async () => {
    const { client, component, datasetId, candidate } = seeded
    const { data } = await readPage(client, `${component}/dataset-summaries`)
    expect(data).toMatchObject([
      { id: datasetId, name: 'Questions', itemCount: 12, runs: 2, newestRun: { id: candidate.runId } },
    ])
    expect(data[0]?.results).toMatchObject({ id: evaluationId })
  })

  it('are of one dataset, if requested; of a missing one there are none', async () => {
    const { client, component } = seeded
    const other = await client.create(`${component}/datasets`, { name: 'Other' })
    for (const list of ['run-summaries', 'evaluation-summaries']) {
      const { data } = await readPage(client, `${component}/${list}?dataset_id=${other}`)
      expect(data).toEqual([])
    }
    await client.delete(`${component}/datasets/${other}`)
  })

  it('have nothing that was deleted, and end with the component', async () => {
    const { client, component, datasetId } = await seedComparison(app(), {
      items: 2,
      baseline: passesOf(2, () => ({})),
      candidate: passesOf(2, () => ({})),
    })
    await client.delete(`${component}/datasets/${datasetId}`)
    for (const list of LISTS) expect((await readPage(client, `${component}/${list}`)).data).toEqual([])
    await client.delete(component)
    for (const list of LISTS) expect((await client.get(`${component}/${list}`)).status).toBe(404)
  })
})

const LISTS = ['dataset-summaries', 'run-summaries', 'evaluation-summaries']

describeEachEngine('pages of summaries', (app) => {
  it('have each row exactly once, newest first, on pages of any size, while others are created', {
    tags: 'sized',
  }, async () => {
    const { client } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Paged' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'first' })
    const create = {
      datasets: () => client.create(`${component}/datasets`, { name: 'another' }),
      runs: () => client.create(`${component}/runs`, { datasetId }),
      evaluations: () => client.create(`${component}/evaluations`, { datasetId }),
    }
    for (const add of Object.values(create)) for (let count = 0; count < 5; count += 1) await add()
    const kind = fc.constantFrom('datasets' as const, 'runs' as const, 'evaluations' as const)
    await fc.assert(
      fc.asyncProperty(kind, fc.integer({ min: 1, max: 8 }), fc.boolean(), async (kind, limit, isGrowing) => {
        const expected = (await client.list(`${component}/${kind}?limit=100`)).map(({ id }) => id)
        const found: string[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const path = `${component}/${kind.slice(0, -1)}-summaries?limit=${limit}${cursor && `&cursor=${cursor}`}`
          const page = await readPage(client, path)
          found.push(...page.data.map(({ id }) => id))
          cursor = page.nextCursor
          if (isGrowing && found.length < 3) await create[kind]()
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: runs(6) },
    )
  })

  describe('are rejected with 400 for', () => {
    it.each([
      ['limit=0', 'The query parameter limit must be a whole number from 1 to 100'],
      ['cursor=abc', 'The query parameter cursor must be the nextCursor'],
      ['dataset_id=abc', 'The query parameter dataset_id must be a UUID'],
      ['q=a', 'The query parameter q is not known'],
    ])('%s', async (parameters, message) => {
      const { client } = await app().newWorkspace()
      const id = await client.create('/components', { name: 'Any' })
      const { status, body } = await client.get(`/components/${id}/run-summaries?${parameters}`)
      expect([status, Object.keys(body), body.error]).toEqual([400, ['error'], expect.stringContaining(message)])
    })
  })
})
