import { expect, it } from 'vitest'
import { applicationEvents } from '../../src/events/application-events.ts'
import { createStateReader, TOPICS } from '../../src/events/read-application-state.ts'
import { createLedger } from '../../src/spending/ledger.ts'
import { rate, seedRatedRun } from '../annotations/rated-run.ts'
import { expectError } from '../conformance/answer-forms.ts'
import { storeTrace } from '../conformance/stored-trace.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { eventsOf } from '../harness/event-stream.ts'
import { sendSpans, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'

describeEachEngine('GET /events', (app) => {
  /** Resolves once nothing that happens is missed. */
  async function listen(key: string, query = '') {
    const stopped = new AbortController()
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${app().url}/api/v1/events${query}`, { headers, signal: stopped.signal })
    const events = eventsOf(response)
    const next = async () => (await events.next()).value
    return { response, ready: await next(), next, stop: () => stopped.abort() }
  }

  /** What is sent after a change, and nothing else. */
  async function topicsAfter(key: string, change: () => Promise<unknown>): Promise<unknown> {
    const stream = await listen(key)
    const answer = await change()
    expect([200, 201, 202, 204, undefined]).toContain(Object(answer).status)
    const event = await stream.next()
    stream.stop()
    expect(event?.name).toBe('changed')
    return event?.data.topics
  }

  it('begins with the topics that are watched', async () => {
    const { key } = await app().newWorkspace()
    const all = await listen(key)
    expect(all.response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(all.ready).toEqual({ name: 'ready', data: { topics: [...TOPICS] } })
    all.stop()
    const some = await listen(key, '?topics=runs,traces')
    expect(some.ready).toEqual({ name: 'ready', data: { topics: ['traces', 'runs'] } })
    some.stop()
  })

  it('rejects topics that do not exist', async () => {
    const { client } = await app().newWorkspace()
    for (const topics of ['nothing', 'runs,nothing', '']) expectError(await client.get(`/events?topics=${topics}`), 400)
  })

  it('reports a trial that starts, with its runs, and its deletion', async () => {
    const { key, client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Tried' })
    const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
    await client.post(`/components/${componentId}/datasets/${datasetId}/items`, { input: 'one' })
    const path = `/components/${componentId}/trials`
    const variants = [{ target: { type: 'worker', queue: 'agent' } }]
    expect(await topicsAfter(key, () => client.post(path, { datasetId, variants }))).toContain('trials')
    const [trial] = await client.list(path)
    await until(async () => expect((await client.get(`${path}/${trial?.id}`)).body.status).toBe('running'))
    expect(await topicsAfter(key, () => client.delete(`${path}/${trial?.id}`))).toEqual(['trials'])
  })

  it('reports a trace that arrives, a span that is added to it, and its deletion', async () => {
    const { key, client } = await app().newWorkspace()
    const traceId = traceIdOf(0x1_0001)
    const span = { traceId, name: 'call', start: Date.now() }
    const send = (spanId: string) => sendSpans(client, [{ ...span, spanId }])
    expect(await topicsAfter(key, () => send('00000000000000a1'))).toEqual(['traces'])
    expect(await topicsAfter(key, () => send('00000000000000a2'))).toEqual(['traces'])
    const [trace] = await client.list('/traces')
    expect(await topicsAfter(key, () => client.delete(`/traces/${trace?.id}`))).toEqual(['traces'])
  })

  it('reports runs, the traces that are added to them, and evaluations', async () => {
    const { client, componentId, datasetId, workspaceId, path } = await seedRatedRun(app(), 1)
    const { key } = await keyOf(workspaceId)
    const at = `/components/${componentId}`
    expect(await topicsAfter(key, () => client.create(`${at}/runs`, { datasetId, traceIds: [] }))).toEqual(['runs'])
    const { traceId } = await storeTrace(app(), workspaceId, { root: { input: 'question' } })
    expect(await topicsAfter(key, () => client.post(`${path}/traces`, { traceIds: [traceId] }))).toEqual(['runs'])
    const start = () => client.post(`${at}/evaluations`, { datasetId, config: { evaluators: [] } })
    expect(await topicsAfter(key, start)).toContain('evaluations')
  })

  it('reports spending and its limits', async () => {
    const { workspaceId } = await app().newWorkspace()
    const { key } = await keyOf(workspaceId)
    const { storage: db, clock } = app()
    const spend = () => createLedger({ db, clock, workspaceId, kind: 'playground' }).reserve({ model: 'm', maxUsd: 1 })
    expect(await topicsAfter(key, spend)).toEqual(['spending'])
    const admin = await browserWith(app(), workspaceId, 'admin')
    const body = { maxUsdPerDay: 5, maxUsdPer30Days: null }
    expect(await topicsAfter(key, () => admin.send('PUT', '/spending', { body }))).toEqual(['spending'])
  })

  it('reports endpoints that are added, changed and deleted', async () => {
    const { workspaceId } = await app().newWorkspace()
    const { key } = await keyOf(workspaceId)
    const admin = await browserWith(app(), workspaceId, 'admin')
    let path = ''
    const changes = [
      async () => {
        path = `/endpoints/${await admin.create('/endpoints', { name: 'a', baseUrl: 'http://127.0.0.1:9' })}`
      },
      () => admin.patch(path, { headers: { a: 'b' } }),
      () => admin.delete(path),
    ]
    for (const change of changes) expect(await topicsAfter(key, change)).toEqual(['endpoints'])
  })

  it('reports decisions', async () => {
    const { client, componentId, datasetId, workspaceId } = await seedRatedRun(app(), 1)
    const { key } = await keyOf(workspaceId)
    const at = `/components/${componentId}`
    const baselineRunId = await client.create(`${at}/runs`, { datasetId, traceIds: [] })
    const candidateRunId = await client.create(`${at}/runs`, { datasetId, traceIds: [] })
    const decide = () => client.create(`${at}/decisions`, { baselineRunId, candidateRunId, decision: 'undecided' })
    expect(await topicsAfter(key, decide)).toEqual(['decisions'])
  })

  it('reports every kind of annotation, also when it is withdrawn', async () => {
    const { client, workspaceId, path, traces } = await seedRatedRun(app(), 1)
    const { key } = await keyOf(workspaceId)
    const [trace] = traces
    const at = `/traces/${trace?.id}`
    let commentId = ''
    const changes = [
      () => rate(client, path, trace?.id ?? ''),
      () => client.post(`${path}/annotation-undo`, undefined),
      () => client.send('PUT', `${at}/annotation`, { body: { rating: 'negative' } }),
      () => client.send('PUT', `${at}/annotation`, { body: { rating: 'positive' } }),
      () => client.delete(`${at}/annotation`),
      async () => (commentId = await client.create(`${at}/comments`, { text: 'Why?' })),
      () => client.patch(`${at}/comments/${commentId}`, { text: 'Why not?' }),
      () => client.delete(`${at}/comments/${commentId}`),
    ]
    for (const change of changes) expect(await topicsAfter(key, change)).toEqual(['annotations'])
  })

  it('reports nothing of another application', async () => {
    const [own, other] = [await app().newWorkspace(), await seedRatedRun(app(), 1)]
    const stream = await listen(own.key)
    await sendSpans(other.client, [{ traceId: traceIdOf(0x1_0002), spanId: '00000000000000a1', start: Date.now() }])
    await rate(other.client, other.path, other.traces[0]?.id ?? '')
    const componentId = await own.client.create('/components', { name: 'Own' })
    const datasetId = await own.client.create(`/components/${componentId}/datasets`, { name: 'Own' })
    await own.client.create(`/components/${componentId}/runs`, { datasetId, traceIds: [] })
    expect((await stream.next())?.data).toEqual({ topics: ['runs'] })
    stream.stop()
  })

  it('ends once its key is revoked', async () => {
    const { workspaceId } = await app().newWorkspace()
    const { key, keyId, admin } = await keyOf(workspaceId)
    const stream = await listen(key)
    expect((await admin.delete(`/api-keys/${keyId}`)).status).toBe(204)
    expect((await stream.next())?.name).toBe('reconnect')
    expect(await stream.next()).toBeUndefined()
  })

  it('sends heartbeats while nothing happens, and ends when the client has disconnected', async () => {
    const { workspaceId } = await app().newWorkspace()
    const readState = createStateReader()
    let now = 0
    let isRead = true
    const clock = { now: () => now }
    const events = applicationEvents(
      {
        readState: () => readState({ db: app().storage, clock }, workspaceId),
        clock,
        isStillAllowed: async () => true,
        isRead: () => isRead,
      },
      TOPICS,
    )
    expect((await events.next()).value).toMatch(/^event: ready\n/)
    now += 15_001
    expect((await events.next()).value).toBe(': still here\n\n')
    isRead = false
    expect((await events.next()).done).toBe(true)
  })

  it('reads the state of an application once for all listeners', async () => {
    const { workspaceId } = await app().newWorkspace()
    const readState = createStateReader()
    const context = { db: app().storage, clock: { now: () => 0 } }
    const [first, second] = await Promise.all([readState(context, workspaceId), readState(context, workspaceId)])
    expect(second).toBe(first)
    const later = await readState({ ...context, clock: { now: () => 1_000 } }, workspaceId)
    expect(later).not.toBe(first)
    expect(later).toEqual(first)
  })

  async function keyOf(workspaceId: string) {
    const admin = app().asPerson(await app().newPerson([{ workspaceId, role: 'admin' }]), workspaceId)
    const { body } = await admin.post('/api-keys', { name: 'Listener' })
    return { key: String(body.key), keyId: String(body.id), admin }
  }
})
