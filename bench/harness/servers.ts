import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BareCommands } from './bare-server.ts'
import { type Child, startChild } from './child.ts'
import { type Comparison, compare, type Effort, type Operation } from './compare.ts'
import { sendOne } from './load.ts'
import type { TouchstoneCommands } from './touchstone-server.ts'

type Bare = Child<BareCommands>
export type Touchstone = Child<TouchstoneCommands> & { key: string }

/** The servers of every measurement: the baseline, and Touchstone on an embedded database with that many components. */
export type Servers = { touchstone: Touchstone; bare: Bare; rows: number }

/** Headers that Node adds to every response, on both servers. */
const OWN_HEADERS = ['date', 'connection', 'keep-alive']

export function startBare(): Promise<Bare> {
  return startChild<BareCommands>(join(import.meta.dirname, 'bare-server.ts'))
}

/** Compares Touchstone with the bare server, which returns the same status, headers and body. */
export async function compareWithBare(
  operation: Operation,
  { touchstone, bare }: Pick<Servers, 'touchstone' | 'bare'>,
  effort: Effort,
): Promise<Comparison> {
  const requests = operation.requests(touchstone.key)
  const [first] = requests
  if (!first) throw new Error(`${operation.name} sends nothing`)
  const { status, headers, body } = await sendOne(touchstone.port, first)
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name))
  await bare.ask('answerWith', { status, headers: Object.fromEntries(kept), body })
  const sides = { subject: { server: touchstone, requests }, yardstick: { server: bare, requests } }
  return compare(operation, sides, effort)
}

export type LogLevel = 'silent' | 'warn'

/** Starts Touchstone on a new database; without a URL, on an embedded one in a temporary folder. */
export async function startTouchstone(databaseUrl?: string, logLevel: LogLevel = 'warn'): Promise<Touchstone> {
  const folder = databaseUrl === undefined ? mkdtempSync(join(tmpdir(), 'touchstone-bench-')) : undefined
  const removeFolder = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', removeFolder)
  const url = databaseUrl ?? `file:${folder}/touchstone.db`
  const child = await startChild<TouchstoneCommands>(join(import.meta.dirname, 'touchstone-server.ts'), {
    argv: [url, logLevel],
    // As `npm start` and `touchstone.mjs` set them.
    environment: { UV_THREADPOOL_SIZE: '8', MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=8' },
  })
  return {
    ...child,
    key: await child.ask('apiKey'),
    async stop() {
      await child.stop()
      process.off('exit', removeFolder)
      removeFolder()
    },
  }
}
