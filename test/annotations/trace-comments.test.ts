import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ABSENT_ID, expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { storeTrace } from '../conformance/stored-trace.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { newRaters, rate, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

describeEachEngine('comments on a trace', (app) => {
  async function seedTrace() {
    const { client, workspaceId } = await app().newWorkspace()
    const trace = await storeTrace(app(), workspaceId, { root: { input: 'question' }, first: { output: 'answer' } })
    const [ann, ben] = await raterPair(app(), workspaceId)
    return { client, workspaceId, trace, ann, ben, at: `/traces/${trace.id}/comments` }
  }

  it('are listed oldest first, of the trace and of its spans, or of one span', async () => {
    const { trace, ann, ben, at } = await seedTrace()
    const made = await ann.client.post(at, { text: 'Why so slow?' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: NEW_ID,
      traceDbId: trace.id,
      spanId: null,
      userId: ann.userId,
      name: 'Rater 0',
      text: 'Why so slow?',
      createdAt: TIMESTAMP,
      updatedAt: made.body.createdAt,
    })
    const onSpan = await ben.client.post(`/traces/${trace.traceId}/comments`, { text: 'Two retries', spanId: 'first' })
    expect(onSpan.body).toMatchObject({ spanId: 'first', name: 'Rater 1', text: 'Two retries' })
    expect(await ben.client.list(at)).toEqual([made.body, onSpan.body])
    expect(await ben.client.list(`${at}?span_id=first`)).toEqual([onSpan.body])
    expect(await ben.client.list(`${at}?span_id=none`)).toEqual([])
  })

  it('are changed only by their author', async () => {
    const { client, ann, ben, at } = await seedTrace()
    const { body } = await ann.client.post(at, { text: 'First' })
    const changed = await ann.client.patch(`${at}/${body.id}`, { text: 'Second' })
    expect([changed.status, changed.body]).toEqual([200, { ...body, text: 'Second', updatedAt: TIMESTAMP }])
    expectError(await ben.client.patch(`${at}/${body.id}`, { text: 'x' }), 403, 'Only its author may change a comment')
    expectError(await client.patch(`${at}/${body.id}`, { text: 'x' }), 403)
    expect(await client.list(at)).toEqual([changed.body])
  })

  it('are deleted by their author, or by an admin, with an entry in the audit log', async () => {
    const { workspaceId, ann, ben, at } = await seedTrace()
    const own = await ann.client.create(at, { text: 'Own' })
    const others = await ann.client.create(at, { text: 'Others' })
    expectError(await ben.client.delete(`${at}/${own}`), 403, 'Only its author or an admin may delete a comment')
    expect((await ann.client.delete(`${at}/${own}`)).status).toBe(204)
    expectError(await ann.client.delete(`${at}/${own}`), 404, 'Comment not found')
    const admin = await browserWith(app(), workspaceId, 'admin')
    expect((await admin.delete(`${at}/${others}`)).status).toBe(204)
    expect(await ben.client.list(at)).toEqual([])
    const events = (await admin.list('/audit-log')).filter(({ action }) => action === 'trace-comment.deleted')
    expect(events.map(({ resourceId }) => resourceId)).toEqual([others])
  })

  it('are rejected without a text, on a span that is not of the trace, on no trace, and by viewers', async () => {
    const { client, workspaceId, at } = await seedTrace()
    const id = await client.create(at, { text: 'There' })
    expectError(await client.post(at, { text: '' }), 400, /text must not be empty/)
    expectError(await client.post(at, {}), 400, /text is required/)
    expectError(await client.post(at, { text: 'x'.repeat(20_001) }), 400, /text/)
    expectError(await client.post(at, { text: 'x', spanId: 'last' }), 400, /spanId must be the id of a span/)
    expectError(await client.post(`/traces/${ABSENT_ID}/comments`, { text: 'x' }), 404, 'Trace not found')
    expectError(await client.get(`/traces/${ABSENT_ID}/comments`), 404, 'Trace not found')
    const other = await storeTrace(app(), workspaceId, {})
    for (const trace of [ABSENT_ID, other.id]) {
      expectError(await client.patch(`/traces/${trace}/comments/${id}`, { text: 'x' }), 404)
      expectError(await client.delete(`/traces/${trace}/comments/${id}`), 404)
    }
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    expect(await viewer.list(at)).toHaveLength(1)
    expectError(await viewer.post(at, { text: 'x' }), 403)
    expectError(await client.get(`${at}?spanId=first`), 400, /spanId is not known; this endpoint accepts/)
  })

  it('of others are hidden while the reader has to rate the trace blindly', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const [admin] = await newRaters(app(), { workspaceId, count: 1, role: 'admin' })
    const at = `/traces/${traces[0]?.id}/comments`
    await ann.client.post(at, { text: 'Clearly wrong' })
    await ben.client.post(at, { text: 'Mine' })
    await setPolicy(client, path, { blind: true })
    expect((await ben.client.list(at)).map(({ text }) => text)).toEqual(['Mine'])
    expect(await admin?.client.list(at)).toHaveLength(2)
    await rate(ben.client, path, traces[0]?.id ?? '')
    expect(await ben.client.list(at)).toHaveLength(2)
  })

  it('are listed exactly once over all pages, though others are written meanwhile', { tags: 'sized' }, async () => {
    const { client, at } = await seedTrace()
    const ids: unknown[] = []
    for (let place = 0; place < 7; place += 1) ids.push(await client.create(at, { text: `${place}` }))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), async (limit) => {
        const seen: unknown[] = []
        for (let offset = 0; ; offset += limit) {
          const page = await client.list(`${at}?limit=${limit}&offset=${offset}`)
          seen.push(...page.map(({ id }) => id))
          if (page.length < limit) break
          if (offset === 0) ids.push(await client.create(at, { text: 'meanwhile' }))
        }
        expect(seen).toEqual(ids)
      }),
      { numRuns: runs(4), endOnFailure: true },
    )
  })
})
