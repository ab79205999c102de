import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type Effort, median } from './harness/compare.ts'
import { type Line, limitLine } from './harness/line.ts'
import { sendText } from './harness/load.ts'
import { delayLine, probeReads } from './harness/probe-reads.ts'
import { seededComponent } from './harness/seeded-component.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'
import { watchMemory } from './harness/watch-memory.ts'
import { COMMON_WORD, COMPONENTS_NAMED, SENT_TRACES } from './spans.ts'

const CASES_PER_CPU_SECOND_MIN = 1_000
const MEMORY_MEGABYTES_MAX = 400

const SPANS_PER_TRACE = 10
const CASES = 2_000
const CASES_MANY = 100_000
/** With less effort. */
const CASES_FEWER = 5_000
/** Copies of each trace: copying needs a tenth of the time of creating. */
const COPIES = 9

const IDLE_MS = 10_000
const LOOK_MS = 100

const DATASET = '01a00000-0000-7000-8000-000000000001'
const RUN = '01a00000-0000-7000-8000-000000000002'
const RUN_OF_MANY = '01a00000-0000-7000-8000-000000000003'

/** Typical rules: a text, a similarity, a limit, and the steps. The last one reads the spans of a trace. */
const EVALUATORS = [
  { type: 'exactMatch' },
  { type: 'contains', value: COMMON_WORD, ignoreCase: true },
  { type: 'tokenF1' },
  { type: 'latency', maxMs: 60_000 },
  { type: 'trajectory', steps: ['find_order', 'read_policy'], match: 'subset', kinds: ['tool'] },
]

/**
 * Measures the cost of evaluators without a model and of the analysis of the traces, and how a very large evaluation
 * delays other requests.
 */
