// @module-tag sql
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

async function seed(client: Client, count: number): Promise<void> {
  const spans = Array.from({ length: count }, (_, number) => ({
    traceId: traceIdOf(1_000 + number),
    spanId: spanIdOf(1),
    name: number % 2 === 0 ? 'even' : 'odd',
  }))
  await sendSpans(client, spans)
}

async function newRun(client: Client): Promise<string> {
  const component = `/components/${await client.create('/components', { name: 'C' })}`
  const datasetId = await client.create(`${component}/datasets`, { name: 'D' })
  return `${component}/runs/${await client.create(`${component}/runs`, { datasetId, traceIds: [traceIdOf(1_000)] })}`
}

describeEachEngine('POST …/runs/{runId}/traces/from-query', (app) => {
  it('links the newest traces that match, skips those that are linked, and counts both', async () => {
    const { client } = await app().newWorkspace()
    await seed(client, 20)
    const run = await newRun(client)
    const link = (body: object) => client.post(`${run}/traces/from-query`, body)
    const first = await link({ q: 'name:even' })
    expect([first.status, first.body]).toMatchObject([200, { added: 9, skipped: 1, run: { traceCount: 10 } }])
    expect((await link({ q: 'name:even' })).body).toMatchObject({ added: 0, skipped: 10, run: { traceCount: 10 } })
    const second = await link({ q: 'name:odd', limit: 2 })
    expect(second.body).toMatchObject({ added: 2, skipped: 0, run: { traceCount: 12 } })
    const newest = (await client.list('/traces?q=name:odd&limit=2')).map(({ traceId }) => traceId)
    const linked = (await client.list(`${run}/traces?limit=2`)).map(({ traceId }) => traceId)
    expect(new Set(linked)).toEqual(new Set(newest))
  })

  it('links nothing of another workspace, and nothing to a run of one', async () => {
    const { client } = await app().newWorkspace()
    const other = (await app().newWorkspace()).client
    await seed(other, 4)
    const run = await newRun(client)
    expect((await client.post(`${run}/traces/from-query`, { q: 'name:even' })).body).toMatchObject({ added: 0 })
    expect((await other.post(`${run}/traces/from-query`, { q: 'name:even' })).status).toBe(404)
  })

  it.each([
    [{}, 'The field q is required'],
    [{ q: ' ' }, 'The field q must have a condition'],
    [{ q: 'a', limit: 1_001 }, 'The field limit must be at most 1000'],
    [{ q: 'cost:high' }, 'The query is invalid at character 6'],
    [{ q: 'a', offset: 1 }, 'The field offset is not known'],
  ])('rejects %o', async (sent, message) => {
    const { client } = await app().newWorkspace()
    const { status, body } = await client.post(`${await newRun(client)}/traces/from-query`, sent)
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })
})
