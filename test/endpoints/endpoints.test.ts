// @module-tag sql
import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { movableClock, SECOND } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const BASE_URL = 'http://127.0.0.1:9/ask'
const ENDPOINT = { name: 'staging', baseUrl: BASE_URL }
const HEADERS = { Authorization: 'Bearer of-the-tests', 'X-Tenant': 'a' }

const clock = movableClock()

describeEachEngine(
  '/endpoints',
  (app) => {
    async function seed(): Promise<{ workspaceId: string; admin: Client; key: Client }> {
      const { workspaceId, client } = await app().newWorkspace()
      return { workspaceId, admin: await browserWith(app(), workspaceId, 'admin'), key: client }
    }

    it('POST 201 returns the whole endpoint with its defaults, and GET 200 the same', async () => {
      const { admin, key } = await seed()
      const { status, body } = await admin.post('/endpoints', ENDPOINT)
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        ...ENDPOINT,
        headerNames: [],
        concurrency: 4,
        requestsPerMinute: null,
        timeoutSeconds: 60,
        createdAt: TIMESTAMP,
        updatedAt: body.createdAt,
      })
      expect((await admin.get(`/endpoints/${body.id}`)).body).toEqual(body)
      expect((await key.get(`/endpoints/${String(body.id).toUpperCase()}`)).body).toEqual(body)
      expect(await key.list('/endpoints')).toEqual([body])
    })

    it('POST 201 stores everything that is given, of the headers only their names', async () => {
      const { admin } = await seed()
      const given = { ...ENDPOINT, concurrency: 100, requestsPerMinute: 60, timeoutSeconds: 300 }
      const { body } = await admin.post('/endpoints', { ...given, headers: HEADERS })
      expect(body).toMatchObject({ ...given, headerNames: ['authorization', 'x-tenant'] })
      expect(body).not.toHaveProperty('headers')
    })

    it('the path of an address stays as it is, because the address itself is called', async () => {
      const { admin } = await seed()
      for (const [written, stored] of [
        ['HTTP://127.0.0.1:9/ask/', 'http://127.0.0.1:9/ask/'],
        ['http://2130706433:9/ask?version=2', 'http://127.0.0.1:9/ask?version=2'],
        ['http://127.0.0.1:80', 'http://127.0.0.1/'],
      ]) {
        const { body } = await admin.post('/endpoints', { name: `At ${written}`, baseUrl: written })
        expect(body.baseUrl).toBe(stored)
      }
    })

    it('GET 200 is newest first and pages', async () => {
      const { admin } = await seed()
      for (const name of ['one', 'two', 'three']) await admin.create('/endpoints', { ...ENDPOINT, name })
      expect((await admin.list('/endpoints')).map(({ name }) => name)).toEqual(['three', 'two', 'one'])
      expect((await admin.list('/endpoints?limit=1&offset=1')).map(({ name }) => name)).toEqual(['two'])
    })

    it('PATCH 200 changes the given fields and keeps the others', async () => {
      const { admin } = await seed()
      const { body: before } = await admin.post('/endpoints', { ...ENDPOINT, headers: HEADERS })
      clock.advance(SECOND)
      const path = `/endpoints/${before.id}`
      const renamed = await admin.patch(path, { name: 'production', timeoutSeconds: 10 })
      expect(renamed.status).toBe(200)
      const { updatedAt } = renamed.body
      expect(renamed.body).toEqual({ ...before, name: 'production', timeoutSeconds: 10, updatedAt })
      expect(Date.parse(String(updatedAt))).toBeGreaterThan(Date.parse(String(before.updatedAt)))
      const limited = await admin.patch(path, { concurrency: 1, requestsPerMinute: 7 })
      expect(limited.body).toMatchObject({ name: 'production', concurrency: 1, requestsPerMinute: 7 })
      expect((await admin.patch(path, { requestsPerMinute: null })).body.requestsPerMinute).toBeNull()
      // Its own name is not taken by another.
      expect((await admin.patch(path, { name: 'production' })).status).toBe(200)
    })

    it('PATCH 200 sets and removes single headers, and keeps those that are not named', async () => {
      const { admin } = await seed()
      const id = await admin.create('/endpoints', { ...ENDPOINT, headers: HEADERS })
      const names = async (headers: Record<string, string | null>) =>
        (await admin.patch(`/endpoints/${id}`, { headers })).body.headerNames
      expect(await names({ 'x-api-key': 'k', 'x-tenant': null })).toEqual(['authorization', 'x-api-key'])
      expect(await names({})).toEqual(['authorization', 'x-api-key'])
      expect(await names({ AUTHORIZATION: null, absent: null })).toEqual(['x-api-key'])
      expect(await names({ 'X-Api-Key': null })).toEqual([])
    })

    it('DELETE 204 removes it, and a second time 404; its name is free again', async () => {
      const { admin } = await seed()
      const id = await admin.create('/endpoints', ENDPOINT)
      const gone = await admin.delete(`/endpoints/${id}`)
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
      for (const method of ['GET', 'DELETE'])
        expectError(await admin.send(method, `/endpoints/${id}`), 404, 'Endpoint not found')
      expectError(await admin.patch(`/endpoints/${id}`, { name: 'a' }), 404, 'Endpoint not found')
      expectError(await admin.post(`/endpoints/${id}/test`, { body: {} }), 404, 'Endpoint not found')
      expect((await admin.post('/endpoints', ENDPOINT)).status).toBe(201)
    })

    it('409 for a name that is taken in the application, and not for one of another application', async () => {
      const { admin } = await seed()
      const other = await seed()
      await admin.create('/endpoints', ENDPOINT)
      const id = await admin.create('/endpoints', { ...ENDPOINT, name: 'second' })
      const message = 'Another endpoint of this application has this name'
      expectError(await admin.post('/endpoints', ENDPOINT), 409, message)
      expectError(await admin.patch(`/endpoints/${id}`, { name: 'staging' }), 409, message)
      expect((await admin.get(`/endpoints/${id}`)).body.name).toBe('second')
      expect((await other.admin.post('/endpoints', ENDPOINT)).status).toBe(201)
    })

    it('of ten concurrent creates with one name, one succeeds', async () => {
      const { admin } = await seed()
      const answers = await Promise.all(Array.from({ length: 10 }, () => admin.post('/endpoints', ENDPOINT)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)])
      expect(await admin.list('/endpoints')).toHaveLength(1)
    })

    it('409 beyond fifty', async () => {
      const { admin } = await seed()
      for (let place = 0; place < 50; place += 1) await admin.create('/endpoints', { ...ENDPOINT, name: `e${place}` })
      expectError(await admin.post('/endpoints', ENDPOINT), 409, /at most 50 endpoints/)
    })

    describe('400', () => {
      it.each([
        [{}, /name/],
        [{ name: 'a' }, /baseUrl/],
        [{ ...ENDPOINT, name: '' }, /name/],
        [{ ...ENDPOINT, baseUrl: 'nonsense' }, /must be a URL/],
        [
          { ...ENDPOINT, baseUrl: 'http://169.254.169.254/latest' },
          /^The field baseUrl cannot be used: the host 169\.254\.169\.254 is not on the public internet/,
        ],
        [{ ...ENDPOINT, baseUrl: 'http://10.0.0.1/' }, /TOUCHSTONE_ALLOWED_EGRESS=10\.0\.0\.1:80/],
        [{ ...ENDPOINT, baseUrl: 'http://127.0.0.1/?token=x' }, /must not contain a key/],
        [{ ...ENDPOINT, headers: [] }, /headers/],
        [{ ...ENDPOINT, headers: { a: 1 } }, /headers\.a/],
        [{ ...ENDPOINT, headers: { a: null } }, /headers\.a/],
        [{ ...ENDPOINT, headers: { a: '' } }, /headers\.a/],
        [{ ...ENDPOINT, headers: { a: 'line\nX-Other: b' } }, /headers\.a must contain only printable ASCII/],
        [{ ...ENDPOINT, headers: { a: ' b' } }, /headers\.a must contain only printable ASCII/],
        [{ ...ENDPOINT, headers: { a: 'é' } }, /headers\.a must contain only printable ASCII/],
        [{ ...ENDPOINT, headers: { 'two words': 'b' } }, /^The field headers has a name that no HTTP header may have/],
        [{ ...ENDPOINT, headers: { Host: 'b' } }, /must not contain host, because the server sets it/],
        [{ ...ENDPOINT, headers: { TraceParent: 'b' } }, /must not contain traceparent/],
        [{ ...ENDPOINT, headers: { 'Content-Length': '0' } }, /must not contain content-length/],
        [{ ...ENDPOINT, headers: { a: 'b', A: 'c' } }, /must not contain a twice/],
        [{ ...ENDPOINT, headers: { a: 'x'.repeat(4_001) } }, /headers\.a/],
        [
          { ...ENDPOINT, headers: Object.fromEntries(Array.from({ length: 21 }, (_, place) => [`h${place}`, 'v'])) },
          /headers/,
        ],
        [{ ...ENDPOINT, concurrency: 0 }, /concurrency/],
        [{ ...ENDPOINT, concurrency: 101 }, /concurrency/],
        [{ ...ENDPOINT, requestsPerMinute: 0 }, /requestsPerMinute/],
        [{ ...ENDPOINT, timeoutSeconds: 0 }, /timeoutSeconds/],
        [{ ...ENDPOINT, timeoutSeconds: 301 }, /timeoutSeconds/],
        [{ ...ENDPOINT, headerNames: ['a'] }, /headerNames/],
        [{ ...ENDPOINT, sealedHeaders: 'v1.a.b' }, /sealedHeaders/],
      ])('for %j, and nothing is stored', async (body, message) => {
        const { admin } = await seed()
        expectError(await admin.post('/endpoints', body), 400, message)
        expect(await admin.list('/endpoints')).toEqual([])
      })

      it('for an empty change, a forbidden address or invalid values; and nothing changes', async () => {
        const { admin } = await seed()
        const { body: before } = await admin.post('/endpoints', { ...ENDPOINT, headers: HEADERS })
        const path = `/endpoints/${before.id}`
        const more = Object.fromEntries(Array.from({ length: 19 }, (_, place) => [`h${place}`, 'v']))
        for (const body of [
          {},
          { name: null },
          { baseUrl: 'http://10.0.0.1' },
          { concurrency: 0 },
          { headers: null },
          { headers: { host: null } },
          { headers: more },
          { id: ABSENT_ID },
        ])
          expectError(await admin.patch(path, body), 400)
        expect((await admin.get(path)).body).toEqual(before)
        expectError(await admin.get('/endpoints/7'), 400, /endpointId/)
      })
    })

    it('401 without credentials, and for writing with an API key; 403 below admin for writing; viewers read', async () => {
      const { workspaceId, admin, key } = await seed()
      const id = await admin.create('/endpoints', ENDPOINT)
      const editor = await browserWith(app(), workspaceId, 'editor')
      const viewer = await browserWith(app(), workspaceId, 'viewer')
      for (const path of ['/endpoints', `/endpoints/${id}`]) {
        expect((await viewer.get(path)).status).toBe(200)
        expect((await key.get(path)).status).toBe(200)
        expectUnauthorized(await app().anonymous.get(path))
      }
      const writes = [
        ['POST', '/endpoints', { name: 'a', baseUrl: BASE_URL }],
        ['PATCH', `/endpoints/${id}`, { name: 'a' }],
        ['POST', `/endpoints/${id}/test`, { body: {} }],
        ['DELETE', `/endpoints/${id}`],
      ] as const
      for (const [method, path, body] of writes) {
        expectError(await editor.send(method, path, { body }), 403, /requires the role admin/)
        expectError(await key.send(method, path, { body }), 401, /not an API key/)
        expectUnauthorized(await app().anonymous.send(method, path, { body }))
      }
      expect(await admin.list('/endpoints')).toHaveLength(1)
    })

    it('POST 201 with a repeated Idempotency-Key creates one endpoint', async () => {
      const { admin } = await seed()
      const create = () => admin.post('/endpoints', { ...ENDPOINT, headers: HEADERS }, { 'idempotency-key': 'once' })
      const first = await create()
      expect((await create()).text).toBe(first.text)
      expect(await admin.list('/endpoints')).toHaveLength(1)
    })

    it('changes are in the audit log, by action and without contents', async () => {
      const { admin } = await seed()
      const id = await admin.create('/endpoints', { ...ENDPOINT, headers: HEADERS })
      await admin.patch(`/endpoints/${id}`, { name: 'other' })
      await admin.post('/endpoints', { name: 'other', baseUrl: BASE_URL })
      await admin.delete(`/endpoints/${id}`)
      const log = await admin.list('/audit-log')
      expect(log.map(({ action, resourceId, detail }) => [action, resourceId, detail])).toEqual([
        ['endpoint.deleted', id, null],
        ['endpoint.changed', id, null],
        ['endpoint.created', id, null],
      ])
    })
  },
  { clock },
)
