// @module-tag sql
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError, TIMESTAMP } from './answer-forms.ts'
import { movableClock, SECOND } from './movable-clock.ts'
import { newTraceId, storeTrace } from './stored-trace.ts'

const clock = movableClock()

describeEachEngine(
  '/components/{componentId}/runs/{runId}/traces',
  (app) => {
    async function newRun({ traceIds = [], items = [] }: { traceIds?: string[]; items?: unknown[] } = {}) {
      const { client, workspaceId } = await app().newWorkspace()
      const component = `/components/${await client.create('/components', { name: 'Summarizer' })}`
      const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
      const dataset = `${component}/datasets/${datasetId}`
      const { body } = await client.post(`${dataset}/items`, items)
      const added: Record<string, unknown>[] = Array.isArray(body.data) ? body.data : []
      const runId = await client.create(`${component}/runs`, { datasetId, traceIds })
      const run = `${component}/runs/${runId}`
      return { client, workspaceId, component, dataset, datasetId, items: added, runId, run, at: `${run}/traces` }
    }

    describe('POST', () => {
      it('200 returns the run and counts each trace once, under either of its ids', async () => {
        const { client, workspaceId, run, at } = await newRun({ traceIds: ['a'] })
        const trace = await storeTrace(app(), workspaceId, {})
        const before = (await client.get(run)).body
        const traceIds = ['a', 'b', 'b', trace.id, trace.traceId, trace.id.toUpperCase(), trace.traceId.toUpperCase()]
        const { status, body } = await client.post(at, { traceIds })
        expect({ status, body }).toEqual({ status: 200, body: { ...before, traceCount: 3 } })
        expect((await client.post(at, { traceIds })).body).toEqual(body)
        expect((await client.post(at, { traceIds: [] })).body).toEqual(body)
        expect((await client.get(run)).body).toEqual(body)
      })

      it('keeps traceCount exact while many link at once, the same traces and others', async () => {
        const { client, run, runId, at } = await newRun()
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, place) => client.post(at, { traceIds: ['shared', `own ${place}`, 'also'] })),
        )
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
        expect((await client.get(run)).body.traceCount).toBe(14)
        const { count } = await app()
          .storage.read.selectFrom('run_traces')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('run_id', '=', runId)
          .executeTakeFirstOrThrow()
        expect(count).toBe(14)
      })

      it('400 names the wrong field, and links nothing', async () => {
        const { client, run, at } = await newRun()
        expectError(await client.post(at, {}), 400, /traceIds is required/)
        expectError(await client.post(at, { traceIds: [''] }), 400, /traceIds\[0\] must not be empty/)
        expectError(await client.post(at, { traceIds: ['a'], datasetId: ABSENT_ID }), 400, /datasetId is not known/)
        const tooMany = Array.from({ length: 10_001 }, (_, place) => `t${place}`)
        expectError(await client.post(at, { traceIds: tooMany }), 400, /at most 10000 entries/)
        expect((await client.get(run)).body.traceCount).toBe(0)
        expect((await client.post(at, { traceIds: tooMany.slice(1) })).body.traceCount).toBe(10_000)
      })

      it('404 for a run that is missing, foreign, of another component, or whose dataset is deleted', async () => {
        const { client, component, dataset, runId, at } = await newRun()
        const foreign = await newRun()
        const sibling = await client.create('/components', { name: 'sibling' })
        const paths = [
          `${component}/runs/${ABSENT_ID}/traces`,
          foreign.at,
          `/components/${sibling}/runs/${runId}/traces`,
        ]
        for (const path of paths) expectError(await client.post(path, { traceIds: ['a'] }), 404, 'Run not found')
        await client.delete(dataset)
        expectError(await client.post(at, { traceIds: ['a'] }), 404, 'Run not found')
        expect((await foreign.client.get(foreign.run)).body.traceCount).toBe(0)
      })
    })

    describe('GET', () => {
      it('200 has the traces that have arrived, exactly the fields of a summary and the item', async () => {
        const { client, workspaceId, at } = await newRun({ traceIds: ['not here yet'] })
        const { id, traceId } = await storeTrace(app(), workspaceId, {})
        expect(await client.list(at)).toEqual([])
        await client.post(at, { traceIds: [id] })
        expect(await client.list(at)).toEqual([
          {
            id,
            traceId,
            name: 'stored',
            status: 'ok',
            aiComponentId: null,
            componentName: null,
            durationMs: 1_000,
            totalTokens: null,
            totalCostUsd: null,
            startTime: TIMESTAMP,
            endTime: TIMESTAMP,
            itemId: null,
          },
        ])
      })

      it('200 has a trace as soon as it arrives, and not one of another workspace', async () => {
        const traceId = newTraceId()
        const { client, workspaceId, at } = await newRun({ traceIds: [traceId.toUpperCase()] })
        const foreign = await app().newWorkspace()
        await storeTrace(app(), foreign.workspaceId, { traceId })
        expect(await client.list(at)).toEqual([])
        const { id } = await storeTrace(app(), workspaceId, { traceId })
        expect(await client.list(at)).toMatchObject([{ id, traceId }])
      })

      it('200 has those linked last first, then the newest, and pages', async () => {
        const { client, workspaceId, at } = await newRun()
        const made: string[] = []
        for (let count = 0; count < 5; count += 1) made.push((await storeTrace(app(), workspaceId, {})).id)
        const [a = '', b = '', c = '', d = '', e = ''] = made
        await client.post(at, { traceIds: [d, e] })
        clock.advance(SECOND)
        await client.post(at, { traceIds: [a, b, c, e] })
        const wanted = [c, b, a, e, d]
        expect((await client.list(at)).map(({ id }) => id)).toEqual(wanted)
        expect((await client.list(`${at}?limit=2&offset=2`)).map(({ id }) => id)).toEqual(wanted.slice(2, 4))
      })

      it('returns the item: the one of the link, else that of the trace itself, else the oldest with the same input', async () => {
        const own = newTraceId()
        const items = [{ input: { b: 1, a: 2 } }, { traceId: own }, { input: { a: 2, b: 1 } }, { input: 'other' }]
        const { client, workspaceId, runId, items: added, at } = await newRun({ items })
        const [asked, ofTrace, , other] = added.map(({ id }) => String(id))
        const ask = { input: ' {"a":2, "b":1}' }
        const traces = {
          linked: await storeTrace(app(), workspaceId, { root: ask }),
          itself: await storeTrace(app(), workspaceId, { traceId: own, root: ask }),
          same: await storeTrace(app(), workspaceId, { root: ask }),
          byModelCall: await storeTrace(app(), workspaceId, { first: { input: 'other' } }),
          unknown: await storeTrace(app(), workspaceId, { root: { input: 'something else' } }),
        }
        await client.post(at, { traceIds: Object.values(traces).map(({ traceId }) => traceId) })
        await app().storage.transaction((tx) =>
          tx
            .updateTable('run_traces')
            .set({ item_id: other ?? null })
            .where('run_id', '=', runId)
            .where('trace_ref', '=', traces.linked.traceId)
            .execute(),
        )
        const found = new Map((await client.list(at)).map(({ traceId, itemId }) => [traceId, itemId]))
        const itemOf = ({ traceId }: { traceId: string }) => found.get(traceId)
        expect(itemOf(traces.linked)).toBe(other)
        expect(itemOf(traces.itself)).toBe(ofTrace)
        expect(itemOf(traces.same)).toBe(asked)
        expect(itemOf(traces.byModelCall)).toBe(other)
        expect(itemOf(traces.unknown)).toBeNull()
      })

      it('never returns an item of another dataset, nor a deleted one', async () => {
        const { client, workspaceId, component, dataset, items, at } = await newRun({ items: [{ input: 'same' }] })
        const elsewhere = await client.create(`${component}/datasets`, { name: 'Elsewhere' })
        await client.post(`${component}/datasets/${elsewhere}/items`, { input: 'ask' })
        const { traceId } = await storeTrace(app(), workspaceId, { root: { input: 'ask' } })
        await client.post(`${component}/datasets/${elsewhere}/items`, { traceId })
        const other = await storeTrace(app(), workspaceId, { root: { input: 'same' } })
        await client.post(at, { traceIds: [traceId, other.traceId] })
        expect((await client.list(at)).map(({ itemId }) => itemId)).toEqual([items[0]?.id, null])
        await client.delete(`${dataset}/items/${items[0]?.id}`)
        expect((await client.list(at)).map(({ itemId }) => itemId)).toEqual([null, null])
      })

      it('200 with nothing under an unknown, foreign or deleted run', async () => {
        const { client, workspaceId, component, run, at } = await newRun()
        const foreign = await newRun()
        const theirs = await storeTrace(app(), foreign.workspaceId, {})
        await foreign.client.post(foreign.at, { traceIds: [theirs.id] })
        await client.post(at, { traceIds: [(await storeTrace(app(), workspaceId, {})).id] })
        expect(await client.list(at)).toHaveLength(1)
        await client.delete(run)
        for (const path of [`${component}/runs/${ABSENT_ID}/traces`, foreign.at, at])
          expect((await client.get(path)).text).toBe('{"data":[]}')
      })
    })

    it('an annotation belongs to the trace, by either id, and has the id of the last request', async () => {
      const { client, workspaceId, run, dataset } = await newRun()
      const { id, traceId } = await storeTrace(app(), workspaceId, {})
      const annotations = `${run}/annotations`
      const first = await client.post(annotations, { traceDbId: id.toUpperCase(), rating: 'positive' })
      expect(first.body.traceDbId).toBe(id.toUpperCase())
      const second = await client.post(annotations, { traceDbId: traceId.toUpperCase(), comment: 'c' })
      const expected = { ...first.body, traceDbId: traceId.toUpperCase(), comment: 'c' }
      expect(second.body).toEqual(expected)
      expect(await client.list(annotations)).toEqual([expected])
      await client.post(`${dataset}/items`, { traceId: id })
      expect(await client.list(`${dataset}/annotations`)).toEqual([expected])
      expect((await client.post(annotations, { traceDbId: traceId })).body).toEqual({ ...expected, traceDbId: traceId })
    })
  },
  { clock },
)
