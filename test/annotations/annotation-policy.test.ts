import { expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { ask, newRaters, rate, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

const NONE = { ratersPerItem: null, blind: false, ratings: null }

describeEachEngine('the annotation policy of a run', (app) => {
  it('requires nothing by default, returns what was set, and can be deleted twice', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    const at = `${path}/annotation-policy`
    expect((await client.get(at)).body).toEqual(NONE)
    const policy = { ratersPerItem: 2, blind: true, ratings: ['good', 'bad'] }
    const set = await setPolicy(client, path, policy)
    expect([set.status, set.body]).toEqual([200, policy])
    expect((await client.get(at)).body).toEqual(policy)
    expect((await setPolicy(client, path, { blind: true })).body).toEqual({ ...NONE, blind: true })
    expect((await client.get(at)).body).toEqual({ ...NONE, blind: true })
    for (let times = 0; times < 2; times += 1) expect((await client.delete(at)).status).toBe(204)
    expect((await client.get(at)).body).toEqual(NONE)
  })

  it('is of one run: a missing, foreign or otherwise filed run has none, byte for byte the same', async () => {
    const { client, componentId } = await seedRatedRun(app(), 0)
    const foreign = await seedRatedRun(app(), 0)
    for (const path of [`/components/${componentId}/runs/${ABSENT_ID}`, foreign.path]) {
      expectError(await client.get(`${path}/annotation-policy`), 404, 'Run not found')
      expectError(await setPolicy(client, path, { blind: true }), 404, 'Run not found')
      expectError(await client.delete(`${path}/annotation-policy`), 404, 'Run not found')
    }
    expect((await foreign.client.get(`${foreign.path}/annotation-policy`)).body).toEqual(NONE)
  })

  it('is rejected with invalid fields', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    for (const ratersPerItem of [0, -1, 1.5, 101, '2'])
      expectError(await setPolicy(client, path, { ratersPerItem }), 400, /ratersPerItem/)
    for (const ratings of [[], [''], ['a', 'a'], 'a', [1]])
      expectError(await setPolicy(client, path, { ratings }), 400, /ratings/)
    expectError(await setPolicy(client, path, { ratings: [] }), 400, 'The field ratings must not be empty')
    expectError(
      await setPolicy(client, path, { ratings: ['a', 'a'] }),
      400,
      'The field ratings must not contain duplicates: [0] and [1] are equal',
    )
    expectError(await setPolicy(client, path, { blind: null }), 400, /blind/)
    expectError(await setPolicy(client, path, { surplus: 1 }), 400, /surplus/)
  })

  it('is set by editors, read by all, and every change is in the audit log', async () => {
    const { client, workspaceId, path, runId } = await seedRatedRun(app(), 0)
    const annotator = await browserWith(app(), workspaceId, 'annotator')
    expectError(await setPolicy(annotator, path, { blind: false }), 403)
    expectError(await annotator.delete(`${path}/annotation-policy`), 403)
    expect((await annotator.get(`${path}/annotation-policy`)).status).toBe(200)
    await setPolicy(client, path, { blind: true })
    await client.delete(`${path}/annotation-policy`)
    const log = await (await browserWith(app(), workspaceId, 'owner')).list('/audit-log')
    const changes = log.filter(({ action }) => action === 'annotation-policy.changed')
    expect(changes.map(({ resourceId }) => resourceId)).toEqual([runId, runId])
  })

  it('with a list of ratings rejects all others with the list, and does not affect comments', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    await setPolicy(client, path, { ratings: ['good', 'bad'] })
    expectError(
      await rate(client, path, 't1', 'positive'),
      400,
      'The field rating must be one of the values that the run allows: good, bad',
    )
    expectError(await rate(client, path, 't1', ''), 400, /good, bad/)
    expect(await client.list(`${path}/annotations`)).toEqual([])
    expect((await client.post(`${path}/annotations`, { traceDbId: 't1', comment: 'hm' })).status).toBe(201)
    expect((await rate(client, path, 't1', 'good')).body).toMatchObject({ rating: 'good', comment: 'hm' })
  })

  it('with a list of ratings lets all raters withdraw their ratings', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    await setPolicy(client, path, { ratings: ['good', 'bad'], ratersPerItem: 1 })
    expect((await rate(client, path, 't1', 'good')).status).toBe(201)
    expect((await rate(client, path, 't1', '')).body).toMatchObject({ rating: '' })
    expect((await rate(client, path, 't1', 'bad')).body).toMatchObject({ rating: 'bad' })
  })

  it('keeps the longest rating of the longest reference, in four bytes a character, within the limit of an index', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    const various = (length: number, from: number) =>
      Array.from({ length }, (_, place) => String.fromCodePoint(from + ((place * 7_919) % 40_000))).join('')
    const traceDbId = various(128, 0x20000)
    const rating = various(500, 0x1f000)
    expect((await rate(client, path, traceDbId, rating)).body).toMatchObject({ traceDbId, rating })
  })

  it('with two raters per item rejects the third, lets the two change their ratings, and everyone comment', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 2 })
    const [a, b, c] = await newRaters(app(), { workspaceId, count: 3 })
    const [trace] = traces
    if (!a || !b || !c || !trace) throw new Error('there are three raters and a trace')
    // By both names of the trace: it is one item.
    expect((await rate(a.client, path, trace.id)).status).toBe(201)
    expect((await rate(b.client, path, trace.traceId)).status).toBe(201)
    const message = 'This trace already has the maximum of 2 raters'
    expectError(await rate(c.client, path, trace.id), 409, message)
    expect((await c.client.post(`${path}/annotations`, { traceDbId: trace.id, comment: 'hm' })).status).toBe(201)
    expectError(await rate(c.client, path, trace.id), 409, message)
    expect((await rate(a.client, path, trace.id, 'negative')).body).toMatchObject({ rating: 'negative' })
    // A place that is given back, by taking the rating back or deleting it, is free.
    expect((await rate(b.client, path, trace.id, '')).status).toBe(201)
    expect((await rate(c.client, path, trace.id)).status).toBe(201)
    expectError(await rate(b.client, path, trace.id), 409, message)
    expect((await rate(b.client, path, 'another trace')).status).toBe(201)
    await client.delete(`${path}/annotation-policy`)
    expect((await rate(b.client, path, trace.id)).status).toBe(201)
  })

  it('lets the person with the lease rate the trace, and no one else until the lease ends', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [sent, other] = await raterPair(app(), workspaceId)
    const { traceDbId } = await ask(sent.client, path)
    expectError(await rate(other.client, path, traceDbId ?? ''), 409, /one rater/)
    expect((await rate(sent.client, path, traceDbId ?? '')).status).toBe(201)
    expectError(await rate(other.client, path, traceDbId ?? ''), 409, /one rater/)
  })

  it('accepts a rating after the lease has expired if no one else has taken the trace', async () => {
    const { client, workspaceId, runId, path } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [late, other] = await raterPair(app(), workspaceId)
    const { traceDbId } = await ask(late.client, path)
    const past = new Date(app().clock.now() - 1_000).toISOString()
    const { storage } = app()
    await storage.transaction((tx) =>
      tx.updateTable('annotation_leases').set({ lease_until: past }).where('run_id', '=', runId).execute(),
    )
    expect((await ask(other.client, path)).traceDbId).toBe(traceDbId)
    expectError(await rate(late.client, path, traceDbId ?? ''), 409)
    expect((await rate(other.client, path, traceDbId ?? '')).status).toBe(201)
  })

  it('accepts exactly the allowed number of concurrent raters', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 3 })
    const raters = await newRaters(app(), { workspaceId, count: 12 })
    for (const { id } of traces) {
      const answers = await Promise.all(raters.map((rater) => rate(rater.client, path, id)))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([201, 201, 201, ...Array.from({ length: 9 }, () => 409)])
    }
    expect(await client.list(`${path}/annotations?limit=100`)).toHaveLength(6)
  })

  it('goes with its run, and its leases do', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1, blind: true })
    const [rater] = await raterPair(app(), workspaceId)
    await ask(rater.client, path)
    expect((await client.delete(path)).status).toBe(204)
    expectError(await client.get(`${path}/annotation-policy`), 404, 'Run not found')
    expectError(await rater.client.get(`${path}/queue`), 404, 'Run not found')
    await waitForJobs(app().storage, workspaceId)
    for (const table of ['annotation_policies', 'annotation_leases'] as const)
      expect(
        await app().storage.read.selectFrom(table).selectAll().where('workspace_id', '=', workspaceId).execute(),
      ).toEqual([])
  })
})
