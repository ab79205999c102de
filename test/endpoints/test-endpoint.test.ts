import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Service, sendJson, startService } from './service.ts'

describeEachEngine(
  'POST /endpoints/{endpointId}/test',
  (app) => {
    let service: Service
    beforeAll(async () => {
      service = await startService()
    })
    afterAll(() => service.close())

    async function seed(more: Record<string, unknown> = {}) {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const id = await admin.create('/endpoints', { name: 'staging', baseUrl: service.url, ...more })
      return (body: Record<string, unknown>, headers?: Record<string, string>) =>
        admin.post(`/endpoints/${id}/test`, body, headers)
    }

    it('200 returns status, duration, the answer and what the pointer found', async () => {
      const test = await seed()
      const { status, body } = await test({ body: { question: 'Why?' }, output: '/sent/question' })
      expect(status).toBe(200)
      expect(body).toEqual({
        ok: true,
        summary: expect.stringMatching(/^staging returned 200 after \d+ ms$/),
        status: 200,
        durationMs: expect.any(Number),
        answer: '{"answer":"Yes","sent":{"question":"Why?"}}',
        output: 'Why?',
      })
    })

    it('200 replaces the placeholders with the input, as a trial does', async () => {
      const test = await seed()
      const template = { question: '{{input.question}}', all: '{{input}}' }
      await test({ body: template, input: { question: 'Why?' } })
      expect(service.requests.at(-1)?.body).toEqual({ question: 'Why?', all: { question: 'Why?' } })
      const { body } = await test({ body: template })
      expect(body).toMatchObject({
        ok: false,
        summary: expect.stringMatching(/no value for input\.question, input: there is no input/),
        status: null,
      })
    })

    it('200 without a pointer finds the whole answer, also a text', async () => {
      const test = await seed()
      expect((await test({ body: {} })).body).toMatchObject({ ok: true, output: { answer: 'Yes', sent: {} } })
      service.next({ body: 'Plain', type: 'text/plain' })
      expect((await test({ body: 'any JSON' })).body).toMatchObject({ ok: true, output: 'Plain', answer: 'Plain' })
    })

    it('200 with the answer even if the pointer finds nothing, or the service rejects the body', async () => {
      const test = await seed()
      expect((await test({ body: {}, output: '/text' })).body).toMatchObject({
        ok: false,
        summary: 'staging returned nothing at /text: its answer is an object with the fields answer, sent',
        status: 200,
        answer: '{"answer":"Yes","sent":{}}',
        output: null,
      })
      service.next((_, res) => sendJson(res, 422, { detail: 'question is missing' }))
      expect((await test({ body: {} })).body).toMatchObject({
        ok: false,
        summary: 'staging returned 422: it does not accept this body; its message: question is missing',
        status: 422,
        answer: '{"detail":"question is missing"}',
        output: null,
      })
    })

    it('200 with no more than the first 2,000 characters of a long answer', async () => {
      const test = await seed()
      service.next({ body: 'é'.repeat(100_000), type: 'text/plain' })
      const { answer } = (await test({ body: {} })).body
      expect(answer).toBe(`${'é'.repeat(1_999)}…`)
    })

    it('200 without the answer if it repeats a header', async () => {
      const test = await seed({ headers: { 'x-api-key': 'key-0123456789' } })
      service.next((_, res) => sendJson(res, 200, { answer: 'Yes', debug: 'key-0123456789' }))
      expect((await test({ body: {}, output: '/answer' })).body).toMatchObject({
        ok: true,
        output: 'Yes',
        answer: null,
      })
    })

    it('200 with a message if nothing listens there', async () => {
      const test = await seed({ baseUrl: 'http://127.0.0.1:9/' })
      expect((await test({ body: {} })).body).toMatchObject({
        ok: false,
        summary: 'staging could not be reached: the connection was refused',
        status: null,
        answer: null,
      })
    })

    it('200 with a message when the timeout of the endpoint has passed', async () => {
      const test = await seed({ timeoutSeconds: 1 })
      service.next('hang')
      const { body } = await test({ body: {} })
      expect(body).toMatchObject({ ok: false, summary: 'staging did not respond within 1 s', status: null })
    })

    it.each([
      [{}, /body/],
      [{ body: {}, output: 5 }, /output/],
      [{ body: {}, output: 'answer' }, /"answer" is not a JSON Pointer/],
      [{ body: { a: '{{question}}' } }, /The body has \{\{question\}\}/],
      [{ body: {}, headers: {} }, /headers/],
    ])('400 for %j, and the service is not called', async (body, message) => {
      const test = await seed()
      const before = service.requests.length
      expectError(await test(body), 400, message)
      expect(service.requests).toHaveLength(before)
    })

    it('keeps to the concurrency of the endpoint', async () => {
      const test = await seed({ concurrency: 1 })
      const before = service.requests.length
      let release: (() => void) | undefined
      service.next((_, res) => {
        release = () => sendJson(res, 200, { order: 1 })
      })
      const first = test({ body: {}, output: '/order' })
      await waitFor('the first call', async () => release)
      const second = test({ body: {}, output: '/answer' })
      expect(service.requests).toHaveLength(before + 1)
      release?.()
      expect([(await first).body.output, (await second).body.output]).toEqual([1, 'Yes'])
    })

    it('with a repeated Idempotency-Key calls the service once, and returns the first response again', async () => {
      const test = await seed()
      const before = service.requests.length
      const first = await test({ body: {} }, { 'idempotency-key': 'once' })
      const second = await test({ body: {} }, { 'idempotency-key': 'once' })
      expect([second.status, second.text]).toEqual([200, first.text])
      expect(service.requests).toHaveLength(before + 1)
    })
  },
  { works: false },
)
