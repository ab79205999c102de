/** Trace ids are chosen by senders, so two workspaces may use the same one: each has a trace of its own under it. */
import { beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpLogs, otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { MISSING } from './route-requests.ts'
import { SHARED_TRACE, seedTenant, senderIdOf, type Tenant } from './seed-tree.ts'
import { rowsOfWorkspaces, waitForJobs } from './workspace-rows.ts'

const MARK_A = 'first-40c1e'
const MARK_B = 'second-77f2'
const DOORS = ['/v1/traces', '/api/v1/traces', '/api/public/otel/v1/traces'] as const

const usage = (tokens: number) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.response.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': tokens,
})

describeEachEngine('a trace id that two workspaces use', (app) => {
  let a: Tenant
  let b: Tenant

  beforeAll(async () => {
    a = await seedTenant(app(), MARK_A)
    b = await seedTenant(app(), MARK_B)
  })

  it.each(DOORS)('gets spans only in the workspace whose key sends them, by %s', async (door) => {
    const traceId = traceIdOf(door.length)
    const start = Date.now()
    const spans = (tokens: number): SpanSketch[] => [
      { traceId, spanId: spanIdOf(1), start, name: `root of ${tokens}`, attributes: { 'session.id': `s${tokens}` } },
      { traceId, spanId: spanIdOf(2), start, parentSpanId: spanIdOf(1), attributes: usage(tokens) },
    ]
    await sendSpans(a.key, spans(100))
    const ofA = await everythingOf(a, traceId)
    const before = await rowsOfWorkspaces(app().storage, a.workspaceId)
    // The same span again, with other content; and one that hangs below a span of A's, whose usage it would take the place of.
    for (const batch of [
      spans(7),
      [{ traceId, spanId: spanIdOf(3), start, parentSpanId: spanIdOf(2), attributes: usage(5) }],
    ]) {
      expect(await b.key.post(door, otlpRequest(batch))).toMatchObject({ status: 200, text: '{}' })
    }
    expect(await everythingOf(a, traceId)).toEqual(ofA)
    expect(await rowsOfWorkspaces(app().storage, a.workspaceId)).toEqual(before)
    expect((await a.key.get(`/traces/${traceId}`)).body).toMatchObject({ name: 'root of 100', totalTokens: 100 })
    const { body } = await b.key.get(`/traces/${traceId}`)
    expect(body).toMatchObject({ name: 'root of 7', totalTokens: 5, sessionId: 's7', workspaceId: b.workspaceId })
    expect(spansOf(body)).toHaveLength(3)
    expect((await b.key.delete(`/traces/${traceId}`)).status).toBe(204)
    await waitForJobs(app().storage, b.workspaceId)
    expect(await everythingOf(a, traceId)).toEqual(ofA)
    expect((await b.key.get(`/traces/${traceId}`)).status).toBe(404)
  })

  it('gets the events of log records only in the workspace whose key sends them', async () => {
    const traceId = senderIdOf(a.ids)
    const [spanId = ''] = spansOf((await a.key.get(`/traces/${traceId}`)).body).map((span) => String(span.spanId))
    const ofA = await everythingOf(a, traceId)
    const before = await rowsOfWorkspaces(app().storage, a.workspaceId)
    const log = { traceId, spanId, name: 'gen_ai.user.message', body: { content: 'a word of B' } }
    const foreign = await b.key.post('/v1/logs', otlpLogs([log]))
    const missing = await b.key.post('/v1/logs', otlpLogs([{ ...log, traceId: traceIdOf(4_711) }]))
    expect([foreign.status, foreign.text]).toEqual([200, missing.text])
    expect(await everythingOf(a, traceId)).toEqual(ofA)
    expect(await rowsOfWorkspaces(app().storage, a.workspaceId)).toEqual(before)
  })

  it('sent as JSON changes nothing of another workspace’s', async () => {
    const ofA = await everythingOf(a, senderIdOf(a.ids))
    const trace = { traceId: senderIdOf(a.ids), name: 'mine', input: 'mine', spans: [{ name: 'mine', inputTokens: 9 }] }
    const { status, body } = await b.key.post(`/components/${b.ids.componentId}/traces`, trace)
    expect(status).toBe(201)
    expect(body.id).not.toBe(a.ids.traceId)
    expect(await everythingOf(a, senderIdOf(a.ids))).toEqual(ofA)
    expect((await b.key.delete(`/traces/${a.ids.traceId}`)).status).toBe(404)
    expect((await b.key.delete(`/traces/${senderIdOf(a.ids)}`)).status).toBe(204)
    expect(await everythingOf(a, senderIdOf(a.ids))).toEqual(ofA)
  })

  it('is filtered and searched in only one workspace', async () => {
    const questions = (mark: string, ids: Tenant['ids']) => [
      `q=${encodeURIComponent(`${mark} question`)}`,
      `q=${encodeURIComponent(`${mark} answer`)}`,
      `q=${encodeURIComponent(`tag:"${mark} tag"`)}`,
      `q=${encodeURIComponent(`name:"${mark} span"`)}`,
      `q=${encodeURIComponent(`model:"${mark} model"`)}`,
      `session_id=${encodeURIComponent(`${mark} session`)}`,
      `user_id=${encodeURIComponent(`${mark} user`)}`,
      `service=${encodeURIComponent(`${mark} service`)}`,
      `environment=${encodeURIComponent(`${mark} environment`)}`,
      `component_id=${ids.componentId}`,
    ]
    for (const [place, query] of questions(MARK_A, a.ids).entries()) {
      const own = await a.key.get(`/traces?${query}`)
      expect(own.body, query).toMatchObject({ total: expect.toSatisfy((total: number) => total > 0) })
      const foreign = await b.key.get(`/traces?${query}`)
      const missing = await b.key.get(`/traces?${questions('unknown', {})[place]}`)
      expect([foreign.status, foreign.text], query).toEqual([200, '{"data":[],"total":0,"traces":[]}'])
      if (!query.startsWith('component_id')) expect(foreign.text).toBe(missing.text)
    }
    const { text } = await b.key.get('/traces?status=error&q=question')
    expect(text).toContain(`${MARK_B} span`)
    expect(text).not.toContain(MARK_A)
  })

  it('adds to a dataset and a run only the content of the own workspace', async () => {
    const inComponent = `/components/${b.ids.componentId}`
    const traceIds = [SHARED_TRACE, a.ids.traceId, senderIdOf(a.ids), `${MARK_A} trace`]
    const datasetId = await b.key.create(`${inComponent}/datasets`, { name: 'Referring', traceIds })
    const runId = await b.key.create(`${inComponent}/runs`, { datasetId, traceIds })
    const dataset = `${inComponent}/datasets/${datasetId}`
    const answers = [
      await b.key.get(`${dataset}/items`),
      await b.key.get(`${dataset}/export`),
      await b.key.get(`${dataset}/export?format=csv`),
      await b.key.get(`${inComponent}/runs/${runId}/traces`),
    ]
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).toContain(MARK_B)
      // What B wrote itself is its own, though it looks like a name of A's.
      expect(text.replaceAll(`${MARK_A} trace`, '')).not.toContain(MARK_A)
    }
    expect(await b.key.list(`${inComponent}/runs/${runId}/traces`)).toHaveLength(1)
  })

  it('does not lead into a component, a dataset or an item of another workspace by its attributes', async () => {
    // Otherwise, a name of the other workspace creates a component of this one.
    const settings = { body: { createsComponents: false } }
    expect((await b.session.send('PUT', '/trace-settings', settings)).status).toBe(200)
    const before = await rowsOfWorkspaces(app().storage, a.workspaceId)
    const traceId = traceIdOf(900)
    const send = (number: number, attributes: Record<string, unknown>) =>
      b.key.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(number), spanId: spanIdOf(1), attributes }]))
    const names = {
      'touchstone.dataset': `${MARK_A} dataset`,
      'touchstone.run': `${MARK_A} run`,
      'touchstone.item.id': a.ids.itemId ?? '',
    }
    const inComponent = (name: string, number: number) => send(number, { 'touchstone.component': name, ...names })
    const named = await inComponent(`${MARK_A} component`, 900)
    expect(named.body).toMatchObject({ partialSuccess: { rejectedSpans: '0' } })
    const unknown = await inComponent('unknown', 901)
    expect(named.text.replace(`${MARK_A} component`, '')).toBe(unknown.text.replace('unknown', ''))
    const inDataset = (id: string) => send(902, { 'touchstone.dataset.id': id })
    const foreign = await inDataset(a.ids.datasetId ?? '')
    expect(foreign.body.partialSuccess).toMatchObject({ rejectedSpans: '1' })
    const missing = await inDataset(MISSING)
    expect(foreign.text.replace(a.ids.datasetId ?? '', '')).toBe(missing.text.replace(MISSING, ''))
    expect((await b.key.get(`/traces/${traceId}`)).body).toMatchObject({ aiComponentId: null, componentName: null })
    expect((await b.key.get(`/traces/${traceIdOf(902)}`)).status).toBe(404)
    expect(await rowsOfWorkspaces(app().storage, a.workspaceId)).toEqual(before)
  })

  it('is accepted only with a key: not from members, and not from a viewer as JSON', async () => {
    const { workspaceId } = a
    const before = await rowsOfWorkspaces(app().storage, workspaceId)
    const span = { traceId: SHARED_TRACE, spanId: spanIdOf(9), name: 'smuggled' }
    const viewer = app().asPerson(await app().newPerson([{ workspaceId, role: 'viewer' }]), workspaceId)
    for (const client of [a.session, viewer, app().anonymous]) {
      for (const door of DOORS) expect((await client.post(door, otlpRequest([span]))).status).toBe(401)
    }
    const native = `/components/${a.ids.componentId}/traces`
    expect((await viewer.post(native, { traceId: SHARED_TRACE, name: 'smuggled' })).status).toBe(403)
    expect((await viewer.delete(`/traces/${SHARED_TRACE}`)).status).toBe(403)
    const { members: _, ...after } = await rowsOfWorkspaces(app().storage, workspaceId)
    expect(after).toEqual({ ...before, members: undefined })
  })

  it('is summed up, priced and deleted in only one workspace', async () => {
    const ofA = await everythingOf(a, SHARED_TRACE)
    await b.key.create('/prices', { modelPattern: '.*', inputPerMillion: 1_000, outputPerMillion: 1_000 })
    expect((await b.key.post('/traces/reprice', { startAfter: '2020-01-01T00:00:00Z' })).status).toBe(202)
    await waitForJobs(app().storage, b.workspaceId)
    expect((await b.key.get(`/traces/${SHARED_TRACE}`)).body.totalCostUsd).toBeGreaterThan(0)
    expect((await b.session.delete(`/traces/${SHARED_TRACE}`)).status).toBe(204)
    await waitForJobs(app().storage, b.workspaceId)
    expect(await everythingOf(a, SHARED_TRACE)).toEqual(ofA)
  })
})

/** All that a workspace can read about a trace and about all of its traces, byte for byte. */
async function everythingOf({ key }: { key: Client }, traceId: string): Promise<string[]> {
  const paths = [`/traces/${traceId}`, `/traces/${traceId}/mapping`, '/traces', '/traces/stats']
  const texts: string[] = []
  for (const path of paths) {
    const { status, text } = await key.get(path)
    expect(status, path).toBe(200)
    texts.push(text)
  }
  return texts
}

function spansOf({ spans }: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(spans) ? spans : []
}
