import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Line, limitLine } from './harness/line.ts'

const RSS_MEGABYTES_MAX = 150
const SETTLE_MS = 5_000

/** Measures the memory of the idle program, started as users start it, and its startup time. */
export async function* measureMemory(): AsyncGenerator<Line> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-bench-'))
  try {
    const first = await startAndSettle(folder)
    yield limitLine('start on a new database until ready', first.startMs, { unit: 'ms' })
    const again = await startAndSettle(folder)
    yield limitLine('start again until ready', again.startMs, { unit: 'ms' })
    yield limitLine('idle memory, 5 s after the start', again.megabytes, { max: RSS_MEGABYTES_MAX, unit: 'MB' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startAndSettle(folder: string): Promise<{ startMs: number; megabytes: number }> {
  const startedAt = performance.now()
  // As `npm start` does.
  const program = spawn(process.execPath, ['--max-semi-space-size=8', join(import.meta.dirname, '../touchstone.mjs')], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: `file:${folder}/touchstone.db`,
      PORT: '0',
      MALLOC_ARENA_MAX: '2',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  try {
    // The program prints its greeting when it accepts requests.
    await Promise.race([once(program.stdout, 'data'), ended])
    const startMs = performance.now() - startedAt
    await delay(SETTLE_MS)
    const kilobytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(program.pid)], { encoding: 'utf8' }))
    return { startMs, megabytes: kilobytes / 1_024 }
  } finally {
    program.kill('SIGTERM')
    await ended
  }
}
