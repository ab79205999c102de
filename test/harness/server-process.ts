/**
 * The program as its users run it: `node touchstone.mjs` in a process of its own, which a test may stop, continue and kill.
 * Only processes that were started here are ever signalled; none outlives the test process.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, extname, join } from 'node:path'
import { type Client, createClient } from './client.ts'
import { waitFor } from './wait-for.ts'

export { waitFor }

/** The key that every server process is configured with, so that a restart changes nothing for the test. */
export const SERVER_KEY = 'a-key-of-the-tests-that-survives-every-restart'

export const PROGRAM = join(import.meta.dirname, '../../touchstone.mjs')

/** Where the program or one of its sources is: in the bundle that program-setup.ts makes, or in the repository. */
function pathOf(source: string): string {
  const bundle = process.env['TEST_PROGRAM_FOLDER']
  if (bundle === undefined) return join(import.meta.dirname, '../..', source)
  return join(bundle, `${basename(source, extname(source))}.mjs`)
}

/** Where the program keeps what it has compiled. What is run instead of it does the same: half the time of a start is compiling. */
export const COMPILED = join(import.meta.dirname, '../../node_modules/.cache/touchstone')

export type Ended = { code: number | null; signal: NodeJS.Signals | null; output: string; errors: string }

export type ProgramOptions = {
  environment?: Record<string, string>
  /** Sub-command and its arguments. */
  command?: string[]
  /** Arguments of Node itself, before the program. */
  nodeArguments?: string[]
  /** Another file than the entry point. */
  program?: string
  /** JavaScript to run instead of the program; it may import our sources by `import.meta`-free absolute paths. */
  source?: string
  folder?: string
  uid?: number
}

export type Program = {
  readonly pid: number
  readonly output: string
  readonly errors: string
  readonly hasEnded: boolean
  readonly child: ChildProcess
  ended: Promise<Ended>
  signal(name: NodeJS.Signals): void
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<Ended>
}

export type ServerProcess = Program & { url: string; client: Client; withKey(key: string): Client; readyMs: number }

/**
 * Ends the process with the one that started it, even if that one was killed: the channel between them then closes.
 * Without the unref the channel would keep a program alive that has nothing more to do.
 */
const END_WITH_PARENT = `data:text/javascript,${encodeURIComponent(`
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel?.unref()`)}`

const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** Starts the program and does not wait for anything. Settings of the caller's own environment do not reach it. */
export function launch(options: ProgramOptions = {}): Program {
  const { nodeArguments = [], command = [], program = pathOf('touchstone.mjs'), source } = options
  // Without --input-type, though it is a module: the program's threads would inherit it and, being files, fail to start.
  const what = source === undefined ? [program, ...command] : ['--eval', source, ...command]
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, ...nodeArguments, ...what], {
    cwd: options.folder ?? tmpdir(),
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      TOUCHSTONE_LOG_LEVEL: 'error',
      TOUCHSTONE_OTLP_GRPC_PORT: 'off',
      // One key sends the whole load of a test.
      TOUCHSTONE_REQUESTS_PER_SECOND: '1000000',
      ...(source === undefined ? {} : { NODE_COMPILE_CACHE: COMPILED }),
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
  })
  alive.add(child)
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  let hasEnded = false
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      hasEnded = true
      alive.delete(child)
      resolve({ code, signal, output, errors })
    })
  })
  return {
    pid: child.pid ?? 0,
    child,
    ended,
    get output() {
      return output
    },
    get errors() {
      return errors
    },
    get hasEnded() {
      return hasEnded
    },
    signal: (name) => void child.kill(name),
    kill() {
      child.kill('SIGKILL')
      return ended
    },
  }
}

/** Runs a sub-command to its end. */
export async function runCommand(command: string[], options: Omit<ProgramOptions, 'command'> = {}): Promise<Ended> {
  return launch({ ...options, command }).ended
}

/** Starts a server and waits until it reports that it is ready. Fails with its output if it exits instead. */
export async function startServer(databaseUrl: string, options: ProgramOptions = {}): Promise<ServerProcess> {
  const startedAt = performance.now()
  const program = launch({
    ...options,
    environment: { DATABASE_URL: databaseUrl, TOUCHSTONE_API_KEY: SERVER_KEY, ...options.environment },
  })
  const url = await waitFor('the server to print its address', async () => {
    if (program.hasEnded) throw new Error(`The server ended: ${program.errors}${program.output}`)
    return /Open {6}(\S+)\n/.exec(program.output)?.[1]
  })
  await waitFor('the server to be ready', async () => (await fetch(`${url}/ready`)).status === 200 || undefined)
  const withKey = (key: string) => createClient(url, { authorization: `Bearer ${key}` })
  // Not a spread: the program's getters must stay getters.
  return Object.assign(program, { url, withKey, client: withKey(SERVER_KEY), readyMs: performance.now() - startedAt })
}

/** Only a server that ends by itself saves what it has compiled, and most servers of tests are killed. */
export async function compileProgram(): Promise<void> {
  const { folder, remove } = makeFolder()
  const server = await startServer(`file:${join(folder, 'test.db')}`)
  server.signal('SIGTERM')
  await server.ended
  remove()
}

/**
 * A program that serves or works as the real one does, but with a lease short enough to be waited for: `startApp` takes the
 * length of leases, and other lengths of time, as arguments, and no setting has them.
 */
export function shortLeaseSource(
  mode: { serves: boolean; works: boolean },
  leaseSeconds: number,
  times: {
    turnMs?: number
    modelTimeoutMs?: number
    retryPauseMs?: number
    pauseSeconds?: number
    pollMs?: number
  } = {},
): string {
  const source = (file: string) => JSON.stringify(pathOf(`src/${file}`))
  return `
    import { flushCompileCache } from 'node:module'
    import { startApp } from ${source('app.ts')}
    import { readConfig } from ${source('config.ts')}
    const app = await startApp({ config: readConfig(), leaseSeconds: ${leaseSeconds}, ...${JSON.stringify({ ...mode, ...times })} })
    process.stdout.write('  Open      ' + app.url + '\\n')
    process.once('SIGTERM', () => app.close())
    // Most of these are killed, and what they have compiled would otherwise be lost.
    flushCompileCache()`
}

/** A folder of its own, and how to remove it. */
export function makeFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-process-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
