// @module-tag sql
/** `itemCount`, `traceCount` and the `total` of traces equal the rows that exist, for any concurrent requests. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { countRollups, readRollups } from '../traces/stored-traces.ts'

/** Few different ones, so that they repeat; some differ only in case, in a blank, or in how an accent is written. */
const LIKELY = [
  'a',
  'A',
  'a ',
  ' a',
  'é',
  'e\u0301',
  'ß',
  'SS',
  '%',
  "'",
  '"',
  '\\',
  '\u2028',
  '😀',
  'ﬁ',
  'fi',
  '0',
  '00',
]
const traceId = fc.oneof(fc.constantFrom(...LIKELY), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }))
const few = fc.array(traceId, { maxLength: 30 })
/** Around the sizes at which writing is cut into pieces. */
const many = fc
  .tuple(fc.constantFrom(499, 500, 501, 999, 1_000, 1_001), fc.integer({ min: 1, max: 1_001 }))
  .map(([size, different]) => Array.from({ length: size }, (_, place) => `t${place % different}`))
const traceIds = fc.oneof({ arbitrary: few, weight: 4 }, { arbitrary: many, weight: 1 })

describeEachEngine('counts', (app) => {
  let client: Client
  let inComponent: string

  beforeAll(async () => {
    const workspace = await app().newWorkspace()
    client = workspace.client
    inComponent = `/components/${await client.create('/components', { name: 'Counted' })}`
  })

  async function rowsOf(table: 'dataset_items' | 'run_traces', id: string): Promise<number> {
    const { count } = await app()
      .storage.read.selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where(table === 'dataset_items' ? 'dataset_id' : 'run_id', '=', id)
      .executeTakeFirstOrThrow()
    return count
  }

  it('count distinct ids, are returned at once, and equal the rows in the database', {
    tags: 'sized',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(traceIds, async (ids) => {
        const wanted = new Set(ids).size
        const dataset = await client.post(`${inComponent}/datasets`, { name: 'Counted', traceIds: ids })
        const datasetId = String(dataset.body.id)
        const run = await client.post(`${inComponent}/runs`, { datasetId, traceIds: ids })
        const runId = String(run.body.id)
        expect([dataset.status, run.status]).toEqual([201, 201])
        const reread = [
          (await client.get(`${inComponent}/datasets/${datasetId}`)).body,
          (await client.get(`${inComponent}/runs/${runId}`)).body,
        ]
        expect(reread).toEqual([dataset.body, run.body])
        expect([dataset.body.itemCount, run.body.traceCount]).toEqual([wanted, wanted])
        expect([await rowsOf('dataset_items', datasetId), await rowsOf('run_traces', runId)]).toEqual([wanted, wanted])
      }),
      { numRuns: runs(15), endOnFailure: true },
    )
  })

  it('stay exact during concurrent creates and deletes of datasets and runs', { tags: 'sized' }, async () => {
    const step = fc.record({ ids: few, isRun: fc.boolean(), isDeleted: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
        const base = `/components/${await client.create('/components', { name: 'Busy' })}`
        const datasetId = await client.create(`${base}/datasets`, { name: 'Kept', traceIds: ['kept'] })
        const made = await Promise.all(
          steps.map(async ({ ids, isRun, isDeleted }) => {
            const list = isRun ? `${base}/runs` : `${base}/datasets`
            const { status, body } = await client.post(
              list,
              isRun ? { datasetId, traceIds: ids } : { name: 'x', traceIds: ids },
            )
            expect(status).toBe(201)
            if (isDeleted) expect((await client.delete(`${list}/${body.id}`)).status).toBe(204)
            return { id: body.id, isRun, isDeleted, count: new Set(ids).size }
          }),
        )
        for (const isRun of [false, true]) {
          const rows = await client.list(isRun ? `${base}/runs?limit=100` : `${base}/datasets?limit=100`)
          const counts = new Map(rows.map(({ id, itemCount, traceCount }) => [id, isRun ? traceCount : itemCount]))
          const active = made.filter((thing) => thing.isRun === isRun && !thing.isDeleted)
          const kept: [unknown, unknown][] = isRun ? [] : [[datasetId, 1]]
          expect(counts).toEqual(new Map([...kept, ...active.map(({ id, count }): [unknown, unknown] => [id, count])]))
          for (const [id, count] of counts) {
            expect(await rowsOf(isRun ? 'run_traces' : 'dataset_items', String(id))).toBe(count)
          }
        }
      }),
      { numRuns: runs(3), endOnFailure: true },
    )
  })

  it('of traces stay exact while they are sent, sent again and deleted at once', { tags: 'sized' }, async () => {
    const step = fc.record({
      trace: fc.nat(4),
      span: fc.nat(5),
      isDeleted: fc.nat(4).map((draw) => draw === 0),
      isError: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const workspace = await app().newWorkspace()
        await Promise.all(
          steps.map(async ({ trace, span, isDeleted, isError }) => {
            const traceId = traceIdOf(trace)
            if (isDeleted) {
              expect([204, 404]).toContain((await workspace.client.delete(`/traces/${traceId}`)).status)
              return
            }
            const parent = span === 0 ? {} : { parentSpanId: spanIdOf(span - 1) }
            const attributes = { 'gen_ai.usage.input_tokens': span + 1, 'touchstone.cost_usd': 0.1 }
            const status = isError ? ('error' as const) : ('unset' as const)
            // One of them begins in another hour, so that a span that comes late moves its trace.
            const start = app().clock.now() - 60_000 - span * 900_000
            const sent = { traceId, spanId: spanIdOf(span), start, status, attributes, ...parent }
            await sendSpans(workspace.client, [sent, { ...sent, traceId: traceIdOf((trace + 1) % 5) }])
          }),
        )
        const { client: reader, workspaceId } = workspace
        const { body } = await reader.get('/traces?limit=100')
        const traces: Record<string, unknown>[] = Array.isArray(body.data) ? body.data : []
        expect(body.total).toBe(traces.length)
        for (const status of ['ok', 'error']) {
          const own = traces.filter((trace) => trace.status === status).length
          expect((await reader.get(`/traces?status=${status}&limit=1`)).body.total).toBe(own)
        }
        const totalTokens = traces.reduce((sum, trace) => sum + Number(trace.totalTokens), 0)
        expect((await reader.get('/traces/stats')).body).toMatchObject({ totalTraces: traces.length, totalTokens })
        expect(await readRollups(app().storage, workspaceId)).toEqual(await countRollups(app().storage, workspaceId))
      }),
      { numRuns: runs(4), endOnFailure: true },
    )
  })

  it('do not include those of a rejected request', async () => {
    const before = await client.list(`${inComponent}/datasets?limit=100`)
    for (const wrong of [
      [1],
      ['a', null],
      [''],
      'a',
      ['x'.repeat(129)],
      Array.from({ length: 10_001 }, (_, n) => `t${n}`),
    ]) {
      const { status } = await client.post(`${inComponent}/datasets`, { name: 'Wrong', traceIds: wrong })
      expect(status).toBe(400)
    }
    expect(await client.list(`${inComponent}/datasets?limit=100`)).toEqual(before)
  })
})
