import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { storeTrace } from '../conformance/stored-trace.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { newRaters, rate, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

const put = (client: Client, traceId: string, body: object) =>
  client.send('PUT', `/traces/${traceId}/annotation`, { body })

async function found(client: Client, q: string): Promise<unknown[]> {
  return (await client.list(`/traces?q=${encodeURIComponent(q)}`)).map(({ id }) => id)
}

describeEachEngine('the annotation of a trace outside of runs', (app) => {
  it('is empty, then the last PUT of its author as a whole, and empty again', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const trace = await storeTrace(app(), workspaceId, { root: { output: 'answer' } })
    const at = `/traces/${trace.id}/annotation`
    const { userId } = (await client.get('/me')).body
    const none = { rating: null, comment: null, correctedOutput: null, createdAt: null, updatedAt: null }
    const empty = { traceDbId: trace.id, userId, id: null, ...none }
    expect((await client.get(at)).body).toEqual(empty)
    const first = await put(client, trace.id, { rating: 'positive', comment: 'Good', correctedOutput: 'Better' })
    expect(first.status).toBe(200)
    expect(first.body).toEqual({
      ...empty,
      id: NEW_ID,
      rating: 'positive',
      comment: 'Good',
      correctedOutput: 'Better',
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    })
    expect((await client.get(`/traces/${trace.traceId}/annotation`)).body).toEqual(first.body)
    const second = await put(client, trace.traceId, { comment: 'Well' })
    const { id, createdAt } = first.body
    expect(second.body).toMatchObject({ id, createdAt, rating: null, comment: 'Well', correctedOutput: null })
    expect((await client.delete(at)).status).toBe(204)
    expect((await client.delete(at)).status).toBe(204)
    await put(client, trace.id, { rating: 'negative' })
    expect((await put(client, trace.id, {})).body).toEqual(empty)
    expect((await client.get(at)).body).toEqual(empty)
  })

  it('keeps to the rating scheme, and is rejected with wrong fields or without a trace', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const trace = await storeTrace(app(), workspaceId, {})
    expect((await put(client, trace.id, { rating: 'any word' })).status).toBe(200)
    const ratings = ['good', 'bad'].map((value, score) => ({ value, score }))
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    expectError(await put(client, trace.id, { rating: 'any word' }), 400, /values of the rating scheme: good, bad/)
    expect((await put(client, trace.id, { rating: 'bad' })).status).toBe(200)
    expectError(await put(client, trace.id, { rating: '' }), 400, /rating must not be empty/)
    expectError(await put(client, trace.id, { rating: 1 }), 400, /rating/)
    expectError(await put(client, trace.id, { note: 'x' }), 400, 'The field note is not known')
    expectError(await put(client, ABSENT_ID, { rating: 'bad' }), 404, 'Trace not found')
    expectError(await client.get(`/traces/${ABSENT_ID}/annotation`), 404, 'Trace not found')
    expectError(await client.get(`/traces/${ABSENT_ID}/annotations`), 404, 'Trace not found')
    expectError(await client.delete(`/traces/${ABSENT_ID}/annotation`), 404, 'Trace not found')
    expectError(await put(await browserWith(app(), workspaceId, 'viewer'), trace.id, { rating: 'bad' }), 403)
  })

  it('is found by rating: and has:annotation, as those of runs are', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const [rated, commented, plain] = [0, 1, 2].map(() => storeTrace(app(), workspaceId, {}))
    const ids = await Promise.all([rated, commented, plain].map(async (trace) => (await trace)?.id ?? ''))
    await put(client, ids[0] ?? '', { rating: 'Wrong' })
    await put(client, ids[1] ?? '', { comment: 'Hm' })
    expect(await found(client, 'rating:wrong')).toEqual([ids[0]])
    expect(await found(client, 'rating:wr*')).toEqual([ids[0]])
    expect(await found(client, 'rating:*')).toEqual([ids[0]])
    expect(new Set(await found(client, 'has:annotation'))).toEqual(new Set(ids.slice(0, 2)))
    expect(new Set(await found(client, 'NOT rating:wrong'))).toEqual(new Set(ids.slice(1)))
  })

  it('counts neither in the agreement nor in the queue of a run', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    await rate(ann.client, path, traces[0]?.id ?? '')
    const before = await client.get(`${path}/agreement`)
    await put(ben.client, traces[0]?.id ?? '', { rating: 'negative' })
    expect((await client.get(`${path}/agreement`)).text).toBe(before.text)
    expect((await ben.client.get(`${path}/queue`)).body).toMatchObject({ rated: 0, remaining: 1 })
  })

  it('is listed with those of runs, newest first, with the names of authors and runs', async () => {
    const { client, workspaceId, path, componentId, runId, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const traceId = traces[0]?.id ?? ''
    await client.patch(path, { name: 'Prompt v7' })
    await rate(ann.client, path, traceId)
    await put(ben.client, traceId, { rating: 'negative', comment: 'No' })
    const { body } = await client.get(`/traces/${traces[0]?.traceId}/annotations`)
    const common = { id: NEW_ID, traceDbId: traceId, correctedOutput: null, createdAt: TIMESTAMP, updatedAt: TIMESTAMP }
    const outside = { aiComponentId: null, runId: null, runName: null }
    const inRun = { aiComponentId: componentId, runId, runName: 'Prompt v7' }
    expect(body).toEqual({
      data: [
        { ...common, ...outside, userId: ben.userId, name: 'Rater 1', rating: 'negative', comment: 'No' },
        { ...common, ...inRun, userId: ann.userId, name: 'Rater 0', rating: 'positive', comment: null },
      ],
      hiddenRaters: [],
    })
    await client.delete(path)
    expect((await client.list(`/traces/${traceId}/annotations`)).map((row) => row.userId)).toEqual([ben.userId])
  })

  it('of others is hidden in blind runs until the reader has rated the trace', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const [traceId = '', other = ''] = traces.map(({ id }) => id)
    await setPolicy(client, path, { blind: true })
    await rate(ann.client, path, traceId)
    await put(ann.client, traceId, { rating: 'positive' })
    await put(ben.client, traceId, { comment: 'mine' })
    const response = (await ben.client.get(`/traces/${traceId}/annotations`)).body
    expect(Array.from(Object(response.data), (row) => Object(row).userId)).toEqual([ben.userId])
    expect(response.hiddenRaters).toEqual([{ userId: ann.userId, name: 'Rater 0' }])
    expect(await found(ben.client, 'rating:positive')).toEqual([])
    expect(await found(client, 'rating:positive')).toEqual([])
    await rate(ben.client, path, other)
    expect(await ben.client.list(`/traces/${traceId}/annotations`)).toHaveLength(1)
    await rate(ben.client, path, traceId)
    const open = (await ben.client.get(`/traces/${traceId}/annotations`)).body
    expect(Object(open.data)).toHaveLength(4)
    expect(open.hiddenRaters).toEqual([])
  })

  it('is deleted with its trace, and stays when the trace’s component is deleted', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Owner' })
    const traceId = await client.create(`/components/${componentId}/traces`, { name: 'Owned', input: 'x' })
    await put(client, traceId, { rating: 'positive' })
    await client.create(`/traces/${traceId}/comments`, { text: 'Hm' })
    await client.delete(`/components/${componentId}`)
    await waitForJobs(app().storage, workspaceId)
    expect(await client.list(`/traces/${traceId}/annotations`)).toHaveLength(1)
    expect((await client.delete(`/traces/${traceId}`)).status).toBe(204)
    expectError(await client.get(`/traces/${traceId}/annotations`), 404)
    await waitForJobs(app().storage, workspaceId)
    for (const table of ['trace_annotations', 'trace_comments'] as const) {
      const rows = app().storage.read.selectFrom(table).selectAll().where('workspace_id', '=', workspaceId)
      expect(await rows.execute()).toEqual([])
    }
  })

  it('is one row per author for any number of concurrent requests', { tags: 'sized' }, async () => {
    const { workspaceId } = await app().newWorkspace()
    const raters = await newRaters(app(), { workspaceId, count: 3 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2), { minLength: 8, maxLength: 8 }), async (authors) => {
        const trace = await storeTrace(app(), workspaceId, {})
        const answers = await Promise.all(
          authors.map((author, place) =>
            put(raters[author]?.client ?? app().anonymous, trace.id, { rating: `${place}` }),
          ),
        )
        expect(answers.map(({ status }) => status)).toEqual(authors.map(() => 200))
        const stored = (await raters[0]?.client.list(`/traces/${trace.id}/annotations?limit=100`)) ?? []
        expect(new Set(stored.map(({ userId }) => userId)).size).toBe(stored.length)
        for (const { userId, rating } of stored)
          expect(raters[authors[Number(rating)] ?? -1]?.userId, 'the rating of another author').toBe(userId)
      }),
      { numRuns: runs(5), endOnFailure: true },
    )
  })
})
