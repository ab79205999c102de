import { expect, it } from 'vitest'
import { ABSENT_ID, expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import { newTraceId, storeTrace } from '../conformance/stored-trace.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ask, newRaters, rate, rateAll, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

const MINUTE = 60_000

describeEachEngine('the queue of a run', (app) => {
  it('returns a whole trace to rate, with the expected output and the allowed ratings', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 1, { expected: 'the right answer' })
    await client.post(`${path}/annotations`, { traceDbId: traces[0]?.id, comment: 'not sure yet' })
    const { body, item } = await ask(client, path)
    expect(body).toMatchObject({
      remaining: 1,
      rated: 0,
      total: 1,
      order: 'random',
      leaseUntil: null,
      blind: false,
      ratings: [
        { value: 'positive', label: null },
        { value: 'negative', label: null },
      ],
      summary: 'You have rated 0 of 1 traces; 1 remain.',
    })
    expect(item).toMatchObject({
      traceDbId: traces[0]?.id,
      traceId: traces[0]?.traceId,
      name: 'stored',
      status: 'ok',
      durationMs: 1_000,
      input: 'question 0',
      output: 'answer 0',
      expected: 'the right answer',
      comment: 'not sure yet',
    })
    expect(item?.itemId).toEqual(expect.any(String))
  })

  it('offers the words that the policy allows, with the labels of the scheme', async () => {
    const { client, path } = await seedRatedRun(app(), 1)
    const ratings = [
      { value: 'yes', score: 1, label: 'Yes!' },
      { value: 'no', score: 0 },
    ]
    await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: false } })
    await setPolicy(client, path, { ratings: ['no', 'maybe', 'yes'] })
    expect((await ask(client, path)).body.ratings).toEqual([
      { value: 'no', label: null },
      { value: 'maybe', label: null },
      { value: 'yes', label: 'Yes!' },
    ])
  })

  it('returns all traces once, the same one until it is rated, and then reports that all are rated', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 5)
    const seen: (string | null)[] = []
    for (const place of traces.keys()) {
      const { traceDbId, body } = await ask(client, path)
      expect(body).toMatchObject({ rated: place, remaining: 5 - place, total: 5 })
      expect((await ask(client, path)).traceDbId).toBe(traceDbId)
      seen.push(traceDbId)
      await rate(client, path, traceDbId ?? '')
    }
    expect(seen).toEqual(traces.map(({ id }) => id))
    const { item, body } = await ask(client, path)
    expect(item).toBeNull()
    expect(body).toMatchObject({ remaining: 0, rated: 5, summary: 'You have rated all 5 traces of this run.' })
  })

  it('returns first the traces with fewer raters, and then those with one more', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 4)
    const [ann, ben] = await raterPair(app(), workspaceId)
    await rateAll(ann.client, path, traces.slice(0, 2))
    expect((await ask(ben.client, path)).traceDbId).toBe(traces[2]?.id)
    await rateAll(ben.client, path, traces.slice(2, 3))
    expect((await ask(ben.client, path)).traceDbId).toBe(traces[3]?.id)
    await rateAll(client, path, traces.slice(2))
    // All have a rating: the fourth has two of others, and the third has Ben’s own.
    await rateAll(ann.client, path, traces.slice(3))
    const left = traces.slice(0, 2).map(({ id }) => id)
    expect(left).toContain((await ask(ben.client, path)).traceDbId)
  })

  it('does not report that all are rated while traces have not arrived, and returns them when they have', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 1)
    const traceId = newTraceId()
    await client.post(`${path}/traces`, { traceIds: [traceId, 'never sent'] })
    await rateAll(client, path, traces)
    const { item, body } = await ask(client, path)
    expect(item).toBeNull()
    expect(body).toMatchObject({ remaining: 2, rated: 1, total: 3 })
    expect(body.summary).toBe(
      'No trace is available at the moment, although 2 remain: 2 of the run’s traces have not arrived.',
    )
    const { workspaceId } = (await client.get('/me')).body
    const late = await storeTrace(app(), String(workspaceId), { traceId, root: { output: 'late' } })
    expect((await ask(client, path)).item).toMatchObject({ traceDbId: late.id, output: 'late' })
  })

  it('excludes the traces that the person skips, and returns the reason why nothing is left', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 3)
    const ids = traces.map(({ id }) => id)
    expect((await ask(client, path, ids.slice(0, 1))).traceDbId).toBe(ids[1])
    expect((await ask(client, path, ids.slice(0, 2))).traceDbId).toBe(ids[2])
    const { item, body } = await ask(client, path, [...ids, 'no such trace'])
    expect(item).toBeNull()
    expect(body.summary).toMatch(/3 remain: you skipped/)
    expect((await ask(client, path)).traceDbId).toBe(ids[0])
  })

  it('of an empty run is empty', async () => {
    const { client, path } = await seedRatedRun(app(), 0)
    expect((await ask(client, path)).body).toMatchObject({ item: null, total: 0, summary: 'This run has no traces.' })
  })

  it('reserves a trace for POST, and none for GET and HEAD', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [first, second] = await raterPair(app(), workspaceId)
    const held = () =>
      app().storage.read.selectFrom('annotation_leases').selectAll().where('workspace_id', '=', workspaceId).execute()
    const looked = await first.client.get(`${path}/queue`)
    expect(looked.body).toMatchObject({ item: { traceDbId: expect.any(String) }, leaseUntil: null, remaining: 1 })
    await first.client.send('HEAD', `${path}/queue`)
    expect(await held()).toEqual([])
    const taken = await ask(second.client, path)
    expect(taken.body.leaseUntil).toEqual(TIMESTAMP)
    expect(await held()).toHaveLength(1)
    expect((await second.client.get(`${path}/queue`)).body).toMatchObject({
      item: taken.item,
      leaseUntil: taken.body.leaseUntil,
    })
    expect((await first.client.get(`${path}/queue`)).body.item).toBeNull()
  })

  it('is denied to viewers, and 404 for a run that is missing or of another application', async () => {
    const { client, workspaceId, path, componentId } = await seedRatedRun(app(), 1)
    const foreign = await seedRatedRun(app(), 1)
    expectError(await (await browserWith(app(), workspaceId, 'viewer')).get(`${path}/queue`), 403)
    expect((await (await browserWith(app(), workspaceId, 'annotator')).get(`${path}/queue`)).status).toBe(200)
    expectError(await client.get(`/components/${componentId}/runs/${ABSENT_ID}/queue`), 404, 'Run not found')
    expectError(await client.get(`${foreign.path}/queue`), 404, 'Run not found')
    expectError(await client.get(`${path}/queue?skip=${'x'.repeat(5_000)}`), 400, /skip/)
  })

  it('with raters counted reserves a trace for ten minutes, for one person or a key of theirs', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const first = await ask(ann.client, path)
    expect(first.body.leaseUntil).toEqual(TIMESTAMP)
    const lasts = Date.parse(String(first.body.leaseUntil)) - Date.now()
    expect(lasts).toBeGreaterThan(9 * MINUTE)
    expect(lasts).toBeLessThan(11 * MINUTE)
    expect((await ask(ben.client, path)).traceDbId).toBe(traces[1]?.id)
    expect((await ask(ann.client, path)).text).toBe(first.text)
    // Nothing is free, though nothing is rated.
    const { item, body } = await ask(client, path)
    expect(item).toBeNull()
    expect(body).toMatchObject({ remaining: 2, leaseUntil: null })
    expect(body.summary).toMatch(/2 remain: others are being rated by other users/)
    await rate(ann.client, path, first.traceDbId ?? '')
    const done = await ask(ann.client, path)
    expect([done.item, done.body.remaining]).toEqual([null, 1])
    await rate(ben.client, path, traces[1]?.id ?? '')
    expect((await ask(ann.client, path)).body.summary).toBe(
      'No traces are left for you: each trace that you have not rated has its rater.',
    )
  })

  it('releases a skipped trace, so that another person gets it', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const { traceDbId } = await ask(ann.client, path)
    expect((await ask(ann.client, path, [traceDbId ?? ''])).traceDbId).toBe(traces[1]?.id)
    expect((await ask(ben.client, path)).traceDbId).toBe(traceDbId)
  })

  it('returns a trace again after its lease has expired, and renews leases that expire soon', async () => {
    const { client, workspaceId, runId, path } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const { traceDbId } = await ask(ann.client, path)
    await moveLeases(runId, 4 * MINUTE)
    const renewed = await ask(ann.client, path)
    expect(renewed.traceDbId).toBe(traceDbId)
    expect(Date.parse(String(renewed.body.leaseUntil)) - Date.now()).toBeGreaterThan(9 * MINUTE)
    expect((await ask(ben.client, path)).item).toBeNull()
    await moveLeases(runId, -1_000)
    expect((await ask(ben.client, path)).traceDbId).toBe(traceDbId)
    expect((await ask(ann.client, path)).item).toBeNull()
  })

  it('continues when a leased trace was deleted', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann] = await newRaters(app(), { workspaceId, count: 1 })
    if (!ann) throw new Error('there is one')
    const { traceDbId } = await ask(ann.client, path)
    expect((await client.delete(`/traces/${traceDbId}`)).status).toBe(204)
    expect((await ask(ann.client, path)).traceDbId).toBe(traces[1]?.id)
  })

  async function moveLeases(runId: string, ms: number): Promise<void> {
    const lease_until = new Date(app().clock.now() + ms).toISOString()
    await app().storage.transaction((tx) =>
      tx.updateTable('annotation_leases').set({ lease_until }).where('run_id', '=', runId).execute(),
    )
  }
})
