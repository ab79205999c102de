// @module-tag sql
import pg from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { startTestApp } from '../harness/test-app.ts'

it('the reclaim job skips rows that another transaction changes, so that the two never deadlock', async () => {
  const database = await createTestDatabase('postgres')
  const app = await startTestApp(database.url)
  const other = new pg.Client(database.url)
  await other.connect()
  try {
    const { client } = await app.newWorkspace()
    const componentId = await client.create('/components', { name: 'Support' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    const items = Array.from({ length: 20 }, (_, place) => ({ input: `q${place}`, expected: 'a' }))
    expect((await client.post(`/components/${componentId}/datasets/${datasetId}/items`, items)).status).toBe(201)
    const evaluations = `/components/${componentId}/evaluations`
    const id = await client.create(evaluations, { datasetId, config: { evaluators: [{ type: 'humanRating' }] } })
    await waitFor('the evaluation to end', async () => {
      return (await client.get(`${evaluations}/${id}`)).body['status'] === 'failed' || undefined
    })

    await other.query('begin')
    await other.query(`update evaluation_scores set reason = 'changed'
      where case_ref = (select min(case_ref) from evaluation_scores)`)
    expect((await client.send('DELETE', `${evaluations}/${id}`)).status).toBe(204)
    const left = async () =>
      Number((await other.query('select count(*) as count from evaluation_scores')).rows[0].count)
    await waitFor('all others to go', async () => (await left()) === 1 || undefined)
    await other.query('commit')
    await waitFor('the last one to go', async () => (await left()) === 0 || undefined)
  } finally {
    await other.end()
    await app.close()
    await database.remove()
  }
})
