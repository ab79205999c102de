import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deleteOldChanges } from '../../src/annotations/annotation-queries.ts'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { ask, newRaters, rate, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

describeEachEngine('undo of an annotation', (app) => {
  const undo = (client: Client, path: string, headers?: Record<string, string>) =>
    client.send('POST', `${path}/annotation-undo`, headers ? { headers } : {})

  /** All that is stored of the annotations of a run, times included. */
  function stored(runId: string) {
    return app().storage.read.selectFrom('annotations').selectAll().where('run_id', '=', runId).orderBy('id').execute()
  }

  it('deletes an annotation that was new, and names the trace to go back to', async () => {
    const { client, path, runId, traces } = await seedRatedRun(app(), 1)
    await rate(client, path, traces[0]?.id ?? '')
    expect((await undo(client, path)).body).toEqual({ traceDbId: traces[0]?.id, annotation: null })
    expect(await stored(runId)).toEqual([])
    expect((await ask(client, path)).traceDbId).toBe(traces[0]?.id)
    expect((await undo(client, path)).body).toEqual({ traceDbId: null, annotation: null })
  })

  it('restores the previous annotation, byte for byte, with its id and times', async () => {
    const { client, path, runId, traces } = await seedRatedRun(app(), 1)
    const traceDbId = traces[0]?.id ?? ''
    await client.post(`${path}/annotations`, { traceDbId, rating: 'positive', comment: 'first' })
    const before = await stored(runId)
    await client.post(`${path}/annotations`, { traceDbId: traces[0]?.traceId, rating: 'negative', comment: 'second' })
    const { body } = await undo(client, path)
    expect(body.annotation).toMatchObject({ traceDbId, rating: 'positive', comment: 'first' })
    expect(await stored(runId)).toEqual(before)
  })

  it('restores an annotation that its author deleted, but none that another user deleted', async () => {
    const { client, workspaceId, path, runId, traces } = await seedRatedRun(app(), 1)
    const [ann] = await newRaters(app(), { workspaceId, count: 1 })
    if (!ann) throw new Error('there is one')
    const { body } = await rate(ann.client, path, traces[0]?.id ?? '')
    const before = await stored(runId)
    expect((await ann.client.delete(`${path}/annotations/${body.id}`)).status).toBe(204)
    expect((await undo(ann.client, path)).body.annotation).toEqual(body)
    expect(await stored(runId)).toEqual(before)
    expect((await client.delete(`${path}/annotations/${body.id}`)).status).toBe(204)
    expect((await undo(ann.client, path)).body).toEqual({ traceDbId: null, annotation: null })
    expect(await stored(runId)).toEqual([])
  })

  it('of a request that was sent twice needs one undo, and one undo that was sent twice undoes once', async () => {
    const { client, path, runId, traces } = await seedRatedRun(app(), 2)
    const [first = '', second = ''] = traces.map(({ id }) => id)
    await rate(client, path, first)
    await rate(client, path, second)
    await rate(client, path, second)
    const key = { 'idempotency-key': 'undo once' }
    const undone = await undo(client, path, key)
    expect(undone.body.traceDbId).toBe(second)
    expect((await undo(client, path, key)).body).toEqual(undone.body)
    expect((await stored(runId)).map(({ rating }) => rating)).toEqual(['positive'])
    // A save that arrives late, with the key of the first, is not done again either.
    const save = { traceDbId: second, rating: 'negative' }
    const headers = { 'idempotency-key': 'save once' }
    await client.post(`${path}/annotations`, save, headers)
    await undo(client, path)
    expect((await client.post(`${path}/annotations`, save, headers)).status).toBe(201)
    expect(await stored(runId)).toHaveLength(1)
  })

  it('is one’s own: others, and other runs, are left as they are', async () => {
    const { client, workspaceId, componentId, datasetId, path, traces } = await seedRatedRun(app(), 1)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const other = `/components/${componentId}/runs/${await client.create(`/components/${componentId}/runs`, { datasetId })}`
    const traceDbId = traces[0]?.id ?? ''
    await rate(ann.client, path, traceDbId)
    await rate(ann.client, other, traceDbId)
    expect((await undo(ben.client, path)).body.traceDbId).toBeNull()
    await undo(ann.client, path)
    expect(await ann.client.list(`${path}/annotations`)).toEqual([])
    expect(await ann.client.list(`${other}/annotations`)).toHaveLength(1)
    expectError(await undo(client, `/components/${componentId}/runs/${ABSENT_ID}`), 404, 'Run not found')
  })

  it('keeps the slot of the rater, and takes none that another rater has got since', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const traceDbId = traces[0]?.id ?? ''
    await rate(ann.client, path, traceDbId)
    await undo(ann.client, path)
    expect((await rate(ben.client, path, traceDbId)).status).toBe(409)
    expect((await rate(ann.client, path, traceDbId)).status).toBe(201)
    await rate(ann.client, path, traceDbId, '')
    await rate(ben.client, path, traceDbId)
    expectError(await undo(ann.client, path), 409, 'This trace already has the maximum of one rater')
    // Nothing is lost by an undo that was rejected.
    await undo(ben.client, path)
    await ben.client.post(`${path}/queue/release`, { traceIds: [traceDbId] })
    expect((await undo(ann.client, path)).body.annotation).toMatchObject({ rating: 'positive' })
  })

  it('reaches back a day, and older changes are deleted', async () => {
    const { client, path, runId, traces } = await seedRatedRun(app(), 2)
    const { storage, clock } = app()
    await rate(client, path, traces[0]?.id ?? '')
    await rate(client, path, traces[1]?.id ?? '')
    const yesterday = new Date(clock.now() - 25 * 3_600_000).toISOString()
    const changes = () => storage.read.selectFrom('annotation_changes').selectAll().where('run_id', '=', runId)
    const [oldest] = await changes().orderBy('id').execute()
    await storage.transaction((tx) =>
      tx
        .updateTable('annotation_changes')
        .set({ created_at: yesterday })
        .where('id', '=', oldest?.id ?? '')
        .execute(),
    )
    expect((await undo(client, path)).body.traceDbId).toBe(traces[1]?.id)
    expect((await undo(client, path)).body.traceDbId).toBeNull()
    await deleteOldChanges(storage, clock)
    expect(await changes().execute()).toEqual([])
  })

  it('goes back through any sequence of changes, one state at a time', { tags: 'sized' }, async () => {
    const { client, path, runId, traces } = await seedRatedRun(app(), 2)
    const step = fc.record({
      does: fc.constantFrom('rate', 'comment', 'correct', 'delete', 'undo'),
      trace: fc.nat(1),
      text: fc.constantFrom('a', 'b', ''),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
        while ((await undo(client, path)).body.traceDbId !== null);
        const states = [withoutTimes(await stored(runId))]
        for (const { does, trace, text } of steps) {
          const traceDbId = traces[trace]?.id ?? ''
          const own = (await client.list(`${path}/annotations`)).find((one) => one.traceDbId === traceDbId)
          if (does === 'rate') await client.post(`${path}/annotations`, { traceDbId, rating: text })
          if (does === 'comment') await client.post(`${path}/annotations`, { traceDbId, comment: text })
          if (does === 'delete' && own) await client.delete(`${path}/annotations/${own.id}`)
          if (does === 'correct' && own) {
            const body = { correctedOutput: text }
            await client.send('PUT', `${path}/annotations/${own.id}/corrected-output`, { body })
          }
          if (does === 'undo') {
            await undo(client, path)
            if (states.length > 1) states.pop()
            expect(withoutTimes(await stored(runId))).toEqual(states.at(-1))
            continue
          }
          const now = withoutTimes(await stored(runId))
          if (JSON.stringify(now) !== JSON.stringify(states.at(-1))) states.push(now)
        }
        while (states.length > 1) {
          states.pop()
          await undo(client, path)
          expect(withoutTimes(await stored(runId))).toEqual(states.at(-1))
        }
        expect((await undo(client, path)).body.traceDbId).toBeNull()
      }),
      { numRuns: runs(15), endOnFailure: true },
    )
  })

  /** A request that changes nothing is not a change, though it is the last time that something was said. */
  function withoutTimes(rows: Awaited<ReturnType<typeof stored>>) {
    return rows.map(({ updated_at, given_ref, ...row }) => row)
  }
})
