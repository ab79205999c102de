import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Effort, median } from './harness/compare.ts'
import { type Line, limitLine } from './harness/line.ts'
import { encodeRequest, sendOne } from './harness/load.ts'
import { seededComponent } from './harness/seeded-component.ts'
import { type Servers, startTouchstone, type Touchstone } from './harness/servers.ts'

const CPU_MS_MAX = 300
const DELAY_MS_MAX = 50
const ITEMS = 10_000
const ITEMS_PER_GROUP = 5
const WARM_UPS = 15
const DATASET = '01a00000-0000-7000-8000-000000000001'
/** The number of a run is part of its id and of the ids of everything that belongs to it. */
const [BASELINE, CANDIDATE] = [2, 3]
const runIdOf = (run: number) => `01a00000-0000-7000-8000-00000000000${run}`

/** Measures the cost of a verdict: two runs of 10,000 items each, with the scores of three evaluators. */
export async function* measureComparison(_: Servers, { rounds }: Effort): AsyncGenerator<Line> {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-comparison-'))
  const touchstone = await startTouchstone(`file:${folder}/touchstone.db`)
  try {
    await touchstone.ask('seedComponents', 1)
    seedRuns(`${folder}/touchstone.db`)
    yield* measureRounds(touchstone, { name: `compare two runs of ${ITEMS} items`, rounds })
    groupItems(`${folder}/touchstone.db`)
    yield* measureRounds(touchstone, { name: `the same in groups of ${ITEMS_PER_GROUP}`, rounds })
  } finally {
    await touchstone.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function* measureRounds(
  touchstone: Touchstone,
  { name, rounds }: { name: string; rounds: number },
): AsyncGenerator<Line> {
  // The first comparisons run uncompiled code, and compiling uses other threads; they are excluded.
  for (let round = 0; round < WARM_UPS; round += 1) await compareOnce(touchstone)
  const cpu: number[] = []
  const delays: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await touchstone.ask('watchEventLoop')
    cpu.push(await compareOnce(touchstone))
    delays.push(await touchstone.ask('longestDelayMs'))
  }
  yield {
    ...limitLine(`CPU: ${name}`, median(cpu), { max: CPU_MS_MAX, unit: 'ms' }),
    detail: `${Math.min(...cpu).toFixed(0)}-${Math.max(...cpu).toFixed(0)} ms; 3 evaluators, 7 metrics`,
  }
  // The median of the longest delay of each round: a round in which another process used the processor is an outlier.
  yield {
    ...limitLine(`longest delay: ${name}`, median(delays), { max: DELAY_MS_MAX, unit: 'ms' }),
    detail: `${Math.min(...delays).toFixed(0)}-${Math.max(...delays).toFixed(0)} ms`,
  }
}

/** Milliseconds of CPU time of all threads of the server. */
async function compareOnce(touchstone: Touchstone): Promise<number> {
  const { port, key } = touchstone
  const runs = `baseline=${runIdOf(BASELINE)}&candidate=${runIdOf(CANDIDATE)}`
  const path = `/api/v1/components/${seededComponent(0).id}/comparisons?${runs}`
  const before = await touchstone.ask('cpuMicros')
  const { status, body } = await sendOne(port, encodeRequest({ method: 'GET', path, key }))
  const after = await touchstone.ask('cpuMicros')
  const { pairs, metrics }: { pairs?: number; metrics?: { n: number }[] } = JSON.parse(body)
  if (status !== 200 || pairs !== ITEMS || metrics?.some(({ n }) => n !== ITEMS)) {
    throw new Error(`${path}: ${status} ${body.slice(0, 500)}`)
  }
  return (after - before) / 1_000
}

/** Written directly to the database of the running server, because the API cannot import scores. */
function seedRuns(file: string): void {
  const database = new Database(file, { timeout: 5_000 })
  const { id: workspaceId } = database.prepare<[], { id: string }>('select id from workspaces').get() ?? { id: '' }
  const values = { workspaceId, componentId: seededComponent(0).id, dataset: DATASET, items: ITEMS, now: NOW }
  const insert: Insert = (sql, more = {}) =>
    database.prepare(`${NUMBERS} insert into ${sql}`).run({ ...values, ...more })
  database.transaction(() => {
    insert(`datasets (workspace_id, id, component_id, name, item_count, created_at)
      values (@workspaceId, @dataset, @componentId, 'Questions', @items, @now)`)
    insert(`dataset_items (workspace_id, dataset_id, id, input, created_at)
      select @workspaceId, @dataset, ${ITEM_ID}, 'question ' || n, @now from numbers`)
    for (const run of [BASELINE, CANDIDATE]) seedRun(insert, run)
  })()
  database.close()
}

function groupItems(file: string): void {
  const database = new Database(file, { timeout: 5_000 })
  database.exec(`update datasets set group_by = 'metadata.document';
    update dataset_items set metadata = json_object('document',
      cast(substr(input, ${'question '.length + 1}) as integer) / ${ITEMS_PER_GROUP})`)
  database.close()
}

type Insert = (sql: string, more?: Record<string, string | number>) => unknown

const NOW = '2026-11-14T09:30:00.000Z'
const NUMBERS = 'with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < @items)'
const ITEM_ID = `printf('01a00000-0000-7000-8000-%012x', n)`
const TRACE_ID = `printf('01a00000-0000-7000-8%03x-%012x', @run, n)`
const TRACE_REF = `printf('%032x', @run * 1000000 + n)`
/** A pseudo-random number between 0 and 1. */
const CHANCE = '((n * 7919 + @run * 104729 + n * n % 8513) % 1000) / 1000.0'
const SCORES = { exactMatch: '(n * 31 + @run * 17) % 10 < 7', helpful: CHANCE, tokenF1: `round(${CHANCE}, 1)` }

function seedRun(insert: Insert, run: number): void {
  const ids = { run, runId: runIdOf(run), evaluationId: `01a00000-0000-7000-8000-0000000001${run}0` }
  insert(
    `runs (workspace_id, id, component_id, dataset_id, name, trace_count, created_at)
      values (@workspaceId, @runId, @componentId, @dataset, 'Run ' || @run, @items, @now)`,
    ids,
  )
  insert(
    `traces (workspace_id, id, trace_id, name, named_by, status, tags, start_ns, end_ns, span_count, error_count,
        total_tokens, cost_usd, created_at)
      select @workspaceId, ${TRACE_ID}, ${TRACE_REF}, 'answer', 'root', case when n % 97 = @run then 'error' else 'ok' end,
        '[]', 1700000000000000000, 1700000000000000000 + cast(${CHANCE} * 1e9 as integer), 1, 0,
        100 + (n + @run) % 700, ${CHANCE} / 100, @now from numbers`,
    ids,
  )
  insert(
    `run_traces (workspace_id, run_id, trace_ref, item_id, created_at)
      select @workspaceId, @runId, ${TRACE_REF}, ${ITEM_ID}, @now from numbers`,
    ids,
  )
  insert(
    `evaluations (workspace_id, id, component_id, dataset_id, run_id, status, config, cases_total, cases_done, cases_failed,
        cases_skipped, results, created_at, updated_at)
      values (@workspaceId, @evaluationId, @componentId, @dataset, @runId, 'completed', '{}', 3 * @items, 3 * @items, 0, 0,
        '{"metrics":[]}', @now, @now)`,
    ids,
  )
  for (const [evaluator, score] of Object.entries(SCORES)) {
    insert(
      `evaluation_scores (workspace_id, evaluation_id, case_ref, evaluator, repetition, state, score, item_id, trace_ref,
          reason, created_at)
        select @workspaceId, @evaluationId, ${TRACE_REF}, @evaluator, 1, 'scored', ${score}, ${ITEM_ID}, ${TRACE_REF},
          'because it is so', @now from numbers`,
      { ...ids, evaluator },
    )
  }
}
