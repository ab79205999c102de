/** Two runs of one dataset, made through the API; the scores of their evaluations are put into the tables. */
import { timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'

/** What a run did with an item. Scores by evaluator: a number, several repetitions, or any other content of a score. */
export type Outcome = {
  scores?: Record<string, number | Score | Score[]>
  isError?: boolean
  durationMs?: number
  costUsd?: number
  totalTokens?: number
}

type Score = {
  score?: number
  passed?: boolean
  label?: string
  state?: 'scored' | 'failed' | 'skipped'
  repetition?: number
}

/** The traces of a run: each a pass over the item at that place, or over none. */
export type Pass = Outcome & { item: number | null }

type SeededRun = { runId: string; evaluationId: string; traceIds: string[] }

export type Seeded = {
  client: Client
  workspaceId: string
  component: string
  datasetId: string
  itemIds: string[]
  baseline: SeededRun
  candidate: SeededRun
  /** Further runs, named C, D and so on. */
  others: SeededRun[]
  /** The path of the comparison, with these parameters behind it. */
  at(parameters?: string): string
}

const newId = idGenerator({ now: () => Date.now() })
const TRACES_PER_REQUEST = 500

export async function seedComparison(
  app: TestApp,
  {
    items,
    baseline,
    candidate,
    others = [],
    metrics = [],
  }: { items: number; baseline: Pass[]; candidate: Pass[]; others?: Pass[][]; metrics?: Record<string, unknown>[] },
): Promise<Seeded> {
  const { client, workspaceId } = await app.newWorkspace()
  const componentId = await client.create('/components', { name: 'Answers' })
  const component = `/components/${componentId}`
  const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
  const wanted = Array.from({ length: items }, (_, place) => ({ input: `question ${place}` }))
  const { body } = await client.post(`${component}/datasets/${datasetId}/items`, wanted)
  const added: Record<string, unknown>[] = Array.isArray(body.data) ? body.data : []
  const itemIds = added.map(({ id }) => String(id))
  const scope = { app, client, workspaceId, componentId, datasetId, itemIds, metrics }
  const before = await seedRun(scope, 'A', baseline)
  const after = await seedRun(scope, 'B', candidate)
  const more: SeededRun[] = []
  for (const [place, passes] of others.entries()) more.push(await seedRun(scope, 'CDEFGH'.charAt(place), passes))
  const path = `${component}/comparisons?baseline=${before.runId}&candidate=${after.runId}`
  return {
    client,
    workspaceId,
    component,
    datasetId,
    itemIds,
    baseline: before,
    candidate: after,
    others: more,
    at: (parameters = '') => (parameters === '' ? path : `${path}&${parameters}`),
  }
}

type Scope = {
  app: TestApp
  client: Client
  workspaceId: string
  componentId: string
  datasetId: string
  itemIds: string[]
  metrics: Record<string, unknown>[]
}

async function seedRun(scope: Scope, name: string, passes: Pass[]): Promise<SeededRun> {
  const { client, componentId, datasetId, itemIds } = scope
  const component = `/components/${componentId}`
  const runId = await client.create(`${component}/runs`, { datasetId, name })
  const traceIds: string[] = []
  for (let start = 0; start < passes.length; start += TRACES_PER_REQUEST) {
    const traces = passes.slice(start, start + TRACES_PER_REQUEST).map((pass, place) => {
      const traceId = newId().replaceAll('-', '')
      traceIds.push(traceId)
      const itemId = pass.item === null ? undefined : itemIds[pass.item]
      const input = pass.item === null ? `nothing of ${name} ${start + place}` : undefined
      // One that names a run becomes an item if it meets none; this one is only linked.
      const run = pass.item === null ? undefined : name
      return { traceId, run, input, itemId, ...traceOf(pass) }
    })
    const { status, text } = await client.post(`${component}/traces`, { traces })
    if (status !== 201) throw new Error(text)
  }
  const alone = traceIds.filter((_, place) => passes[place]?.item === null)
  await client.post(`${component}/runs/${runId}/traces`, { traceIds: alone })
  const evaluationId = await seedEvaluation(scope, { runId, passes, traceIds })
  return { runId, evaluationId, traceIds }
}

function traceOf({ isError = false, durationMs = 100, costUsd, totalTokens }: Outcome) {
  const start = Date.parse('2026-11-14T09:30:00.000Z')
  return {
    status: isError ? 'error' : 'ok',
    startTime: timestamp(start),
    endTime: timestamp(start + durationMs),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(totalTokens === undefined ? {} : { totalTokens }),
  }
}

async function seedEvaluation(
  { app, workspaceId, componentId, datasetId, metrics }: Scope,
  { runId, passes, traceIds }: { runId: string; passes: Pass[]; traceIds: string[] },
): Promise<string> {
  const id = newId()
  const now = timestamp(app.clock.now())
  const rows = passes.flatMap(({ scores = {} }, place) =>
    Object.entries(scores).flatMap(([evaluator, given]) =>
      listOf(given).map(({ score, passed, label, state = 'scored', repetition }, repeated) => ({
        workspace_id: workspaceId,
        evaluation_id: id,
        case_ref: traceIds[place] ?? '',
        evaluator,
        repetition: repetition ?? repeated + 1,
        state,
        score: score ?? null,
        label: label ?? null,
        passed: passed === undefined ? null : Number(passed),
        reason: null,
        created_at: now,
      })),
    ),
  )
  await app.storage.transaction(async (tx) => {
    await tx
      .insertInto('evaluations')
      .values({
        workspace_id: workspaceId,
        id,
        component_id: componentId,
        dataset_id: datasetId,
        run_id: runId,
        name: null,
        status: 'completed',
        error: null,
        config: '{}',
        cases_total: rows.length,
        cases_done: rows.length,
        cases_failed: 0,
        cases_skipped: 0,
        results: JSON.stringify({ metrics }),
        started_at: now,
        completed_at: now,
        created_at: now,
        updated_at: now,
      })
      .execute()
    for (let start = 0; start < rows.length; start += 500)
      await tx
        .insertInto('evaluation_scores')
        .values(rows.slice(start, start + 500))
        .execute()
  })
  return id
}

function listOf(given: number | Score | Score[]): Score[] {
  if (typeof given === 'number') return [{ score: given }]
  return Array.isArray(given) ? given : [given]
}

/** As many passes as items, one each, in their order. */
export function passesOf(count: number, outcome: (place: number) => Outcome): Pass[] {
  return Array.from({ length: count }, (_, item) => ({ item, ...outcome(item) }))
}