export async function* measureEvaluations(_: Servers, { rounds, share }: Effort): AsyncGenerator<Line> {
  const many = share < 1 ? CASES_FEWER : CASES_MANY
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-evaluations-'))
  try {
    await seed(folder, many)
    // Another process than the one that created the traces, so that the memory is its own.
    const touchstone = await startTouchstone(`file:${folder}/touchstone.db`)
    try {
      yield* measureCpu(touchstone, rounds)
      yield* measureOthers(touchstone, many)
    } finally {
      await touchstone.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function* measureCpu(touchstone: Touchstone, rounds: number): AsyncGenerator<Line> {
  // The first evaluation runs uncompiled code; it is excluded.
  await evaluate(touchstone, RUN, CASES)
  const rates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = await touchstone.ask('cpuMicros')
    await evaluate(touchstone, RUN, CASES)
    rates.push((CASES / ((await touchstone.ask('cpuMicros')) - before)) * 1e6)
  }
  const rate = median(rates)
  yield {
    name: 'offline evaluation: cases per CPU-second',
    value: rate.toFixed(0),
    bar: `>= ${CASES_PER_CPU_SECOND_MIN}`,
    isMet: rate >= CASES_PER_CPU_SECOND_MIN,
    detail:
      `${Math.min(...rates).toFixed(0)}-${Math.max(...rates).toFixed(0)}; ${CASES} cases, ${EVALUATORS.length} evaluators, ` +
      `${SPANS_PER_TRACE} spans each; with the analysis, all threads`,
  }
}

async function* measureOthers(touchstone: Touchstone, cases: number): AsyncGenerator<Line> {
  const idle = await probeReads(touchstone, delay(IDLE_MS))
  await touchstone.ask('watchEventLoop')
  const startedAt = performance.now()
  const evaluated = evaluate(touchstone, RUN_OF_MANY, cases)
  const [during, held] = await Promise.all([probeReads(touchstone, evaluated), watchMemory(touchstone, evaluated)])
  const seconds = (performance.now() - startedAt) / 1_000
  const longestMs = await touchstone.ask('longestDelayMs')
  const name = `while ${cases} cases are evaluated`
  yield {
    ...limitLine(`memory ${name}`, held.ownMegabytes, { max: MEMORY_MEGABYTES_MAX, unit: 'MB' }),
    detail: `the most at a time; in addition up to ${held.mappedMegabytes.toFixed(0)} MB of files, shared; ${seconds.toFixed(0)} s`,
  }
  yield delayLine(`read one, 99 of 100 ${name}`, { during, idle, longestMs })
}

/** Starts an evaluation and waits until it is completed. */
async function evaluate(touchstone: Touchstone, runId: string, cases: number): Promise<void> {
  const path = `/api/v1/components/${seededComponent(0).id}/evaluations`
  const body = { datasetId: DATASET, runId, config: { evaluators: EVALUATORS } }
  const { id }: { id?: string } = JSON.parse(await sendText(touchstone, { method: 'POST', path, body }))
  for (;;) {
    await delay(LOOK_MS)
    const answer = await sendText(touchstone, { method: 'GET', path: `${path}/${id}` })
    const { status, error, progress }: Evaluation = JSON.parse(answer)
    if (status === 'pending' || status === 'running') continue
    if (status === 'completed' && progress.done === cases * EVALUATORS.length) return
    throw new Error(`the evaluation is ${status}: ${error} ${JSON.stringify(progress)}`)
  }
}

type Evaluation = { status: string; error: string | null; progress: { done: number } }

/** Creates that many traces, their items, and two runs: one of all traces, and a smaller one. */
async function seed(folder: string, traces: number): Promise<void> {
  const touchstone = await startTouchstone(`file:${folder}/touchstone.db`)
  try {
    await touchstone.ask('seedComponents', COMPONENTS_NAMED)
    const originals = traces / (COPIES + 1)
    const set = { ...SENT_TRACES, seed: 'evaluated' }
    const seeded = { set, firstTrace: 0, traces: originals, spansPerTrace: SPANS_PER_TRACE, copies: COPIES }
    await touchstone.ask('seedTraces', seeded)
    await touchstone.ask('untilIndexed')
  } finally {
    await touchstone.stop()
  }
  seedRuns(`${folder}/touchstone.db`, traces)
}

/**
 * Every second item expects the answer of its trace, the others a similar text. Items have the names of their traces.
 */
function seedRuns(file: string, traces: number): void {
  const database = new Database(file)
  const { id: workspaceId } = database.prepare<[], { id: string }>('select id from workspaces').get() ?? { id: '' }
  const values = { workspaceId, componentId: seededComponent(0).id, dataset: DATASET, now: new Date().toISOString() }
  const insert = (sql: string, more: Record<string, string | number> = {}) =>
    database.prepare(`insert into ${sql}`).run({ ...values, ...more })
  database.transaction(() => {
    insert(
      `datasets (workspace_id, id, component_id, name, item_count, created_at)
        values (@workspaceId, @dataset, @componentId, 'Questions', @traces, @now)`,
      { traces },
    )
    insert(`dataset_items (workspace_id, dataset_id, id, input, expected, created_at)
      select t.workspace_id, @dataset, t.id, s.input,
        case when unicode(substr(t.trace_id, -1)) % 2 = 0 then s.output else substr(s.output, 1, length(s.output) / 2) || 'and so on' end, @now
      from traces t join spans s on s.workspace_id = t.workspace_id and s.trace_id = t.id and s.span_id = t.root_span_id`)
    for (const [runId, count] of [
      [RUN, CASES],
      [RUN_OF_MANY, traces],
    ] as const) {
      insert(
        `runs (workspace_id, id, component_id, dataset_id, name, trace_count, created_at)
          values (@workspaceId, @runId, @componentId, @dataset, @runId, @count, @now)`,
        { runId, count },
      )
      insert(
        `run_traces (workspace_id, run_id, trace_ref, item_id, created_at)
          select workspace_id, @runId, trace_id, id, @now from traces order by trace_id limit @count`,
        { runId, count },
      )
    }
  })()
  database.close()
}
