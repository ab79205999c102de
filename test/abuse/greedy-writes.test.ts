// @module-tag sql
/** One application stores as much as it can; another one is a bystander, whose served requests are counted. */
import { expect, it } from 'vitest'
import { unavailable } from '../../src/base/errors.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createIngest } from '../../src/ingestion/ingest-spans.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import type { Db } from '../../src/storage/db.ts'
import { readerOf } from '../../src/traces/storing/received-span.ts'
import { createQuotas, NO_QUOTAS } from '../../src/workspaces/quotas.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { receivedSpan } from '../mapping/golden-spans.ts'

const USED = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.usage.input_tokens': 10,
  'gen_ai.usage.output_tokens': 1,
}

const BATCHES = 4
/** Of one span each: what costs most to store. */
const TRACES_PER_BATCH = 2_560
/** Each of the bystander's writes waits for a part of some 300 traces. In the order of arrival, the first would wait for all of them. */
const SERVED_MIN = 12

/** Long enough that a batch is stored alone, and not together with others of its application. */
const NAME = 'x'.repeat(800)
/** From here on, the digits of a number have the same length. */
const FIRST_TRACE = 0x10000

const spansFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, place) => {
    return { traceId: traceIdOf(FIRST_TRACE + first + place), spanId: spanIdOf(1), name: NAME }
  })

describeEachEngine('an application that stores large batches', (app) => {
  it('lets the exports and other writes of another one pass between their parts, and gets all of them stored', async () => {
    const greedy = await app().newWorkspace()
    const bystander = await app().newWorkspace()
    let stored = 0
    const flood = Array.from({ length: BATCHES }, async (_, batch) => {
      const spans = spansFrom(batch * TRACES_PER_BATCH, TRACES_PER_BATCH)
      const { status } = await greedy.client.post('/v1/traces', otlpRequest(spans))
      expect(status).toBe(200)
      stored += 1
    })
    const served = await countServed(bystander.client, SERVED_MIN, () => stored < BATCHES)
    await Promise.all(flood)
    expect(served).toBe(SERVED_MIN)
    expect((await greedy.client.get('/traces?limit=1')).body['total']).toBe(BATCHES * TRACES_PER_BATCH)
  })

  it('gets a batch that failed between two parts completed by sending it again, with every span counted once', async () => {
    const { storage, clock } = app()
    const { client, workspaceId } = await app().newWorkspace()
    const newId = idGenerator(clock)
    const linker = createTraceLinker({ clock, newId })
    const quotas = createQuotas({ limits: NO_QUOTAS, clock })
    let transactions = 0
    const transaction: Db['transaction'] = async (work, application) => {
      transactions += 1
      if (transactions === 2) throw unavailable('The database cannot be reached right now')
      return storage.transaction(work, application)
    }
    const ingest = createIngest({ db: { ...storage, transaction }, clock, newId, linker, quotas })
    const root = spanIdOf(1)
    const steps = Array.from({ length: 700 }, (_, place) => ({
      spanId: spanIdOf(FIRST_TRACE + place),
      parentSpanId: root,
    }))
    const large = [...steps, { spanId: root, parentSpanId: null }].map((ids) => {
      return { ...receivedSpan({ name: 'step', attributes: USED }), traceId: traceIdOf(1), ...ids }
    })
    const small = spansFrom(0, 20).map((ids) => ({ ...receivedSpan({ name: 'step', attributes: {} }), ...ids }))
    const send = () => ingest({ workspaceId }, readerOf([...large, ...small]))
    await expect(send()).rejects.toMatchObject({ status: 503 })
    const countTraces = async () => (await client.get('/traces?limit=1')).body['total']
    expect(await countTraces()).toBeGreaterThan(0)
    expect(await send()).toMatchObject({ rejectedCount: 0 })
    expect(await countTraces()).toBe(1 + small.length)
    const { body } = await client.get(`/traces/${traceIdOf(1)}`)
    expect(body).toMatchObject({ totalTokens: steps.length * 11 })
    expect(transactions).toBeGreaterThan(3)
  })
})

/** Sends exports and creates, one after the other; returns how many of them were served while the other one went on. */
async function countServed(client: Client, max: number, isFlooded: () => boolean): Promise<number> {
  let served = 0
  while (served < max && isFlooded()) {
    const exported = await client.post('/v1/traces', otlpRequest(spansFrom(served, 1)))
    const created = await client.post('/components', { name: `Component ${served}` })
    expect([exported.status, created.status]).toEqual([200, 201])
    if (isFlooded()) served += 2
  }
  return served
}
