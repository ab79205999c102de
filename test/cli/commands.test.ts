import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import {
  launch,
  makeFolder,
  runCommand,
  SERVER_KEY,
  type ServerProcess,
  startServer,
  waitFor,
} from '../harness/server-process.ts'

describeEngines('commands during a running server', (engine) => {
  it('api-key create, list and revoke take effect at once on the server', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url)
    const environment = { DATABASE_URL: database.url }
    const made = await runCommand(
      ['api-key', 'create', '--name', 'Nightly', '--role', 'viewer', '--expires-in-days', '7'],
      { environment },
    )
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/^tsk_\S+\n$/) })
    expect(made.errors).toMatch(/^It expires at \d{4}-\d\d-\d\dT/)
    const client = server.withKey(made.output.trim())
    expect((await client.get('/workspace')).status).toBe(200)
    expect((await client.post('/components', { name: 'Rejected' })).status).toBe(403)

    const listed = await runInProcess(['api-key', 'list'], environment)
    const [id] = /^\S+(?= .* Nightly$)/m.exec(listed.output) ?? []
    expect(listed.output).not.toContain(made.output.trim())
    const revoked = await runInProcess(['api-key', 'revoke', String(id)], environment)
    expect(revoked).toMatchObject({ code: 0, errors: '', output: 'Revoked.\n' })
    expect((await client.get('/workspace')).status).toBe(401)
    expect((await server.client.get('/workspace')).status).toBe(200)
    expect(await runInProcess(['api-key', 'revoke', String(id)], environment)).toMatchObject({
      code: 1,
      errors: 'There is no such key; `api-key list` shows them\n',
    })
    // The set-up link that the server has printed is not replaced by any of these.
    const token = /setup#(\S+)/.exec(server.output)?.[1] ?? ''
    const account = { token, name: 'Ann', email: 'ann@example.com', password: 'correct horse, charged battery' }
    expect((await createClient(server.url, {}).post('/setup', account)).status).toBe(201)
    await server.kill()
    database.remove()
  })

  it('migrate applies everything once; several at the same time do not collide', async () => {
    const database = await createTestDatabase(engine)
    const environment = { DATABASE_URL: database.url }
    const together = await Promise.all([1, 2, 3].map(() => runCommand(['migrate'], { environment })))
    expect(together.map(({ code, errors }) => ({ code, errors }))).toEqual(
      together.map(() => ({ code: 0, errors: '' })),
    )
    const appliers = together.filter(({ output }) => output.includes('is up to date: applied 0001-foundation'))
    expect(appliers).toHaveLength(1)
    const { code, output } = await runInProcess(['migrate'], environment)
    expect(code).toBe(0)
    expect(output).toMatch(/ is already up to date\.\n$/)
    database.remove()
  })
})

describe('a key of the environment that was revoked', () => {
  it('does not become active again when the keys are listed', { tags: 'deep' }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const server = await startServer(database.url)
    // In a container the command sees the same settings as the server.
    const environment = { DATABASE_URL: database.url, TOUCHSTONE_API_KEY: SERVER_KEY }
    const { output } = await runInProcess(['api-key', 'list'], environment)
    const [id] = /^\S+/.exec(output) ?? []
    expect((await runInProcess(['api-key', 'revoke', String(id)], environment)).code).toBe(0)
    expect((await server.client.get('/workspace')).status).toBe(401)
    const after = await runInProcess(['api-key', 'list'], environment)
    expect((await server.client.get('/workspace')).status).toBe(401)
    expect(after.output).toBe('')
    await server.kill()
    database.remove()
  })
})

