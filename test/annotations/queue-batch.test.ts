import { expect, it } from 'vitest'
import { ABSENT_ID, expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ask, newRaters, rate, rateAll, raterPair, seedJudgements, seedRatedRun, setPolicy } from './rated-run.ts'

type Item = Record<string, unknown> & { traceDbId: string }

async function askBatch(client: Client, path: string, body: object, order = 'random') {
  const answer = await client.post(`${path}/queue/next?order=${order}`, body)
  if (answer.status !== 200) throw new Error(`POST ${path}/queue/next: ${answer.status} ${answer.text}`)
  const items: Item[] = Object(answer.body.items)
  return { ...answer, items, ids: items.map(({ traceDbId }) => traceDbId) }
}

describeEachEngine('a batch of the queue', (app) => {
  it('without a body returns one trace, and no list', async () => {
    const { client, path } = await seedRatedRun(app(), 2)
    const { body } = await ask(client, path)
    expect(Object.keys(body)).toEqual([
      'item',
      'remaining',
      'rated',
      'total',
      'summary',
      'order',
      'leaseUntil',
      'blind',
      'ratings',
    ])
    expect(body.ratings).toEqual([
      { value: 'positive', label: null },
      { value: 'negative', label: null },
    ])
  })

  it('has as many traces as requested, in the order of the queue, with progress and the keys of the ratings', async () => {
    const { client, path, traces } = await seedRatedRun(app(), 5)
    const ids = traces.map(({ id }) => id)
    const first = await askBatch(client, path, { limit: 3 })
    expect(first.ids).toEqual(ids.slice(0, 3))
    expect(first.body).toMatchObject({ remaining: 5, rated: 0, total: 5, skipped: 0, order: 'random', blind: false })
    expect(first.body.ratings).toEqual([
      { value: 'positive', label: null, score: 1, color: null, key: '1' },
      { value: 'negative', label: null, score: 0, color: null, key: '2' },
    ])
    expect(first.items[0]).not.toHaveProperty('input')
    await rate(client, path, ids[0] ?? '')
    expect((await askBatch(client, path, { limit: 3 })).ids).toEqual(ids.slice(1, 4))
    expect((await askBatch(client, path, {})).ids).toEqual(ids.slice(1, 2))
    await rateAll(client, path, traces)
    const done = await askBatch(client, path, { limit: 3 })
    expect(done.body).toMatchObject({ items: [], remaining: 0, rated: 5 })
  })

  it('includes texts and metadata of the trace and of its item if requested', async () => {
    const { client, path, componentId, datasetId, traces } = await seedRatedRun(app(), 1)
    const item = { input: 'question 0', expected: 'the right answer', metadata: { topic: 'bikes' } }
    await client.post(`/components/${componentId}/datasets/${datasetId}/items`, item)
    const [plain] = (await askBatch(client, path, { include: [] })).items
    expect(plain).toMatchObject({ traceDbId: traces[0]?.id, name: 'stored', comment: null, leaseUntil: null })
    expect(plain?.itemId).toEqual(expect.any(String))
    const [whole] = (await askBatch(client, path, { include: ['texts', 'metadata'] })).items
    expect(whole).toEqual({
      ...plain,
      input: 'question 0',
      output: 'answer 0',
      expected: 'the right answer',
      metadata: (await client.get(`/traces/${traces[0]?.id}`)).body.metadata,
      itemMetadata: { topic: 'bikes' },
    })
  })

  it('reserves each of its traces, and never more of a trace than the run allows', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 5)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const ids = traces.map(({ id }) => id)
    const held = await askBatch(ann.client, path, { limit: 3 })
    expect(held.ids).toEqual(ids.slice(0, 3))
    for (const { leaseUntil } of held.items) expect(leaseUntil).toEqual(TIMESTAMP)
    expect((await askBatch(ben.client, path, { limit: 3 })).ids).toEqual(ids.slice(3))
    expect((await rate(ben.client, path, ids[1] ?? '')).status).toBe(409)
    expect((await askBatch(ann.client, path, { limit: 3 })).text).toBe(held.text)
    expect((await rate(ann.client, path, ids[1] ?? '')).status).toBe(201)
    // Nothing is left to reserve, and the order of the others stays.
    expect((await askBatch(ann.client, path, { limit: 3 })).ids).toEqual([ids[0], ids[2]])
    expect((await ask(ann.client, path)).traceDbId).toBe(ids[0])
  })

  it('of ten raters at once has no trace more often than the run allows, and all may rate', async () => {
    const { client, workspaceId, path } = await seedRatedRun(app(), 8)
    await setPolicy(client, path, { ratersPerItem: 2 })
    const raters = await newRaters(app(), { workspaceId, count: 10 })
    const batches = await Promise.all(raters.map((rater) => askBatch(rater.client, path, { limit: 3 })))
    const ids = batches.flatMap((batch) => batch.ids)
    expect(ids).toHaveLength(16)
    for (const same of Map.groupBy(ids, (id) => id).values()) expect(same).toHaveLength(2)
    const rated = await Promise.all(
      batches.flatMap((batch, place) => batch.ids.map((id) => rate(raters[place]?.client ?? client, path, id))),
    )
    expect(rated.map(({ status }) => status)).toEqual(ids.map(() => 201))
  })

  it('returns the requested trace first, if the caller can rate it', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 4)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const ids = traces.map(({ id }) => id)
    const first = ids[2]
    expect((await askBatch(ann.client, path, { limit: 2, first })).ids).toEqual([first, ids[0]])
    await setPolicy(client, path, { ratersPerItem: 1 })
    expect((await askBatch(ann.client, path, { limit: 2 })).ids).toEqual([ids[0], ids[1]])
    expect((await askBatch(ann.client, path, { limit: 2, first })).ids).toEqual([first, ids[0]])
    expect((await askBatch(ann.client, path, { limit: 3 })).ids).toEqual([first, ids[0], ids[1]])
    expect((await askBatch(ben.client, path, { first })).ids).toEqual([ids[3]])
    await rate(ann.client, path, first ?? '')
    expect((await askBatch(ann.client, path, { first, limit: 2 })).ids).toEqual([ids[0], ids[1]])
  })

  it('is in the order of information: disagreement with a judge, then doubt, then by id', async () => {
    const run = await seedRatedRun(app(), 5, { sorted: 'by id' })
    const { client, workspaceId, path, traces } = run
    const [ann, ben] = await raterPair(app(), workspaceId)
    const verdicts = [1, 1, 0.45, 0, 0].map((score, place) => {
      return { ref: traces[place]?.traceId ?? '', score, passed: score > 0.5 }
    })
    await seedJudgements(app(), run, verdicts)
    await rate(ann.client, path, traces[4]?.id ?? '', 'positive')
    const { ids, body } = await askBatch(ben.client, path, { limit: 5 }, 'information')
    expect(body.order).toBe('information')
    expect(ids).toEqual([4, 2, 0, 1, 3].map((place) => traces[place]?.id))
    expect((await client.get(`${path}/queue?order=information`)).body.item).toMatchObject({ traceDbId: ids[0] })
  })

  it('is rejected with a wrong limit, an unknown field or an unknown inclusion', async () => {
    const { client, path } = await seedRatedRun(app(), 1)
    const at = `${path}/queue/next`
    for (const limit of [0, 11, 1.5, '3', null]) expectError(await client.post(at, { limit }), 400, /limit/)
    expectError(await client.post(at, { include: ['ratings'] }), 400, /include\[0\] must be one of texts, metadata/)
    expectError(await client.post(at, { include: ['texts', 'texts'] }), 400, /duplicates/)
    expectError(await client.post(at, { size: 1 }), 400, 'The field size is not known')
    expectError(await client.post(at, { first: '' }), 400, /first/)
  })
})

