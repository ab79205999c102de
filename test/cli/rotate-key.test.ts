import { randomBytes } from 'node:crypto'
import { chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { runCommand } from '../harness/server-process.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'

const SECRET = 'sk-canary-rotated'
const [FORMER, NEXT] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]

describeEngines('rotate-key', (engine) => {
  let database: TestDatabase
  let model: ModelServer
  let app: TestApp | undefined
  let workspaceId: string | undefined

  beforeEach(async () => {
    database = await createTestDatabase(engine, 'migrated')
    model = await startModelServer()
    workspaceId = undefined
  })
  afterEach(async () => {
    await app?.close()
    await model.close()
    database.remove()
  })

  async function serve(secretKey: string): Promise<Client> {
    await app?.close()
    app = await startTestApp(database.url, { environment: { TOUCHSTONE_SECRET_KEY: secretKey }, works: false })
    workspaceId ??= (await app.newWorkspace()).workspaceId
    return browserWith(app, workspaceId, 'admin')
  }

  const rotate = (secretKey: string) =>
    runInProcess(['rotate-key'], { DATABASE_URL: database.url, TOUCHSTONE_SECRET_KEY: secretKey })

  async function connect(admin: Client, count: number): Promise<string[]> {
    const ids: string[] = []
    for (let place = 0; place < count; place += 1) {
      const connection = { name: `Judge ${place}`, baseUrl: model.baseUrl, apiKey: `${SECRET}-${place}` }
      ids.push(await admin.create('/connections', connection))
    }
    return ids
  }

  /** What the provider is sent for each connection. */
  async function keysSent(admin: Client, ids: readonly string[]): Promise<(string | undefined)[]> {
    const sent: (string | undefined)[] = []
    for (const id of ids) {
      const before = model.requests.length
      await admin.post(`/connections/${id}/test`, undefined)
      sent.push(model.requests[before]?.headers.authorization)
    }
    return sent
  }

  const expected = (count: number) => Array.from({ length: count }, (_, place) => `Bearer ${SECRET}-${place}`)

  async function sealedKeys(): Promise<(string | null)[]> {
    const rows = await app?.storage.read.selectFrom('model_connections').select('sealed_key').orderBy('id').execute()
    return (rows ?? []).map(({ sealed_key }) => sealed_key)
  }

  it('encrypts every key again while the server runs; then the former secret key decrypts nothing', async () => {
    const ids = await connect(await serve(FORMER), 3)
    const admin = await serve(`${NEXT},${FORMER}`)
    expect(await keysSent(admin, ids)).toEqual(expected(3))
    const before = await sealedKeys()
    expect(await rotate(`${NEXT},${FORMER}`)).toMatchObject({
      code: 0,
      errors: '',
      output:
        '3 keys of model connections were encrypted with the new secret key.\nOnce it is first in TOUCHSTONE_SECRET_KEY on every server, the other keys are no longer needed.\n',
    })
    const after = await sealedKeys()
    for (const [place, sealed] of before.entries()) expect(after[place]).not.toBe(sealed)
    expect(await keysSent(admin, ids)).toEqual(expected(3))
    expect(await keysSent(await serve(NEXT), ids)).toEqual(expected(3))
    expect(await keysSent(await serve(FORMER), ids)).toEqual([undefined, undefined, undefined])
  })

  it('does nothing the second time', async () => {
    await connect(await serve(FORMER), 2)
    await rotate(`${NEXT},${FORMER}`)
    const once = await sealedKeys()
    expect(await rotate(`${NEXT},${FORMER}`)).toMatchObject({ code: 0, output: expect.stringMatching(/^0 keys/) })
    expect(await sealedKeys()).toEqual(once)
  })

  it('does not change what it cannot decrypt, and names its owner', async () => {
    await connect(await serve(FORMER), 1)
    const before = await sealedKeys()
    const { code, errors } = await rotate(NEXT)
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `The key of the connection Judge 0 of the application ${workspaceId} cannot be decrypted with any available secret key. It was not changed; provide the previous secret key, or enter the key again\n`,
    })
    expect(await sealedKeys()).toEqual(before)
  })
})

describe('rotate-key of the file next to an embedded database', () => {
  it('adds a new first key while the server runs, keeps the previous one, and removes older ones', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const file = `${database.url.slice('file:'.length)}-secret-key`
    const model = await startModelServer()
    const app = await startTestApp(database.url, { environment: { TOUCHSTONE_SECRET_KEY: '' }, works: false })
    try {
      const environment = { DATABASE_URL: database.url }
      expect(await runInProcess(['rotate-key'], environment)).toMatchObject({
        code: 0,
        output: 'There is no secret key yet, so nothing is encrypted.\n',
      })
      const { workspaceId } = await app.newWorkspace()
      const admin = await browserWith(app, workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl: model.baseUrl, apiKey: SECRET })
      const keys = () => readFileSync(file, 'utf8').trim().split('\n')
      const [first] = keys()
      const { code, output, errors } = await runInProcess(['rotate-key'], environment)
      expect({ code, errors }).toEqual({ code: 0, errors: '' })
      expect(output).toContain(
        `1 key of a model connection was encrypted with the new secret key.\nIt is the first line of ${file}`,
      )
      const [second, ...former] = keys()
      expect(former).toEqual([first])
      expect(second).not.toBe(first)
      await runInProcess(['rotate-key'], environment)
      const [third, ...rest] = keys()
      expect(rest).toEqual([second])
      expect(statSync(file).mode & 0o777).toBe(0o600)

      // Never restarted: what it seals now it seals with the newest.
      const next = await admin.create('/connections', { name: 'Next', baseUrl: model.baseUrl, apiKey: SECRET })
      rmSync(file)
      const { code: unreadable } = await runInProcess(['rotate-key'], {
        ...environment,
        TOUCHSTONE_SECRET_KEY: String(second),
      })
      expect(unreadable).toBe(1)
      const again = { ...environment, TOUCHSTONE_SECRET_KEY: `${FORMER},${third}` }
      expect(await runInProcess(['rotate-key'], again)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^2 keys/),
      })
      for (const connection of [id, next])
        expect((await admin.post(`/connections/${connection}/test`, undefined)).body.ok).toBe(false)
    } finally {
      await app.close()
      await model.close()
      database.remove()
    }
  })

  it.runIf(process.getuid?.() === 0)('leaves the file to the user that the server runs as', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const file = `${database.url.slice('file:'.length)}-secret-key`
    writeFileSync(file, `${FORMER}\n`, { mode: 0o600 })
    chownSync(file, 12_345, 54_321)
    await runCommand(['rotate-key'], { environment: { DATABASE_URL: database.url } })
    expect(readFileSync(file, 'utf8')).not.toBe(`${FORMER}\n`)
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 54_321 })
    database.remove()
  })

  it('several at the same time lose no key', { tags: 'deep' }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const model = await startModelServer()
    const app = await startTestApp(database.url, { environment: { TOUCHSTONE_SECRET_KEY: '' }, works: false })
    try {
      const { workspaceId } = await app.newWorkspace()
      const admin = await browserWith(app, workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl: model.baseUrl, apiKey: SECRET })
      const environment = { DATABASE_URL: database.url }
      const together = await Promise.all([1, 2, 3].map(() => runCommand(['rotate-key'], { environment })))
      expect(together.map(({ code, errors }) => ({ code, errors }))).toEqual(
        together.map(() => ({ code: 0, errors: '' })),
      )
      await admin.post(`/connections/${id}/test`, undefined)
      expect(model.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`)
    } finally {
      await app.close()
      await model.close()
      database.remove()
    }
  })
})
