import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { type Service, sendJson, startService } from '../endpoints/service.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'
import type { Row } from '../playground/trying.ts'
import { allCalls, readTrial, seedComponent, startTrial, trialsPath, trialWith } from './seed-trial.ts'

const BODY = { question: '{{input.question}}', from: 'trial' }

function http(target: Row = {}): Row {
  return { name: 'service', target: { type: 'http', endpoint: 'staging', body: BODY, output: '/answer', ...target } }
}

describeEachEngine(
  'trials of endpoints',
  (app) => {
    let service: Service
    beforeAll(async () => {
      service = await startService()
    })
    afterAll(() => service.close())

    it('each item is one POST, and its output a trace of the run that the server has written', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 3 })
      const before = service.requests.length
      const trial = await startTrial(of, { variants: [http()], repetitions: 2 })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', endedBy: 'done', error: null, cost: { spentUsd: 0 } })
      expect(ended.progress).toEqual({ total: 6, done: 6, failed: 0, skipped: 0 })
      expect(Object(ended.variants)[0].target).toEqual(http().target)
      const sent = service.requests.slice(before)
      expect(sent.map(({ body }) => Object(body).question).sort()).toEqual(
        [1, 1, 2, 2, 3, 3].map((number) => `question ${number}`),
      )
      expect(sent[0]).toMatchObject({ body: { from: 'trial' }, headers: { authorization: 'Bearer secret' } })
      const calls = await allCalls(of.client, trial.path)
      expect(sent.map(({ headers }) => String(headers.traceparent).split('-')[1]).sort()).toEqual(
        calls.map(({ traceId }) => traceId).sort(),
      )
      const traces = await of.client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces).toHaveLength(6)
      const { body: trace, text } = await of.client.get(`/traces/${traces[0]?.id}`)
      expect(trace).toMatchObject({ output: 'Yes', status: 'ok' })
      expect(String(trace.input)).toMatch(/question \d/)
      expect(text).not.toContain('secret')
      expect(await of.client.list('/traces?q=source:trial&limit=100')).toHaveLength(6)
    })

    it('spans of the service are below the root of the server, and what they cost is counted', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 1 })
      service.next(async ({ headers }, res) => {
        const [, traceId = '', parentSpanId = ''] = String(headers.traceparent).split('-')
        const attributes = { 'gen_ai.request.model': 'own', 'gen_ai.usage.cost': 0.25 }
        await sendSpans(of.client, [{ traceId, spanId: 'a'.repeat(16), parentSpanId, name: 'agent', attributes }])
        sendJson(res, 200, { answer: 'with spans' })
      })
      const trial = await startTrial(of, { variants: [http()] })
      expect(await trialWith(of.client, trial.path)).toMatchObject({ cost: { spentUsd: 0.25 } })
      const [trace] = await of.client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      const { body } = await of.client.get(`/traces/${trace?.id}`)
      expect(body).toMatchObject({ output: 'with spans', totalCostUsd: 0.25 })
      const spans: Row[] = Object(body.spans)
      const [root, agent] = ['trial service', 'agent'].map((name) => spans.find((span) => span.name === name))
      expect(agent?.parentSpanId).toBe(root?.spanId)
      expect(root).toMatchObject({ parentSpanId: null, spanId: expect.any(String) })
    })

    it('a root that the service has sent itself is the answer of the run', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 1 })
      service.next(async ({ headers }, res) => {
        const [, traceId = ''] = String(headers.traceparent).split('-')
        const attributes = { 'output.value': 'by telemetry' }
        await sendSpans(of.client, [{ traceId, spanId: 'a'.repeat(16), name: 'agent', attributes }])
        sendJson(res, 200, { answer: 'by response' })
      })
      const trial = await startTrial(of, { variants: [http()] })
      await trialWith(of.client, trial.path)
      const traces = await of.client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces).toHaveLength(1)
      const { body } = await of.client.get(`/traces/${traces[0]?.id}`)
      expect(body).toMatchObject({ name: 'agent', output: 'by telemetry' })
    })

    it('overload and outages use no attempt, errors of its own use five, and a rejection ends the call', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 1 })
      for (const status of [429, 503, 502, 429, 504, 429]) service.next({ status })
      service.next('reset')
      const trial = await startTrial(of, { variants: [http()] })
      expect(await trialWith(of.client, trial.path)).toMatchObject({ progress: { done: 1, failed: 0 } })

      for (let place = 0; place < 5; place += 1) service.next({ status: 500 })
      const second = await startTrial(of, { variants: [http()] })
      expect(await trialWith(of.client, second.path)).toMatchObject({ status: 'failed', progress: { failed: 1 } })
      expect(await allCalls(of.client, second.path)).toMatchObject([{ attempt: 5, retryable: true }])
      expect((await of.client.post(`${second.path}/retry`, undefined)).status).toBe(202)
      expect(await trialWith(of.client, second.path)).toMatchObject({ status: 'completed', progress: { done: 1 } })

      service.next({ status: 422 })
      const third = await startTrial(of, { variants: [http()] })
      await trialWith(of.client, third.path)
      expect(await allCalls(of.client, third.path)).toMatchObject([
        { state: 'failed', attempt: 1, retryable: false, reason: expect.stringMatching(/^staging returned 422/) },
      ])
      const failures = await of.client.list(`/components/${of.componentId}/runs/${third.runs[0]?.runId}/traces`)
      expect(failures).toMatchObject([{ status: 'error' }])
    })

    it('an item that the body does not fit fails alone and without a request; the dry run has counted it', async () => {
      const items = [{ input: JSON.stringify({ question: 'a' }) }, { input: JSON.stringify({ other: 'b' }) }]
      const of = await seedEndpoint(app(), service.url, { items })
      const before = service.requests.length
      const plan = { datasetId: of.datasetId, variants: [http()] }
      const estimate = await of.client.post(`${trialsPath(of)}?dry_run=true`, plan)
      expect(estimate).toMatchObject({
        status: 200,
        body: { calls: 2, cost: { maxUsd: 0 }, missing: [{ variable: 'input.question', items: 1, of: 2 }] },
      })
      expect(service.requests).toHaveLength(before)
      const trial = await startTrial(of, plan)
      expect(await trialWith(of.client, trial.path)).toMatchObject({ progress: { done: 1, failed: 1 } })
      expect(service.requests).toHaveLength(before + 1)
      expect(await allCalls(of.client, trial.path, '&state=failed')).toMatchObject([
        { reason: expect.stringMatching(/^The input has no value for input\.question/), retryable: false },
      ])
    })

    it('no call begins once the reported cost has reached the limit', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 10 })
      const before = service.requests.length
      for (let place = 0; place < 3; place += 1) {
        service.next(async ({ headers }, res) => {
          const [, traceId = '', parentSpanId = ''] = String(headers.traceparent).split('-')
          const attributes = { 'gen_ai.request.model': 'own', 'gen_ai.usage.cost': 0.5 }
          await sendSpans(of.client, [{ traceId, spanId: 'b'.repeat(16), parentSpanId, name: 'agent', attributes }])
          sendJson(res, 200, { answer: 'paid' })
        })
      }
      const trial = await startTrial(of, { variants: [http()], maxCostUsd: 1.5, concurrency: 1 })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({
        endedBy: 'budget',
        progress: { total: 10, done: 3, skipped: 7 },
        cost: { spentUsd: 1.5 },
        error: expect.stringMatching(/^The cost limit of \$1\.5 \(maxCostUsd\) is reached/),
      })
      expect(service.requests).toHaveLength(before + 3)
    })

    it('a canceled trial gives up its request, and the call is skipped', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 2 })
      const reached = Promise.withResolvers<void>()
      service.next((_, res) => {
        reached.resolve()
        res.on('error', () => undefined)
      })
      const trial = await startTrial(of, { variants: [http()], concurrency: 1 })
      await reached.promise
      expect(await readTrial(of.client, trial.path)).toMatchObject({ status: 'running' })
      expect((await of.client.post(`${trial.path}/cancel`, undefined)).status).toBe(202)
      expect(await trialWith(of.client, trial.path)).toMatchObject({ endedBy: 'canceled', progress: { skipped: 2 } })
    })

    it('an endpoint that is deleted ends its variant with the reason, and not the trial', async () => {
      const of = await seedEndpoint(app(), service.url, { items: 2 })
      const reached = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      service.next(async (_, res) => {
        reached.resolve()
        await answer.promise
        sendJson(res, 503, {})
      })
      const trial = await startTrial(of, { variants: [http()], concurrency: 1 })
      await reached.promise
      expect((await of.admin.delete(`/endpoints/${of.endpointId}`)).status).toBe(204)
      answer.resolve()
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ progress: { total: 2, skipped: 2 } })
      expect(Object(ended.variants)[0].reason).toMatch(/^There is no endpoint named "staging"; use the name of one/)
    })

    const wrong: [string, Row, RegExp][] = [
      [
        'an unknown endpoint',
        { endpoint: 'gone' },
        /^Variant service: There is no endpoint named "gone"; use the name/,
      ],
      [
        'a target without an endpoint',
        { endpoint: undefined },
        /^The field variants\[0\]\.target needs endpoint and body/,
      ],
      ['a target without a body', { body: undefined }, /^The field variants\[0\]\.target needs endpoint and body/],
      [
        'a placeholder that is no path',
        { body: '{{output}}' },
        /^The field variants\[0\]\.target\.body is invalid: The body has \{\{output\}\}, but a placeholder must be/,
      ],
      [
        'a pointer without a slash',
        { output: 'answer' },
        /^The field variants\[0\]\.target\.output is invalid: "answer" is not a JSON Pointer: it must be empty or begin/,
      ],
      ['a field of another type', { queue: 'agent' }, /target\.queue belongs to targets of type worker; leave it out$/],
      [
        'a body that is too long',
        { body: 'x'.repeat(65_537) },
        /target\.body has 65,539 characters, and at most 65,536/,
      ],
    ]
    it.each(wrong)('%s is rejected before the first call', async (_, target, message) => {
      const of = await seedEndpoint(app(), service.url, { items: 1 })
      const answer = await of.client.post(trialsPath(of), { datasetId: of.datasetId, variants: [http(target)] })
      expectError(answer, 400)
      expect(answer.body.error).toMatch(message)
      expect(await of.client.list(trialsPath(of))).toEqual([])
    })

    it('an endpoint of another application is unknown', async () => {
      await seedEndpoint(app(), service.url, { items: 1 })
      const other = await seedComponent(app(), 1)
      const answer = await other.client.post(trialsPath(other), { datasetId: other.datasetId, variants: [http()] })
      expectError(answer, 400)
      expect(answer.body.error).toMatch(/There is no endpoint named "staging"/)
    })
  },
  { retryPauseMs: 1 },
)

async function seedEndpoint(app: TestApp, baseUrl: string, { items }: { items: number | Row[] }) {
  const of = await seedComponent(app, items)
  const admin = await browserWith(app, of.workspaceId, 'admin')
  const headers = { authorization: 'Bearer secret' }
  const endpointId = await admin.create('/endpoints', { name: 'staging', baseUrl, headers })
  return { ...of, admin, endpointId }
}
