// @module-tag sql
/** The headers of an endpoint go in and never come out, and go nowhere but where they were given for. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createEgress } from '../../src/egress/egress-guard.ts'
import { findEndpoint } from '../../src/endpoints/find-endpoint.ts'
import { createSealer } from '../../src/secrets/sealed-secret.ts'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Answer } from '../harness/client.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEachEngine, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { rowsOfWorkspaces } from '../isolation/workspace-rows.ts'
import { type Service, sendJson, startService } from './service.ts'

const CANARY = 'canary-7d1f0b5e-2c'
const AUTHORIZATION = `Bearer ${CANARY}`
const [FORMER, NEXT] = ['ab'.repeat(32), 'cd'.repeat(32)]

const { log, logged } = collectingLog('trace')

function sealerOf(hex: string) {
  return createSealer({ secretKeys: [Buffer.from(hex, 'hex')], secretKeyFile: undefined })
}

describeEachEngine(
  'the headers of an endpoint',
  (app) => {
    let service: Service
    beforeAll(async () => {
      service = await startService()
    })
    afterAll(() => service.close())

    async function seed() {
      const { workspaceId, client } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const headers = { authorization: AUTHORIZATION, 'x-tenant': 'a' }
      const id = await admin.create('/endpoints', { name: 'staging', baseUrl: service.url, headers })
      return { workspaceId, admin, key: client, id, path: `/endpoints/${id}` }
    }

    /** The headers as the service would be sent them. */
    async function headersOf(workspaceId: string, name = 'staging') {
      const by = { column: 'name', value: name } as const
      return (await findEndpoint(app().storage.read, sealerOf(FORMER), workspaceId, by))?.headers
    }

    it('are in no response, list, error, log, audit record or row, after any use of the endpoint', async () => {
      const { workspaceId, admin, key, path } = await seed()
      const body = { name: 'second', baseUrl: service.url, headers: { authorization: AUTHORIZATION } }
      const answers: Answer[] = [
        await admin.post('/endpoints', body, { 'idempotency-key': 'once' }),
        await admin.post('/endpoints', body, { 'idempotency-key': 'once' }),
        await admin.post('/endpoints', body),
        await admin.post('/endpoints', { ...body, headers: { authorization: `${AUTHORIZATION} ` } }),
        await admin.post('/endpoints', { ...body, headers: { authorization: AUTHORIZATION.repeat(300) } }),
        await admin.post('/endpoints', { ...body, headers: { host: AUTHORIZATION } }),
        await admin.post('/endpoints', { ...body, headers: { [AUTHORIZATION]: 'a' } }),
        await admin.post('/endpoints', { ...body, baseUrl: 'http://10.0.0.1/' }),
        await admin.post('/endpoints', `{"headers":{"authorization":"${AUTHORIZATION}`),
        await key.post('/endpoints', body),
        await admin.get('/endpoints'),
        await key.get(path),
        await admin.patch(path, { headers: { authorization: AUTHORIZATION } }),
        await admin.patch(path, { headers: { authorization: AUTHORIZATION }, name: 'second' }),
      ]
      const test = async () => admin.post(`${path}/test`, { body: {}, output: '/answer' })
      answers.push(await test())
      expect(service.requests.at(-1)?.headers).toMatchObject({ authorization: AUTHORIZATION, 'x-tenant': 'a' })
      for (const said of [AUTHORIZATION, Buffer.from(AUTHORIZATION).toString('base64')]) {
        for (const status of [400, 401, 404, 429, 500]) {
          service.next((_, res) => sendJson(res, status, { error: `Wrong: ${said}`, [said]: said }))
          answers.push(await test())
          await admin.patch(path, { name: 'staging' })
        }
        service.next((_, res) => sendJson(res, 200, { [said]: 1 }))
        answers.push(await test())
      }
      service.next((_, res) => sendJson(res, 200, { answer: AUTHORIZATION }))
      answers.push(await test())
      service.next({ status: 302, headers: { location: `http://127.0.0.1/${CANARY}` } })
      answers.push(await test(), await admin.get('/audit-log?limit=100'), await admin.delete(path))
      for (const { text, headers } of answers) {
        expect(text).not.toContain('canary')
        expect(text).not.toContain(Buffer.from(AUTHORIZATION).toString('base64'))
        expect(JSON.stringify([...headers])).not.toContain('canary')
      }
      expect(JSON.stringify(await rowsOfWorkspaces(app().storage, workspaceId))).not.toContain('canary')
      expect(logged.join('')).not.toContain('canary')
      expect(answers.map(({ status }) => status)).toEqual([
        ...[201, 201, 409, 400, 400, 400, 400, 400, 400, 401, 200, 200, 200, 409],
        ...Array<number>(16).fill(200),
        204,
      ])
    })

    it('are forgotten when the address changes, except those of the same request', async () => {
      const { workspaceId, admin, path } = await seed()
      expect(await headersOf(workspaceId)).toEqual({ authorization: AUTHORIZATION, 'x-tenant': 'a' })
      const other = 'http://127.0.0.1:9/ask'
      const { status, body } = await admin.patch(path, { baseUrl: other, headers: { 'x-version': '2' } })
      expect({ status, names: body.headerNames }).toEqual({ status: 200, names: ['x-version'] })
      expect(await headersOf(workspaceId)).toEqual({ 'x-version': '2' })
      // Back again: what is forgotten stays forgotten.
      expect((await admin.patch(path, { baseUrl: service.url })).body.headerNames).toEqual([])
      expect(await headersOf(workspaceId)).toEqual({})
    })

    it('stay when anything else changes, and the same address is given again', async () => {
      const { workspaceId, admin, path } = await seed()
      await admin.patch(path, { baseUrl: service.url, name: 'other', timeoutSeconds: 5 })
      expect(await headersOf(workspaceId, 'other')).toEqual({ authorization: AUTHORIZATION, 'x-tenant': 'a' })
      await admin.patch(path, { headers: { 'x-tenant': 'b' } })
      expect(await headersOf(workspaceId, 'other')).toEqual({ authorization: AUTHORIZATION, 'x-tenant': 'b' })
    })

    it('cannot be decrypted in the row of another endpoint', async () => {
      const { workspaceId, admin, id } = await seed()
      const other = await admin.create('/endpoints', { name: 'other', baseUrl: service.url, headers: { a: 'b' } })
      const read = app().storage.read.selectFrom('endpoints').select('sealed_headers').where('id', '=', id)
      const { sealed_headers } = await read.executeTakeFirstOrThrow()
      await app().storage.transaction((tx) =>
        tx.updateTable('endpoints').set({ sealed_headers }).where('id', '=', other).execute(),
      )
      const message = /The headers of the endpoint other were encrypted with another secret key/
      await expect(headersOf(workspaceId, 'other')).rejects.toThrow(message)
      const { status, body } = await admin.post(`/endpoints/${other}/test`, { body: {} })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { ok: false, summary: expect.stringMatching(message) },
      })
      expectError(await admin.patch(`/endpoints/${other}`, { headers: { c: 'd' } }), 409, message)
      // Entered again, all of them, they work.
      expect((await admin.patch(`/endpoints/${other}`, { headers: { a: 'b', c: 'd' } })).status).toBe(200)
      expect(await headersOf(workspaceId, 'other')).toEqual({ a: 'b', c: 'd' })
    })

    it('are not sent to an address that may not be called any more, although it was stored when it might', async () => {
      const { workspaceId, admin, id } = await seed()
      const before = service.requests.length
      const base_url = service.url.replace('127.0.0.1', '[::ffff:127.0.0.2]')
      await app().storage.transaction((tx) =>
        tx.updateTable('endpoints').set({ base_url }).where('id', '=', id).execute(),
      )
      const { body } = await admin.post(`/endpoints/${id}/test`, { body: {} })
      expect(body).toMatchObject({ ok: false, summary: expect.stringMatching(/not on the public internet/) })
      expect(service.requests).toHaveLength(before)
      expect(await headersOf(workspaceId)).toBeDefined()
      await expect(createEgress({ allowed: [] }).check(base_url)).rejects.toThrow(/not on the public internet/)
    })
  },
  { log, environment: { TOUCHSTONE_SECRET_KEY: FORMER }, works: false },
)

