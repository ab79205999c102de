import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Client as PostgresClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../harness/citus-stand-in.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { launch, makeFolder, runCommand, startServer, waitFor } from '../harness/server-process.ts'

let folder = ''
let remove = () => {}
beforeAll(() => {
  ;({ folder, remove } = makeFolder())
  // Others may enter, so that the error for another user is about the folder itself.
  chmodSync(folder, 0o755)
})
afterAll(() => remove())

const newFolder = () => {
  const made = join(folder, String(readdirSync(folder).length))
  mkdirSync(made)
  return made
}

describe('a wrong setting', () => {
  const KEY = 'x'.repeat(40)
  const PASSWORD = 'correct horse, charged battery'
  it.each<[Record<string, string>, RegExp]>([
    [{ PORT: '70000' }, /^PORT must be a whole number from 0 to 65535, not "70000"$/],
    [{ PORT: '3e3' }, /^PORT must be a whole number/],
    [{ DATABASE_URL: 'mysql://localhost/x' }, /^DATABASE_URL must be file:<path> or postgres:/],
    [{ TOUCHSTONE_API_KEY: 'short' }, /^TOUCHSTONE_API_KEY must be 32 to 200 printable/],
    [{ TOUCHSTONE_API_KEY: KEY, TOUCHSTONE_API_KEY_FILE: '/dev/null' }, /^TOUCHSTONE_API_KEY and .* are both set/],
    [
      { TOUCHSTONE_API_KEY_FILE: '/nowhere/key' },
      /^TOUCHSTONE_API_KEY_FILE names the file \/nowhere\/key, which cannot/,
    ],
    [{ TOUCHSTONE_OPEN_SIGNUP: 'yes' }, /^TOUCHSTONE_OPEN_SIGNUP must be true or false, not "yes"$/],
    [{ TOUCHSTONE_PUBLIC_URL: 'touchstone.example.com' }, /^TOUCHSTONE_PUBLIC_URL must be an address such as/],
    [{ TOUCHSTONE_PUBLIC_URL: 'https://example.com/path' }, /^TOUCHSTONE_PUBLIC_URL must be an address such as/],
    [{ TOUCHSTONE_LOG_LEVEL: 'loud' }, /^TOUCHSTONE_LOG_LEVEL must be one of silent, error, warn, info, debug$/],
    [{ TOUCHSTONE_POOL_SIZE: '1' }, /^TOUCHSTONE_POOL_SIZE must be a whole number from 2 to 200, not "1"$/],
    [
      { TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com' },
      /^TOUCHSTONE_ADMIN_EMAIL and TOUCHSTONE_ADMIN_PASSWORD must be set/,
    ],
    [{ TOUCHSTONE_DATABASE_URL: 'file:x.db' }, /^TOUCHSTONE_DATABASE_URL is not a setting; the settings are /],
    [{ TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com', TOUCHSTONE_ADMIN_PASSWORD: 'short' }, /password/i],
    [{ TOUCHSTONE_ADMIN_EMAIL: 'not an address', TOUCHSTONE_ADMIN_PASSWORD: PASSWORD }, /e-?mail/i],
  ])('%j stops the start with one message, and nothing is created', async (environment, message) => {
    const empty = newFolder()
    const program = launch({ folder: empty, environment })
    // A server that starts in spite of it would run forever.
    await waitFor('the end or the start', async () => program.hasEnded || program.output !== '' || undefined)
    const { code, errors, output } = program.hasEnded ? await program.ended : await program.kill()
    expect({ code, output, lines: errors.split('\n').length }).toEqual({ code: 1, output: '', lines: 2 })
    expect(errors.trim()).toMatch(message)
    expect(readdirSync(empty)).toEqual([])
  })

  it('an unknown command or option is reported, with a pointer to the help', async () => {
    for (const command of [['sevre'], ['--prot'], ['api-key', 'destroy'], ['api-key', 'revoke'], ['backup']]) {
      const { code, errors } = await runInProcess(command)
      expect({ code, lines: errors.split('\n').length }).toEqual({ code: 1, lines: 2 })
    }
  })
})

describe('a place that cannot be used', () => {
  it('a file at the path of the data folder is reported in a message', async () => {
    const place = newFolder()
    writeFileSync(join(place, 'data'), 'a file')
    const { code, errors } = await runCommand(['serve'], { folder: place })
    expect({ code, errors }).toEqual({
      code: 1,
      errors: expect.stringMatching(/^The folder .*data cannot be made: .*\n$/),
    })
    expect(readFileSync(join(place, 'data'), 'utf8')).toBe('a file')
  })

  it('a folder without write permission is reported in a message', async () => {
    const nobody = 65_534
    const environment = { DATABASE_URL: `file:${join(newFolder(), 'test.db')}` }
    const { code, errors } = await runCommand(['serve'], { environment, folder: '/', uid: nobody })
    expect(code).toBe(1)
    expect(errors).toMatch(/^The (database|folder) .*\n$/)
  })

  it('a file that is not a database is reported in a message and does not change', async () => {
    const file = join(newFolder(), 'test.db')
    writeFileSync(file, 'This is a letter to my aunt, and not a database. '.repeat(100))
    const { code, errors } = await runInProcess(['serve'], { DATABASE_URL: `file:${file}` })
    expect(code).toBe(1)
    expect(errors).toMatch(/^The database .*test\.db cannot be opened: .*\n$/)
    expect(readFileSync(file, 'utf8')).toContain('aunt')
  })

  it('an unreachable database server is reported in a message with the reason, without the password', async () => {
    for (const host of ['127.0.0.1:1', 'localhost:1', 'no-such-host.invalid']) {
      const environment = { DATABASE_URL: `postgres://ann:secret-word@${host}/touchstone` }
      const { code, errors } = await runInProcess(['serve'], environment)
      expect(code).toBe(1)
      expect(errors).toMatch(/^The database postgres:\/\/ann@.* cannot be reached: \S.*\n$/)
      expect(errors).not.toContain('secret-word')
    }
  })
})

describe('a database that rejects a second connection', () => {
  it('is reported with the message of PostgreSQL', async () => {
    const url = new URL((await createTestDatabase('postgres')).url)
    const role = url.pathname.slice(1)
    await runSql(url.href, `create role ${role} login connection limit 1`)
    url.username = role
    const { code, errors } = await runInProcess(['migrate'], { DATABASE_URL: url.href })
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `The database is out of resources; try again later (too many connections for role "${role}")\n`,
    })
  })
})

describe('a port that is taken', () => {
  it('is reported in a message, and the first successful start still shows the first key', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await waitFor('the other program', async () => other.listening || undefined)
    const address = other.address()
    const port = typeof address === 'object' && address ? String(address.port) : ''
    const url = `file:${join(newFolder(), 'test.db')}`
    const { code, errors } = await runCommand(['serve'], { environment: { DATABASE_URL: url, PORT: port } })
    other.close()
    expect({ code, errors }).toEqual({
      code: 1,
      errors: `Port ${port} is taken. Stop what uses it, or set PORT to another one\n`,
    })
    const server = await startServer(url, { environment: { TOUCHSTONE_API_KEY: '' } })
    expect(server.output).toMatch(/API key {3}tsk_/)
    await server.kill()
  })
})

