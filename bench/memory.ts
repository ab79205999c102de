import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { encodeBatches } from './harness/encode-spans.ts'
import { type Line, limitLine } from './harness/line.ts'
import { SENT_TRACES } from './spans.ts'

const IDLE_MEGABYTES_MAX = 150
const USED_MEGABYTES_MAX = 320
const SETTLE_MS = 5_000
const BATCHES = { format: 'protobuf', spansPerBatch: 100, count: 600, firstTrace: 0 } as const
const PAGES = 400
const KEY = 'the-key-of-the-memory-benchmark-only'

/** Measures the memory of the program, started as users start it, idle and after use, and its startup time. */
export async function* measureMemory(): AsyncGenerator<Line> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  try {
    const first = await startAndSettle(folder)
    yield limitLine('start on a new database until ready', first.startMs, { unit: 'ms' })
    const again = await startAndSettle(folder, useServer)
    yield limitLine('start again until ready', again.startMs, { unit: 'ms' })
    yield limitLine('idle memory, 5 s after the start', again.idle, { max: IDLE_MEGABYTES_MAX, unit: 'MB' })
    yield limitLine(`memory after 60000 spans and ${PAGES} pages`, again.used, { max: USED_MEGABYTES_MAX, unit: 'MB' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type Measured = { startMs: number; idle: number; used: number }

async function startAndSettle(folder: string, use = async (_url: string) => {}): Promise<Measured> {
  const startedAt = performance.now()
  // As `npm start` does.
  const program = spawn(process.execPath, ['--max-semi-space-size=8', join(import.meta.dirname, '../touchstone.mjs')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: `file:${folder}/touchstone.db`,
      PORT: '0',
      MALLOC_ARENA_MAX: '2',
      TOUCHSTONE_API_KEY: KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    // The program prints its greeting, with its address, when it accepts requests.
    const [greeting] = await Promise.race([once(program.stdout, 'data'), ended])
    const startMs = performance.now() - startedAt
    await delay(SETTLE_MS)
    const idle = megabytesOf(program)
    await use(/http:\/\/\S+?:\d+/.exec(String(greeting))?.[0] ?? '')
    return { startMs, idle, used: megabytesOf(program) }
  } finally {
    program.kill('SIGTERM')
    await ended
  }
}

/** Stores spans in the batches of an exporter, and reads the list of traces as often as a busy morning does. */
async function useServer(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/x-protobuf' }
  for (const body of encodeBatches(SENT_TRACES, BATCHES))
    await send(`${url}/v1/traces`, { method: 'POST', headers, body })
  for (let page = 0; page < PAGES; page += 1)
    await send(`${url}/api/v1/traces?limit=50&offset=${(page % 40) * 50}`, { headers })
}

async function send(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, request)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}: ${text}`)
}

function megabytesOf({ pid }: ChildProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024
}
