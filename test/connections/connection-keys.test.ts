/** The key of a connection goes in and never comes out, and goes nowhere but where it was given for. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { findConnection } from '../../src/connections/find-connection.ts'
import { createModelAccess } from '../../src/connections/model-access.ts'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Answer, Client } from '../harness/client.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, describeEachEngine, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { rowsOfWorkspaces } from '../isolation/workspace-rows.ts'

const CANARY = 'sk-canary-7d1f0b5e'
const SECRET_KEY = 'ab'.repeat(32)
const OTHER_SECRET_KEY = Buffer.alloc(32, 7).toString('base64')

function accessWith(hex: string) {
  const secretKey = Buffer.from(hex, 'hex')
  return createModelAccess({
    secretKeys: [secretKey],
    secretKeyFile: undefined,
    allowedEgress: [],
    allowableEgress: [],
    defaultModel: undefined,
  })
}

const { log, logged } = collectingLog('trace')

describeEachEngine(
  'the key of a connection',
  (app, engine) => {
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer()
    })
    afterAll(() => model.close())

    async function seed(name = 'Judge') {
      const { workspaceId, client } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const connection = { name, baseUrl: model.baseUrl, apiKey: CANARY }
      const id = await admin.create('/connections', connection)
      return { workspaceId, admin, key: client, id, path: `/connections/${id}` }
    }

    /** The key as the model would be sent it. */
    async function keyOf(workspaceId: string, name = 'Judge') {
      const { secrets } = accessWith(SECRET_KEY)
      return (await findConnection(app().storage.read, secrets, workspaceId, name))?.apiKey
    }

    it('is in no response, list, error, log, audit record or row, after any use of the connection', async () => {
      const { workspaceId, admin, key, path } = await seed()
      const body = { name: 'Second', baseUrl: model.baseUrl, apiKey: CANARY }
      const answers: Answer[] = [
        await admin.post('/connections', body, { 'idempotency-key': 'once' }),
        await admin.post('/connections', body, { 'idempotency-key': 'once' }),
        await admin.post('/connections', body),
        await admin.post('/connections', { ...body, apiKey: `${CANARY} ` }),
        await admin.post('/connections', { ...body, apiKey: CANARY.repeat(100) }),
        await admin.post('/connections', { ...body, concurrency: 0 }),
        await admin.post('/connections', { ...body, baseUrl: 'http://10.0.0.1/' }),
        await admin.post('/connections', `{"apiKey":"${CANARY}`),
        await key.post('/connections', body),
        await admin.get('/connections'),
        await key.get('/connections'),
        await admin.get(path),
        await admin.patch(path, { apiKey: CANARY }),
        await admin.patch(path, { apiKey: CANARY, name: 'Second' }),
        await admin.post(`${path}/test`, undefined),
      ]
      expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${CANARY}`)
      // Providers repeat what they were sent, in errors more than elsewhere.
      for (const status of [400, 401, 404, 429, 500]) {
        model.misbehave({ status, error: { message: `Wrong key: ${CANARY}`, code: CANARY } })
        answers.push(await admin.post(`${path}/test`, undefined))
      }
      model.misbehave({ status: 302, headers: { location: `http://127.0.0.1/${CANARY}` } })
      answers.push(await admin.post(`${path}/test`, undefined), await admin.get('/audit-log?limit=100'))
      answers.push(await admin.delete(path))
      for (const { text, headers } of answers) {
        expect(text).not.toContain('canary')
        expect(JSON.stringify([...headers])).not.toContain('canary')
      }
      expect(JSON.stringify(await rowsOfWorkspaces(app().storage, workspaceId))).not.toContain('canary')
      expect(logged.join('')).not.toContain('canary')
      expect(answers.map(({ status }) => status)).toEqual([
        ...[201, 201, 409, 400, 400, 400, 400, 400, 401, 200, 200, 200, 200, 409, 200],
        ...[200, 200, 200, 200, 200, 200, 200, 204],
      ])
    })

    it.runIf(engine === 'sqlite')('is in no file of the database', async () => {
      await seed()
      const folder = dirname(app().storage.location)
      for (const file of readdirSync(folder)) {
        if (!statSync(join(folder, file)).isFile()) continue
        expect(readFileSync(join(folder, file)).includes(CANARY), file).toBe(false)
      }
    })

    it('is forgotten when the address changes, so that it is never sent elsewhere', async () => {
      const { workspaceId, admin, path } = await seed()
      expect(await keyOf(workspaceId)).toBe(CANARY)
      const { status, body } = await admin.patch(path, { baseUrl: 'http://127.0.0.1:9/v1' })
      expect({ status, hasKey: body.hasKey, baseUrl: body.baseUrl }).toEqual({
        status: 200,
        hasKey: false,
        baseUrl: 'http://127.0.0.1:9/v1',
      })
      expect(await keyOf(workspaceId)).toBeUndefined()
      // Back again: what is forgotten stays forgotten.
      expect((await admin.patch(path, { baseUrl: model.baseUrl })).body.hasKey).toBe(false)
    })

    it.each(['/v2', ':1/v1', '/v1?api-version=2'])(
      'is forgotten also for another port, path or query (%s)',
      async (end) => {
        const { admin, path } = await seed()
        expect((await admin.patch(path, { baseUrl: `http://127.0.0.1${end}` })).body.hasKey).toBe(false)
      },
    )

    it('stays with another spelling of the same address, with another name, and with other limits', async () => {
      const { workspaceId, admin, path } = await seed()
      const change = { baseUrl: `${model.baseUrl.replace('http', 'HTTP')}/`, name: 'Renamed', concurrency: 9 }
      expect((await admin.patch(path, change)).body).toMatchObject({ hasKey: true, baseUrl: model.baseUrl })
      expect(await keyOf(workspaceId, 'Renamed')).toBe(CANARY)
    })

    it('that is given together with another address is the key of that address', async () => {
      const { workspaceId, admin, path } = await seed()
      const change = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'another' }
      expect((await admin.patch(path, change)).body.hasKey).toBe(true)
      expect(await keyOf(workspaceId)).toBe('another')
    })

    it('is replaced by another one, and taken away by null', async () => {
      const { workspaceId, admin, path } = await seed()
      expect((await admin.patch(path, { apiKey: 'another' })).body.hasKey).toBe(true)
      expect(await keyOf(workspaceId)).toBe('another')
      expect((await admin.patch(path, { apiKey: null })).body.hasKey).toBe(false)
      expect(await keyOf(workspaceId)).toBeUndefined()
    })

    it('that is copied into the row of another connection or application cannot be read there', async () => {
      const from = await seed()
      const to = await seed()
      await from.admin.create('/connections', { name: 'Other', baseUrl: model.baseUrl })
      const sealed = app().storage.read.selectFrom('model_connections').select('sealed_key').where('id', '=', from.id)
      const { sealed_key } = await sealed.executeTakeFirstOrThrow()
      expect(sealed_key).toMatch(/^v1\./)
      await app().storage.transaction((tx) =>
        tx.updateTable('model_connections').set({ sealed_key }).where('id', '<>', from.id).execute(),
      )
      await expect(keyOf(to.workspaceId)).rejects.toThrow(/Enter it again/)
      await expect(keyOf(from.workspaceId, 'Other')).rejects.toThrow(/Enter it again/)
      expect(await keyOf(from.workspaceId)).toBe(CANARY)
    })

    it('is found by the name of the connection only in its own application', async () => {
      const { workspaceId } = await seed('Mine')
      const other = await app().newWorkspace()
      const { secrets } = accessWith(SECRET_KEY)
      const { read } = app().storage
      expect(await findConnection(read, secrets, other.workspaceId, 'Mine')).toBeUndefined()
      expect(await findConnection(read, secrets, workspaceId, 'mine')).toBeUndefined()
      expect(await findConnection(read, secrets, workspaceId, 'Mine')).toMatchObject({
        name: 'Mine',
        baseUrl: model.baseUrl,
        apiKey: CANARY,
        models: [],
        concurrency: 4,
        requestsPerMinute: null,
      })
    })
  },
  { environment: { TOUCHSTONE_SECRET_KEY: SECRET_KEY }, works: false, log },
)