describe('a second server on the same file', () => {
  it('does not start and names the process that uses it; after kill -9 of that process it starts', {
    tags: 'deep',
  }, async () => {
    const url = `file:${join(newFolder(), 'test.db')}`
    const first = await startServer(url)
    for (const command of [['serve'], ['work']]) {
      const { code, errors } = await runCommand(command, { environment: { DATABASE_URL: url } })
      expect({ code, errors }).toEqual({
        code: 1,
        errors: `The database ${url.slice(5)} is in use by process ${first.pid}. Stop that server first\n`,
      })
    }
    expect((await first.client.get('/workspace')).status).toBe(200)
    await first.kill()
    const second = await startServer(url)
    expect((await second.client.get('/workspace')).status).toBe(200)
    await second.kill()
  })
})

describe('a database of a newer version', () => {
  const SENTENCE = /^The database was written by a newer Touchstone \(it has migration 9999-from-the-future\)\. .*\n$/

  it('is rejected with exit code 78 by every command, and its file does not change (sqlite)', async () => {
    const { url, remove: removeDatabase } = await createTestDatabase('sqlite', 'migrated')
    const file = url.slice('file:'.length)
    const environment = { DATABASE_URL: url }
    const database = new Database(file)
    database.exec(`insert into schema_migrations values ('9999-from-the-future', 'x', '2030-01-01T00:00:00.000Z')`)
    database.pragma('wal_checkpoint(TRUNCATE)')
    database.close()
    const before = hashOf(file)
    for (const command of [['serve'], ['migrate'], ['api-key', 'list'], ['backup', `${file}.copy`]]) {
      const { code, errors } = await runInProcess(command, environment)
      expect(errors).toMatch(SENTENCE)
      expect(code).toBe(78)
      expect(hashOf(file)).toBe(before)
    }
    expect(existsSync(`${file}.copy`)).toBe(false)
    removeDatabase()
  })

  it('is rejected with exit code 78 (postgres)', async () => {
    const { url } = await createTestDatabase('postgres', 'migrated')
    const environment = { DATABASE_URL: url }
    const admin = new PostgresClient({ connectionString: url })
    await admin.connect()
    await admin.query(`insert into schema_migrations values ('9999-from-the-future', 'x', now())`)
    const { code, errors } = await runCommand(['serve'], { environment })
    expect(errors).toMatch(SENTENCE)
    expect(code).toBe(78)
    expect((await admin.query('select count(*)::int as users from users')).rows).toEqual([{ users: 0 }])
    await admin.end()
  })

  const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
})
