import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { listModels } from '../../src/llm/list-models.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'

describeEachEngine(
  'POST /connections/{connectionId}/test',
  (app) => {
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer()
    })
    afterAll(() => model.close())

    async function test(baseUrl: string, more: Record<string, unknown> = {}) {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl, ...more })
      return admin.post(`/connections/${id}/test`, undefined)
    }

    it('200 returns the models that the endpoint offers', async () => {
      const { status, body } = await test(`${model.baseUrl}?api-version=1`, { apiKey: 'key' })
      expect(status).toBe(200)
      expect(body).toEqual({ ok: true, summary: 'Judge responded with 1 model', models: ['judge-1'] })
      const { method, path, headers } = model.requests.at(-1) ?? {}
      expect([method, path, headers?.authorization]).toEqual(['GET', '/v1/models?api-version=1', 'Bearer key'])
    })

    it.each([
      ['anthropic', '/v1/models?limit=1000', 'x-api-key'],
      ['gemini', '/v1beta/models?pageSize=1000', 'x-goog-api-key'],
    ] as const)('200 lists the models of a connection of kind %s', async (kind, path, header) => {
      const other = await startModelServer({ kind })
      const { body } = await test(other.baseUrl, { kind, apiKey: 'key' })
      expect(body).toEqual({ ok: true, summary: 'Judge responded with 1 model', models: ['judge-1'] })
      expect(other.requests).toMatchObject([{ path, headers: { [header]: 'key' } }])
      expect(other.requests[0]?.headers).not.toHaveProperty('authorization')
      await other.close()
    })

    it('200 sends no key if there is none', async () => {
      await test(model.baseUrl)
      expect(model.requests.at(-1)?.headers).not.toHaveProperty('authorization')
    })

    it('200 with a message if nothing listens there', async () => {
      const { status, body } = await test('http://127.0.0.1:9/v1')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        ok: false,
        summary: expect.stringMatching(/^Judge could not be reached/),
        models: [],
      })
    })

    it.each<[string, Misbehaviour, RegExp]>([
      ['a wrong key', { status: 401, error: { message: 'no' } }, /does not accept the key/],
      ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }, /redirect.*not followed/],
      ['a failure', { status: 500 }, /500/],
      ['nothing of that kind', { status: 404 }, /does not list its models, or its base URL is wrong/],
      ['a page', 'HTML', /did not return a list of models/],
      ['something else', { body: '{"data":{}}' }, /did not return a list of models/],
      ['too much', '100 MB', /more than 1048576 bytes/],
      ['what is no HTTP', 'not HTTP', /not HTTP/],
      ['a broken connection', 'reset', /was reset/],
    ])('200 with a message if the response is %s', async (_, how, message) => {
      const before = model.requests.length
      model.misbehave(how)
      const { status, body } = await test(model.baseUrl)
      expect(status).toBe(200)
      expect(body).toMatchObject({ ok: false, summary: expect.stringMatching(message), models: [] })
      // Once, and nowhere else.
      expect(model.requests).toHaveLength(before + 1)
    })

    it('200 with only those names that are texts of a sensible length', async () => {
      const data = [{ id: 'a' }, { id: 5 }, { id: '' }, { id: 'x'.repeat(201) }, null, 'b', {}]
      model.misbehave({ body: JSON.stringify({ data }) })
      expect((await test(model.baseUrl)).body).toMatchObject({ ok: true, models: ['a'] })
    })

    it('200 without model names that contain the key, in any encoding', async () => {
      const apiKey = 'sk-0123456789-abcdefghij'
      const forms = [apiKey, Buffer.from(apiKey).toString('base64'), [...apiKey].reverse().join('')]
      model.misbehave({ body: JSON.stringify({ data: ['judge-1', ...forms].map((id) => ({ id })) }) })
      expect((await test(model.baseUrl, { apiKey })).body).toMatchObject({ ok: true, models: ['judge-1'] })
    })

    it('does not call an address that may not be called any more, although it was stored when it might', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl: model.baseUrl })
      const base_url = model.baseUrl.replace('127.0.0.1', '[::ffff:127.0.0.2]')
      await app().storage.transaction((tx) =>
        tx.updateTable('model_connections').set({ base_url }).where('id', '=', id).execute(),
      )
      const before = model.requests.length
      const { body } = await admin.post(`/connections/${id}/test`, undefined)
      expect(body).toMatchObject({ ok: false, summary: expect.stringMatching(/not on the public internet/) })
      expect(model.requests).toHaveLength(before)
    })
  },
  { works: false },
)

describe('listing models', () => {
  let model: ModelServer | undefined
  afterEach(() => model?.close())

  it.each<Misbehaviour>(['hang', 'drip'])('ends when the time is over, if the endpoint does not (%s)', async (how) => {
    model = await startModelServer()
    model.misbehave(how)
    const connection = { name: 'Judge', kind: 'openai' as const, baseUrl: model.baseUrl, apiKey: undefined }
    const egress = createEgress({ allowed: ['127.0.0.1'] })
    await expect(listModels({ connection, egress, now: 0, timeoutMs: 300 })).rejects.toThrow(/did not respond within/)
  })
})