describeEngines('rotate-key with endpoints', (engine) => {
  let database: TestDatabase
  let app: TestApp
  beforeEach(async () => {
    database = await createTestDatabase(engine, 'migrated')
    app = await startTestApp(database.url, { environment: { TOUCHSTONE_SECRET_KEY: FORMER }, works: false })
    return async () => {
      await app.close()
      database.remove()
    }
  })

  const rotate = (secretKey: string) =>
    runInProcess(['rotate-key'], { DATABASE_URL: database.url, TOUCHSTONE_SECRET_KEY: secretKey })

  async function seed() {
    const { workspaceId } = await app.newWorkspace()
    const admin = await browserWith(app, workspaceId, 'admin')
    const baseUrl = 'http://127.0.0.1:9/'
    for (const name of ['a', 'b']) {
      await admin.create('/endpoints', { name, baseUrl, headers: { authorization: `${AUTHORIZATION} ${name}` } })
    }
    await admin.create('/endpoints', { name: 'without', baseUrl })
    return workspaceId
  }

  it('encrypts their headers again; then the former secret key decrypts nothing', async () => {
    const workspaceId = await seed()
    const first = await rotate(`${NEXT},${FORMER}`)
    expect(first).toMatchObject({ code: 0, errors: '' })
    expect(first.output).toContain('\nThe headers of 2 endpoint(s) were encrypted with the new secret key.\n')
    for (const name of ['a', 'b']) {
      const by = { column: 'name', value: name } as const
      const found = await findEndpoint(app.storage.read, sealerOf(NEXT), workspaceId, by)
      expect(found?.headers).toEqual({ authorization: `${AUTHORIZATION} ${name}` })
      await expect(findEndpoint(app.storage.read, sealerOf(FORMER), workspaceId, by)).rejects.toThrow(/another secret/)
    }
    expect((await rotate(`${NEXT},${FORMER}`)).output).not.toContain('endpoint')
  })

  it('does not change what it cannot decrypt, and names it', async () => {
    const workspaceId = await seed()
    const { code, errors } = await rotate(NEXT)
    expect(code).toBe(1)
    for (const name of ['a', 'b']) {
      expect(errors).toContain(`The headers of the endpoint ${name} of the application ${workspaceId} cannot be`)
    }
    const by = { column: 'name', value: 'a' } as const
    expect(await findEndpoint(app.storage.read, sealerOf(FORMER), workspaceId, by)).toBeDefined()
  })
})
