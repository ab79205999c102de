import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import { movableClock, SECOND } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const BASE_URL = 'http://127.0.0.1:9/v1'
const CONNECTION = { name: 'Judge', baseUrl: BASE_URL }
const KEY = 'sk-of-the-tests'

const clock = movableClock()

describeEachEngine(
  '/connections',
  (app) => {
    async function seed(): Promise<{ workspaceId: string; admin: Client; key: Client }> {
      const { workspaceId, client } = await app().newWorkspace()
      return { workspaceId, admin: await browserWith(app(), workspaceId, 'admin'), key: client }
    }

    it('POST 201 returns the whole connection with its defaults, and GET 200 the same', async () => {
      const { admin, key } = await seed()
      const { status, body } = await admin.post('/connections', CONNECTION)
      expect(status).toBe(201)
      expect(body).toEqual({
        id: NEW_ID,
        name: 'Judge',
        kind: 'openai',
        baseUrl: BASE_URL,
        hasKey: false,
        models: [],
        retirements: [],
        concurrency: 4,
        requestsPerMinute: null,
        createdAt: TIMESTAMP,
        updatedAt: body.createdAt,
      })
      expect((await admin.get(`/connections/${body.id}`)).body).toEqual(body)
      expect((await key.get(`/connections/${String(body.id).toUpperCase()}`)).body).toEqual(body)
      expect(await key.list('/connections')).toEqual([body])
    })

    it('POST 201 stores everything that is given; a model that is named twice is one', async () => {
      const { admin } = await seed()
      const given = { name: 'Full', baseUrl: BASE_URL, concurrency: 100, requestsPerMinute: 60 }
      const { body } = await admin.post('/connections', { ...given, apiKey: KEY, models: ['b', 'a', 'b'] })
      expect(body).toMatchObject({ ...given, hasKey: true, models: ['b', 'a'] })
      expect(body).not.toHaveProperty('apiKey')
    })

    it.each([
      ['openai', 'https://api.openai.com/v1'],
      ['anthropic', 'https://api.anthropic.com/v1'],
      ['gemini', 'https://generativelanguage.googleapis.com/v1beta'],
    ])('POST 201 for %s without a base URL uses that of the provider', async (kind, baseUrl) => {
      const { admin } = await seed()
      const { status, body } = await admin.post('/connections', { name: 'Judge', kind, apiKey: KEY })
      expect({ status, body }).toMatchObject({ status: 201, body: { kind, baseUrl, hasKey: true } })
      expect((await admin.get(`/connections/${body.id}`)).body).toEqual(body)
    })

    it('PATCH 200 of the kind changes the base URL only if it is that of the former provider, and then removes the key', async () => {
      const { admin } = await seed()
      const change = async (connection: Record<string, unknown>, by: Record<string, unknown>) => {
        const id = await admin.create('/connections', { apiKey: KEY, ...connection })
        return (await admin.patch(`/connections/${id}`, by)).body
      }
      expect(await change({ name: 'a', kind: 'anthropic' }, { kind: 'gemini' })).toMatchObject({
        kind: 'gemini',
        baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
        hasKey: false,
      })
      expect(await change({ ...CONNECTION, name: 'b' }, { kind: 'anthropic' })).toMatchObject({
        kind: 'anthropic',
        baseUrl: BASE_URL,
        hasKey: true,
      })
      expect(await change({ name: 'c' }, { kind: 'openai' })).toMatchObject({ kind: 'openai', hasKey: true })
      expect(await change({ name: 'd' }, { kind: 'anthropic', baseUrl: BASE_URL, apiKey: KEY })).toMatchObject({
        kind: 'anthropic',
        baseUrl: BASE_URL,
        hasKey: true,
      })
    })

    it('an address is stored in normalized form, so that another spelling is not a change', async () => {
      const { admin } = await seed()
      for (const [written, stored] of [
        ['HTTP://127.0.0.1:9/v1/', BASE_URL],
        ['http://2130706433:9/v1//', BASE_URL],
        ['http://127.0.0.1:80', 'http://127.0.0.1'],
        ['http://127.0.0.1/v1/?api-version=2', 'http://127.0.0.1/v1?api-version=2'],
      ]) {
        const { body } = await admin.post('/connections', { name: `At ${written}`, baseUrl: written })
        expect(body.baseUrl).toBe(stored)
      }
    })

    it('GET 200 is newest first and pages', async () => {
      const { admin } = await seed()
      for (const name of ['one', 'two', 'three']) await admin.create('/connections', { ...CONNECTION, name })
      expect((await admin.list('/connections')).map(({ name }) => name)).toEqual(['three', 'two', 'one'])
      expect((await admin.list('/connections?limit=1&offset=1')).map(({ name }) => name)).toEqual(['two'])
    })

    it('PATCH 200 changes the given fields and keeps the others', async () => {
      const { admin } = await seed()
      const { body: before } = await admin.post('/connections', { ...CONNECTION, apiKey: KEY, models: ['a'] })
      clock.advance(SECOND)
      const path = `/connections/${before.id}`
      const renamed = await admin.patch(path, { name: 'Renamed', requestsPerMinute: 10 })
      expect(renamed.status).toBe(200)
      const expected = { ...before, name: 'Renamed', requestsPerMinute: 10, updatedAt: renamed.body.updatedAt }
      expect(renamed.body).toEqual(expected)
      expect(Date.parse(String(renamed.body.updatedAt))).toBeGreaterThan(Date.parse(String(before.updatedAt)))
      const limited = await admin.patch(path, { models: ['c', 'c'], concurrency: 1, requestsPerMinute: null })
      expect(limited.body).toMatchObject({ name: 'Renamed', models: ['c'], concurrency: 1, requestsPerMinute: null })
      expect((await admin.get(path)).body).toEqual(limited.body)
      // Its own name is not taken by another.
      expect((await admin.patch(path, { name: 'Renamed' })).status).toBe(200)
    })

    it('has the days on which its models end, until they are changed; 400 for a day that no calendar has', async () => {
      const { admin } = await seed()
      const retirements = [{ model: 'gpt-4o', on: '2026-12-11' }]
      const { body } = await admin.post('/connections', { ...CONNECTION, retirements })
      const path = `/connections/${body.id}`
      expect((await admin.patch(path, { name: 'Renamed' })).body.retirements).toEqual(retirements)
      const wrong = [
        [
          { model: 'a', on: '2026-02-30' },
          'The field retirements has the day 2026-02-30 for a, which is not in the calendar',
        ],
        [{ model: 'gpt-4o', on: '2027-01-01' }, 'The field retirements names gpt-4o twice; keep one of its days'],
        [{ model: 'a', on: '11 Dec' }, 'The field retirements[1].on has an invalid format'],
      ] as const
      for (const [retirement, message] of wrong)
        expectError(await admin.patch(path, { retirements: [...retirements, retirement] }), 400, message)
      expect((await admin.get(path)).body.retirements).toEqual(retirements)
      expect((await admin.patch(path, { retirements: [] })).body.retirements).toEqual([])
    })

    it('DELETE 204 removes it, and a second time 404; its name is free again', async () => {
      const { admin } = await seed()
      const id = await admin.create('/connections', CONNECTION)
      const gone = await admin.delete(`/connections/${id}`)
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' })
      for (const method of ['GET', 'DELETE'])
        expectError(await admin.send(method, `/connections/${id}`), 404, 'Connection not found')
      expectError(await admin.patch(`/connections/${id}`, { name: 'a' }), 404, 'Connection not found')
      expectError(await admin.post(`/connections/${id}/test`, undefined), 404, 'Connection not found')
      expect((await admin.post('/connections', CONNECTION)).status).toBe(201)
    })

    it('409 for a name that is taken in the application, and not for one of another application', async () => {
      const { admin } = await seed()
      const other = await seed()
      await admin.create('/connections', CONNECTION)
      const id = await admin.create('/connections', { ...CONNECTION, name: 'Second' })
      const message = 'Another connection of this application has this name'
      expectError(await admin.post('/connections', CONNECTION), 409, message)
      expectError(await admin.patch(`/connections/${id}`, { name: 'Judge' }), 409, message)
      expect((await admin.get(`/connections/${id}`)).body.name).toBe('Second')
      expect((await other.admin.post('/connections', CONNECTION)).status).toBe(201)
    })

    it('of ten concurrent creates with one name, one succeeds', async () => {
      const { admin } = await seed()
      const answers = await Promise.all(Array.from({ length: 10 }, () => admin.post('/connections', CONNECTION)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(9).fill(409)])
      expect(await admin.list('/connections')).toHaveLength(1)
    })

    it('409 beyond fifty', async () => {
      const { admin } = await seed()
      for (let place = 0; place < 50; place += 1)
        await admin.create('/connections', { ...CONNECTION, name: `c${place}` })
      expectError(await admin.post('/connections', CONNECTION), 409, /at most 50 connections/)
    })

    describe('400', () => {
      it.each([
        [{}, /name/],
        [{ ...CONNECTION, kind: 'azure' }, /kind/],
        [{ ...CONNECTION, kind: null }, /kind/],
        [{ ...CONNECTION, name: '' }, /name/],
        [{ ...CONNECTION, baseUrl: '' }, /baseUrl/],
        [{ ...CONNECTION, baseUrl: 'nonsense' }, /must be a URL/],
        [{ ...CONNECTION, baseUrl: 'http://localhost.invalid' }, /was not found/],
        [
          { ...CONNECTION, baseUrl: 'http://169.254.169.254/latest' },
          /^The field baseUrl cannot be used: the host 169\.254\.169\.254 is not on the public internet/,
        ],
        [{ ...CONNECTION, baseUrl: 'http://[::ffff:a9fe:a9fe]/' }, /not on the public internet/],
        [{ ...CONNECTION, baseUrl: 'http://10.0.0.1/' }, /TOUCHSTONE_ALLOWED_EGRESS=10\.0\.0\.1:80/],
        [{ ...CONNECTION, baseUrl: 'http://1.1.1.1/' }, /https/],
        [{ ...CONNECTION, baseUrl: 'http://user:word@127.0.0.1/' }, /password/],
        [{ ...CONNECTION, baseUrl: 'http://127.0.0.1/?key=sk' }, /must not contain a key/],
        [{ ...CONNECTION, apiKey: '' }, /apiKey/],
        [{ ...CONNECTION, apiKey: null }, /apiKey/],
        [{ ...CONNECTION, apiKey: 'two words' }, /apiKey/],
        [{ ...CONNECTION, apiKey: 'line\n' }, /apiKey/],
        [{ ...CONNECTION, apiKey: 'kéy' }, /apiKey/],
        [{ ...CONNECTION, apiKey: 'x'.repeat(1_001) }, /apiKey/],
        [{ ...CONNECTION, models: 'a' }, /models/],
        [{ ...CONNECTION, models: [''] }, /models\[0\]/],
        [{ ...CONNECTION, models: Array<string>(201).fill('a') }, /models/],
        [{ ...CONNECTION, concurrency: 0 }, /concurrency/],
        [{ ...CONNECTION, concurrency: 101 }, /concurrency/],
        [{ ...CONNECTION, concurrency: 1.5 }, /concurrency/],
        [{ ...CONNECTION, requestsPerMinute: 0 }, /requestsPerMinute/],
        [{ ...CONNECTION, requestsPerMinute: 100_001 }, /requestsPerMinute/],
        [{ ...CONNECTION, hasKey: true }, /hasKey/],
        [{ ...CONNECTION, sealedKey: 'v1.a.b' }, /sealedKey/],
      ])('for %j, and nothing is stored', async (body, message) => {
        const { admin } = await seed()
        expectError(await admin.post('/connections', body), 400, message)
        expect(await admin.list('/connections')).toEqual([])
      })

      it('for an empty change, a forbidden address or invalid values; and nothing changes', async () => {
        const { admin } = await seed()
        const { body: before } = await admin.post('/connections', { ...CONNECTION, apiKey: KEY })
        const path = `/connections/${before.id}`
        for (const body of [
          {},
          { name: null },
          { baseUrl: 'http://10.0.0.1' },
          { concurrency: 0 },
          { kind: 'other' },
          { apiKey: 'a b' },
          { id: ABSENT_ID },
        ])
          expectError(await admin.patch(path, body), 400)
        expect((await admin.get(path)).body).toEqual(before)
        expectError(await admin.get('/connections/7'), 400, /connectionId/)
      })
    })

    it('401 without credentials, and for writing with an API key; 403 below admin for writing, below editor for reading', async () => {
      const { workspaceId, admin, key } = await seed()
      const id = await admin.create('/connections', CONNECTION)
      const editor = await browserWith(app(), workspaceId, 'editor')
      const annotator = await browserWith(app(), workspaceId, 'annotator')
      const reads = [
        ['GET', '/connections'],
        ['GET', `/connections/${id}`],
      ] as const
      const writes = [
        ['POST', '/connections', { name: 'a', baseUrl: BASE_URL }],
        ['PATCH', `/connections/${id}`, { name: 'a' }],
        ['POST', `/connections/${id}/test`],
        ['DELETE', `/connections/${id}`],
      ] as const
      for (const [method, path] of reads) {
        expect((await editor.send(method, path)).status).toBe(200)
        expect((await key.send(method, path)).status).toBe(200)
        expectError(await annotator.send(method, path), 403, /requires the role editor/)
        expectUnauthorized(await app().anonymous.send(method, path))
      }
      for (const [method, path, body] of writes) {
        expectError(await editor.send(method, path, { body }), 403, /requires the role admin/)
        expectError(await key.send(method, path, { body }), 401, /not an API key/)
        expectUnauthorized(await app().anonymous.send(method, path, { body }))
      }
      expect(await admin.list('/connections')).toHaveLength(1)
    })

    it('changes are in the audit log, by action and without contents', async () => {
      const { admin } = await seed()
      const id = await admin.create('/connections', { ...CONNECTION, apiKey: KEY })
      await admin.patch(`/connections/${id}`, { name: 'Other' })
      await admin.post('/connections', { name: 'Other', baseUrl: BASE_URL })
      await admin.delete(`/connections/${id}`)
      const log = await admin.list('/audit-log')
      expect(log.map(({ action, resourceId }) => [action, resourceId])).toEqual([
        ['connection.deleted', id],
        ['connection.changed', id],
        ['connection.created', id],
      ])
    })
  },
  { clock },
)