describe('backup', () => {
  it('under writes: the copy is sound and has every write acknowledged before the backup began', {
    tags: 'deep',
  }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const { folder, remove } = makeFolder()
    const copy = join(folder, 'copy.db')
    const server = await startServer(database.url)
    await fill(server)
    const load = writeSteadily(server)
    await waitFor('some writes', async () => load.written.length >= 100 || undefined)
    const sure = [...load.written]
    const ended = await runCommand(['backup', copy], { environment: { DATABASE_URL: database.url } })
    const during = load.written.length - sure.length
    await load.stop()
    expect(ended).toMatchObject({ code: 0, errors: '' })
    expect(during).toBeGreaterThan(0)
    expect(readdirSync(dirname(copy))).toEqual(['copy.db'])
    expect(new Database(copy, { readonly: true }).pragma('integrity_check', { simple: true })).toBe('ok')
    const restored = await startServer(`file:${copy}`)
    for (const id of sure) expect((await restored.client.get(`/components/${id}`)).status).toBe(200)
    console.log(`backup: ${sure.length} writes before it, ${during} during it`)
    await restored.kill()
    await server.kill()
    database.remove()
    remove()
  })

  it('finishes during constant writes, for any size of the database', { tags: 'deep' }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const { folder, remove } = makeFolder()
    const environment = { DATABASE_URL: database.url }
    const file = database.url.slice('file:'.length)
    const large = new Database(file)
    large.exec(`create table ballast (content blob); insert into ballast
      select zeroblob(1000000) from json_each('[${'1,'.repeat(79)}1]')`)
    large.close()
    const writer = launch({ source: WRITER, command: [file], folder: join(import.meta.dirname, '../..') })
    await waitFor('the writer', async () => writer.output !== '' || undefined)
    const backup = launch({ command: ['backup', join(folder, 'copy.db')], environment })
    await waitFor('the backup to end', async () => backup.hasEnded || undefined).finally(() =>
      Promise.all([writer.kill(), backup.hasEnded || backup.kill()]),
    )
    expect(await backup.ended).toMatchObject({ code: 0, errors: '' })
    database.remove()
    remove()
  })

  it('killed in the middle leaves nothing under the name of the backup', { tags: 'deep' }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const { folder, remove } = makeFolder()
    const copy = join(folder, 'copy.db')
    const server = await startServer(database.url)
    await fill(server)
    const backup = launch({ command: ['backup', copy], environment: { DATABASE_URL: database.url } })
    await waitFor('the copying to begin', async () => readdirSync(folder).length > 0 || backup.hasEnded || undefined)
    const { signal } = await backup.kill()
    await server.kill()
    // A file with that name must always be complete.
    const isWhole = () => new Database(copy, { readonly: true }).pragma('integrity_check', { simple: true }) === 'ok'
    expect(signal === null || !existsSync(copy) || (isWhole() && hasTables(copy))).toBe(true)
    database.remove()
    remove()
  })

  it('rejects an existing file, and recommends pg_dump for PostgreSQL', async () => {
    const { url } = await createTestDatabase('sqlite', 'migrated')
    const environment = { DATABASE_URL: url }
    const file = url.slice('file:'.length)
    expect(await runInProcess(['backup', file], environment)).toMatchObject({
      code: 1,
      errors: `${file} already exists. Choose another name\n`,
    })
    const postgres = await createTestDatabase('postgres')
    expect(await runInProcess(['backup', `${file}.copy`], { DATABASE_URL: postgres.url })).toMatchObject({
      code: 1,
      errors: expect.stringContaining('pg_dump'),
    })
    expect(existsSync(`${file}.copy`)).toBe(false)
  })
})

/** Commits a small row as often as a busy server would. */
const WRITER = `
  import Database from 'better-sqlite3'
  const database = new Database(process.argv[1], { timeout: 5_000 })
  const insert = database.prepare('insert into ballast values (zeroblob(10))')
  setInterval(() => insert.run(), 2)
  process.stdout.write('writing')`

/** Some megabytes, so that copying takes longer than a single step. */
async function fill({ client }: ServerProcess): Promise<void> {
  const component = await client.create('/components', { name: 'Large' })
  for (let part = 0; part < 6; part += 1) {
    const traceIds = Array.from({ length: 10_000 }, (_, place) => `trace-with-a-rather-long-name-${part}-${place}`)
    await client.create(`/components/${component}/datasets`, { name: `Part ${part}`, traceIds })
  }
}

function writeSteadily({ client }: ServerProcess) {
  const written: string[] = []
  let isStopped = false
  const work = async () => {
    while (!isStopped) written.push(await client.create('/components', { name: `Written ${written.length}` }))
  }
  const end = Promise.all([work(), work(), work()])
  return {
    written,
    async stop() {
      isStopped = true
      await end
    },
  }
}

function hasTables(file: string): boolean {
  const database = new Database(file, { readonly: true })
  return database.prepare(`select name from sqlite_master where name = 'dataset_items'`).get() !== undefined
}