describeEngines('the secret key of a server', (engine) => {
  let database: TestDatabase
  let app: TestApp | undefined
  let admin: Client
  let workspaceId = ''

  beforeAll(async () => {
    database = await createTestDatabase(engine)
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
  })
  afterAll(() => database.remove())

  async function start(secretKey: string): Promise<TestApp> {
    app = await startTestApp(database.url, { environment: { TOUCHSTONE_SECRET_KEY: secretKey }, works: false })
    workspaceId = (await app.newWorkspace()).workspaceId
    admin = await browserWith(app, workspaceId, 'admin')
    return app
  }

  it('that differs after a restart leaves connections usable except for their keys, which must be set again', async () => {
    const before = await start(SECRET_KEY)
    const owner = await before.newPerson([{ workspaceId, role: 'owner' }])
    const connection = { name: 'Judge', baseUrl: 'http://127.0.0.1:9/v1', apiKey: CANARY }
    const path = `/connections/${await admin.create('/connections', connection)}`
    const sameWorkspace = workspaceId
    const rows = () =>
      app?.storage.read
        .selectFrom('model_connections')
        .select('sealed_key')
        .where('workspace_id', '=', sameWorkspace)
        .execute()
    const stored = await rows()
    await before.close()

    const after = await start(OTHER_SECRET_KEY)
    const again = after.asPerson(owner, sameWorkspace)
    expect((await again.get(path)).body).toMatchObject({ name: 'Judge', hasKey: true })
    const { status, body } = await again.post(`${path}/test`, undefined)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      ok: false,
      summary: expect.stringMatching(/Judge.*another secret key.*Enter it again/),
    })
    expect((await again.patch(path, { concurrency: 2 })).body).toMatchObject({ hasKey: true, concurrency: 2 })
    // Nothing is overwritten: with its former key the server reads it again.
    expect(await rows()).toEqual(stored)
    expect((await again.patch(path, { apiKey: CANARY })).body).toMatchObject({ hasKey: true })
    expect((await again.post(`${path}/test`, undefined)).body.summary).toMatch(/refused/)
  })

  it('that is not set is created next to an embedded database, and missing on any other', async () => {
    const { storage } = await start('')
    const connection = { name: 'Judge', baseUrl: 'http://127.0.0.1:9/v1' }
    const path = `/connections/${await admin.create('/connections', connection)}`
    const file = `${storage.location}-secret-key`
    expect(existsSync(file)).toBe(false)
    const { status, text, body } = await admin.patch(path, { apiKey: CANARY })
    if (engine === 'sqlite') {
      expect({ status, hasKey: body.hasKey }).toEqual({ status: 200, hasKey: true })
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect((await admin.post(`${path}/test`, undefined)).body.summary).toMatch(/refused/)
      return
    }
    expect({ status, text }).toEqual({ status: 409, text: expect.stringContaining('TOUCHSTONE_SECRET_KEY') })
    expectError(await admin.post('/connections', { ...connection, name: 'New', apiKey: CANARY }), 409)
    expect(await admin.list('/connections')).toMatchObject([{ hasKey: false }])
  })
})
