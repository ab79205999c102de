// @module-tag sql
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { expectError } from './answer-forms.ts'
import { type Chain, LISTS, pathOf, seedChain } from './operations.ts'

const TABLES = [
  'components',
  'datasets',
  'dataset_items',
  'runs',
  'run_traces',
  'annotations',
  'evaluations',
  'evaluation_scores',
] as const

async function completed(client: Client, path: string): Promise<Record<string, unknown>> {
  return until(async () => {
    const { body } = await client.get(path)
    expect(body.status).toBe('completed')
    return body
  })
}

/** How many rows each table still holds of a workspace. */
async function rowsOf({ storage }: TestApp, workspaceId: string) {
  const rows: Record<string, number> = {}
  for (const table of TABLES) {
    const found = await storage.read
      .selectFrom(table)
      .select('workspace_id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    rows[table] = found.length
  }
  return rows
}

async function reclaimed(app: TestApp, workspaceId: string, left: Record<string, number>): Promise<void> {
  await until(async () => expect(await rowsOf(app, workspaceId)).toEqual(left))
}

const NOTHING = Object.fromEntries(TABLES.map((table) => [table, 0]))

describeEachEngine('deleting', (app) => {
  async function seed() {
    const { client, workspaceId } = await app().newWorkspace()
    const ids = await seedChain(client)
    const below = `/components/${ids.component}`
    await completed(client, `${below}/evaluations/${ids.evaluation}`)
    return { client, workspaceId, ids, below }
  }

  /** The lists below a component, in short. */
  async function listed(client: Client, ids: Chain): Promise<Record<string, number>> {
    const below = LISTS.filter(({ template }) => template.includes('{componentId}'))
    const lengths = await Promise.all(below.map(async (list) => (await client.list(pathOf(list, ids))).length))
    return Object.fromEntries(
      below.map(({ template }, place) => [template.replace('/components/{componentId}/', ''), lengths[place] ?? -1]),
    )
  }

  it('a component takes its datasets, runs, annotations and evaluations with it, at once and then from the disk', async () => {
    const { client, workspaceId, ids, below } = await seed()
    const other = await client.create('/components', { name: 'untouched' })
    expect((await client.delete(below)).status).toBe(204)
    expect(await listed(client, ids)).toEqual({
      datasets: 0,
      'datasets/{datasetId}/annotations': 0,
      runs: 0,
      'runs/{runId}/annotations': 0,
      evaluations: 0,
    })
    expectError(await client.get(below), 404, 'Component not found')
    expectError(await client.get(`${below}/datasets/${ids.dataset}`), 404, 'Dataset not found')
    expectError(await client.get(`${below}/runs/${ids.run}`), 404, 'Run not found')
    expectError(await client.get(`${below}/evaluations/${ids.evaluation}`), 404, 'Evaluation not found')
    expectError(await client.delete(`${below}/datasets/${ids.dataset}`), 404)
    expectError(await client.delete(`${below}/runs/${ids.run}`), 404)
    expectError(await client.delete(`${below}/runs/${ids.run}/annotations/${ids.annotation}`), 404)
    expectError(await client.post(`${below}/runs/${ids.run}/annotations`, { traceDbId: 't1' }), 404)
    await reclaimed(app(), workspaceId, { ...NOTHING, components: 1 })
    expect((await client.list('/components')).map(({ id }) => id)).toEqual([other])
  })

  it('a dataset takes its runs and evaluations with it and leaves those of its neighbour', async () => {
    const { client, workspaceId, ids, below } = await seed()
    const neighbour = await client.create(`${below}/datasets`, { name: 'Neighbour', traceIds: ['t1'] })
    const neighbourRun = await client.create(`${below}/runs`, { datasetId: neighbour, traceIds: ['t1'] })
    await client.create(`${below}/runs/${neighbourRun}/annotations`, { traceDbId: 't1', rating: 'negative' })
    const config = { evaluators: [{ type: 'humanRating' }] }
    const neighbourEvaluation = await client.create(`${below}/evaluations`, { datasetId: neighbour, config })
    await completed(client, `${below}/evaluations/${neighbourEvaluation}`)
    expect((await client.delete(`${below}/datasets/${ids.dataset}`)).status).toBe(204)
    expect((await client.list(`${below}/runs`)).map(({ id }) => id)).toEqual([neighbourRun])
    expect((await client.list(`${below}/evaluations`)).map(({ id }) => id)).toEqual([neighbourEvaluation])
    expectError(await client.get(`${below}/runs/${ids.run}`), 404, 'Run not found')
    expectError(await client.get(`${below}/evaluations/${ids.evaluation}`), 404, 'Evaluation not found')
    expect(await client.list(`${below}/runs/${ids.run}/annotations`)).toEqual([])
    expect(await client.list(`${below}/datasets/${ids.dataset}/annotations`)).toEqual([])
    expect(await client.list(`${below}/datasets/${neighbour}/annotations`)).toHaveLength(1)
    const one = Object.fromEntries(TABLES.map((table) => [table, 1]))
    await reclaimed(app(), workspaceId, one)
  })

  it('a run takes its annotations with it, while an evaluation that named it keeps its results', async () => {
    const { client, workspaceId, ids, below } = await seed()
    const before = await completed(client, `${below}/evaluations/${ids.evaluation}`)
    expect((await client.delete(`${below}/runs/${ids.run}`)).status).toBe(204)
    expect(await client.list(`${below}/runs/${ids.run}/annotations`)).toEqual([])
    expect(await client.list(`${below}/datasets/${ids.dataset}/annotations`)).toEqual([])
    expectError(await client.post(`${below}/runs/${ids.run}/annotations`, { traceDbId: 't1' }), 404, 'Run not found')
    await reclaimed(app(), workspaceId, {
      ...(await rowsOf(app(), workspaceId)),
      runs: 0,
      run_traces: 0,
      annotations: 0,
    })
    const { status, body: after } = await client.get(`${below}/evaluations/${ids.evaluation}`)
    expect(status).toBe(200)
    expect(after).toMatchObject({ status: 'completed', results: before.results, progress: before.progress })
    expect((await client.list(`${below}/evaluations`)).map(({ id }) => id)).toEqual([ids.evaluation])
    expect((await client.get(`${below}/datasets/${ids.dataset}`)).body).toMatchObject({ itemCount: 2 })
  })
})

describe('deleting without the reclaim job', () => {
  describeEachEngine(
    'a server without workers',
    (app) => {
      it('a deleted component is in no response though its rows still exist', async () => {
        const { client, workspaceId } = await app().newWorkspace()
        const ids = await seedChain(client)
        await client.delete(`/components/${ids.component}`)
        expect((await rowsOf(app(), workspaceId)).datasets).toBe(1)
        for (const list of LISTS.filter(({ auth }) => auth !== 'session'))
          expect(await client.list(pathOf(list, ids)), list.template).toEqual([])
        for (const path of ['', `/datasets/${ids.dataset}`, `/runs/${ids.run}`, `/evaluations/${ids.evaluation}`])
          expectError(await client.get(`/components/${ids.component}${path}`), 404)
      })
    },
    { works: false },
  )
})