describeEachEngine('skipping and releasing', (app) => {
  it('moves a trace to the end of the caller’s queue, in the order of skipping', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 4)
    const [ann, ben] = await raterPair(app(), workspaceId)
    const ids = traces.map(({ id }) => id)
    expect((await ann.client.post(`${path}/queue/skip`, { traceIds: [ids[2]] })).status).toBe(204)
    expect((await ann.client.post(`${path}/queue/skip`, { traceIds: [traces[0]?.traceId] })).status).toBe(204)
    const { ids: order, body } = await askBatch(ann.client, path, { limit: 4 })
    expect(new Set(order.slice(0, 2))).toEqual(new Set([ids[1], ids[3]]))
    expect(order).toHaveLength(4)
    expect(body).toMatchObject({ skipped: 2, remaining: 4 })
    expect((await ask(ann.client, path)).traceDbId).toBe(ids[1])
    expect((await askBatch(ben.client, path, { limit: 4 })).ids).toEqual(ids)
    await rate(ann.client, path, ids[1] ?? '')
    await rate(ann.client, path, ids[3] ?? '')
    expect((await ask(ann.client, path)).item).not.toBeNull()
    await rate(ann.client, path, ids[0] ?? '')
    const left = await askBatch(ann.client, path, { limit: 4 })
    expect([left.ids, left.body.skipped]).toEqual([[ids[2]], 1])
    expect((await client.get(`${path}/queue`)).body).toMatchObject({ remaining: 4 })
  })

  it('releases the slot for others, and returns the trace to the rater again while it is free', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const ids = traces.map(({ id }) => id)
    expect((await askBatch(ann.client, path, { limit: 2 })).ids).toEqual(ids)
    expect((await ask(ben.client, path)).item).toBeNull()
    await ann.client.post(`${path}/queue/skip`, { traceIds: [ids[0]] })
    expect((await ask(ann.client, path)).traceDbId).toBe(ids[1])
    expect((await askBatch(ann.client, path, { limit: 2 })).ids).toEqual([ids[1], ids[0]])
    await ann.client.post(`${path}/queue/skip`, { traceIds: [ids[0]] })
    expect((await ask(ben.client, path)).traceDbId).toBe(ids[0])
    expect((await askBatch(ann.client, path, { limit: 2 })).ids).toEqual([ids[1]])
  })

  it('of a reservation lets others have the trace at once, and the caller, too', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 2)
    await setPolicy(client, path, { ratersPerItem: 1 })
    const [ann, ben] = await raterPair(app(), workspaceId)
    const ids = traces.map(({ id }) => id)
    await askBatch(ann.client, path, { limit: 2 })
    const other = await ben.client.post(`${path}/queue/release`, { traceIds: ids })
    expect([other.status, (await ask(ben.client, path)).item]).toEqual([204, null])
    expect((await ann.client.post(`${path}/queue/release`, { traceIds: [ids[1], 'no such trace'] })).status).toBe(204)
    expect((await ask(ben.client, path)).traceDbId).toBe(ids[1])
    await ann.client.post(`${path}/queue/release`, { traceIds: ids })
    expect((await ask(ann.client, path)).traceDbId).toBe(ids[0])
  })

  it.each(['skip', 'release'])(
    'is rejected by %s without traces, with too many, and for a missing run',
    async (action) => {
      const { client, path, componentId } = await seedRatedRun(app(), 1)
      const at = `${path}/queue/${action}`
      expectError(await client.post(at, { traceIds: [] }), 400, /traceIds/)
      expectError(await client.post(at, { traceIds: Array.from({ length: 101 }, () => 'x') }), 400, /traceIds/)
      const missing = `/components/${componentId}/runs/${ABSENT_ID}/queue/${action}`
      expectError(await client.post(missing, { traceIds: ['x'] }), 404, 'Run not found')
    },
  )
})
