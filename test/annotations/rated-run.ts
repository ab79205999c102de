/** A run with traces to rate, people who rate them, and evaluations that have judged them. */
import { createHash } from 'node:crypto'
import { createAccount } from '../../src/auth/accounts/accounts.ts'
import { createApiKey } from '../../src/auth/api-keys/create-api-key.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Role } from '../../src/base/principal.ts'
import { newTraceId, type StoredTrace, storeTrace } from '../conformance/stored-trace.ts'
import type { Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'

const newId = idGenerator({ now: () => Date.now() })

export type RatedRun = {
  workspaceId: string
  /** The key of the workspace's owner. */
  client: Client
  componentId: string
  datasetId: string
  runId: string
  /** Of the run. */
  path: string
  /** In the random order of the queue, or by the sender's id, which is the order of what is left. */
  traces: StoredTrace[]
}

/** With `expected`, the dataset has an item with the input of one of the traces. */
export async function seedRatedRun(
  app: TestApp,
  count: number,
  { expected, sorted = 'at random' }: { expected?: string; sorted?: 'at random' | 'by id' } = {},
): Promise<RatedRun> {
  const { workspaceId, client } = await app.newWorkspace()
  const traces: StoredTrace[] = []
  for (let place = 0; place < count; place += 1) {
    const root = { input: `question ${place}`, output: `answer ${place}` }
    traces.push(await storeTrace(app, workspaceId, { traceId: newTraceId(), root }))
  }
  const componentId = await client.create('/components', { name: 'Rated' })
  const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Rated' })
  const placeOf = ({ traceId }: StoredTrace) =>
    sorted === 'by id' ? traceId : createHash('sha256').update(`${datasetId} ${traceId}`).digest('base64')
  traces.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
  if (expected !== undefined)
    await client.post(`/components/${componentId}/datasets/${datasetId}/items`, { input: 'question 0', expected })
  const traceIds = traces.map(({ traceId }) => traceId)
  const runId = await client.create(`/components/${componentId}/runs`, { datasetId, traceIds })
  return {
    workspaceId,
    client,
    componentId,
    datasetId,
    runId,
    path: `/components/${componentId}/runs/${runId}`,
    traces,
  }
}

export type Rater = { userId: string; key: string; client: Client }

/** People with keys: they need not sign in, which takes longer than all else that they do. */
export async function newRaters(
  app: TestApp,
  { workspaceId, count, role = 'annotator' }: { workspaceId: string; count: number; role?: Role },
): Promise<Rater[]> {
  const { storage, clock } = app
  const raters: Rater[] = []
  for (let place = 0; place < count; place += 1) {
    const account = { email: `${newId()}@example.com`, name: `Rater ${place}`, passwordHash: 'none' }
    const { userId, key } = await storage.transaction(async (tx) => {
      const { id } = await createAccount({ tx, clock, newId }, account)
      await insertMember(tx, { workspaceId, userId: id, role, createdAt: timestamp(clock.now()) })
      const made = await createApiKey(
        tx,
        { clock, newId },
        { workspaceId, createdBy: id, name: 'Key', expiresAt: null },
      )
      return { userId: id, key: made.key }
    })
    raters.push({ userId, key, client: app.withKey(key) })
  }
  return raters
}

/** For tests that distinguish them. */
export async function raterPair(app: TestApp, workspaceId: string): Promise<[Rater, Rater]> {
  const [first, second] = await newRaters(app, { workspaceId, count: 2 })
  if (!first || !second) throw new Error('there are two')
  return [first, second]
}

export type Judgement = {
  ref: string
  passed: boolean | null
  score?: number | null
  evaluator?: string
  repetition?: number
}

/** A completed evaluation of the run, or of its whole dataset, past the machinery that makes one. */
export async function seedJudgements(
  { storage, clock }: TestApp,
  {
    workspaceId,
    componentId,
    datasetId,
    runId,
  }: Pick<RatedRun, 'workspaceId' | 'componentId' | 'datasetId'> & { runId: string | null },
  judgements: readonly Judgement[],
  { config = {}, status = 'completed' }: { config?: object; status?: 'completed' | 'failed' | 'running' } = {},
): Promise<string> {
  const id = newId()
  const now = timestamp(clock.now())
  await storage.transaction(async (tx) => {
    await tx
      .insertInto('evaluations')
      .values({
        workspace_id: workspaceId,
        id,
        component_id: componentId,
        dataset_id: datasetId,
        run_id: runId,
        name: null,
        status,
        error: null,
        config: JSON.stringify(config),
        cases_total: judgements.length,
        cases_done: judgements.length,
        cases_failed: 0,
        cases_skipped: 0,
        results: '{}',
        started_at: now,
        completed_at: now,
        created_at: now,
        updated_at: now,
      })
      .execute()
    for (const { ref, passed, score = null, evaluator = 'judge', repetition = 1 } of judgements) {
      await tx
        .insertInto('evaluation_scores')
        .values({
          workspace_id: workspaceId,
          evaluation_id: id,
          case_ref: ref,
          evaluator,
          repetition,
          state: 'scored',
          trace_ref: ref,
          score,
          label: null,
          passed: passed === null ? null : Number(passed),
          reason: null,
          created_at: now,
        })
        .execute()
    }
  })
  return id
}

/** The trace that the queue returns; null if there is none. */
export async function ask(client: Client, path: string, skip: readonly string[] = [], order = 'random') {
  const query = skip.length === 0 ? '' : `&skip=${skip.join(',')}`
  const answer = await client.send('POST', `${path}/queue/next?order=${order}${query}`)
  if (answer.status !== 200) throw new Error(`POST ${path}/queue/next: ${answer.status} ${answer.text}`)
  const item: Record<string, unknown> | null = answer.body.item === null ? null : Object(answer.body.item)
  return { ...answer, item, traceDbId: item === null ? null : String(item.traceDbId) }
}

export function rate(client: Client, path: string, traceDbId: string, rating = 'positive') {
  return client.post(`${path}/annotations`, { traceDbId, rating })
}

/** Past the queue, where order does not matter. */
export async function rateAll(client: Client, path: string, traces: readonly StoredTrace[], rating = 'positive') {
  for (const { id } of traces) {
    const { status, text } = await rate(client, path, id, rating)
    if (status !== 201) throw new Error(`rating failed: ${status} ${text}`)
  }
}

/** As if the queue had drawn all traces of the run at random, for tests that choose what is rated. */
export async function drawAll(
  { storage, clock }: TestApp,
  { workspaceId, runId }: { workspaceId: string; runId: string },
): Promise<void> {
  await storage.transaction(async (tx) => {
    const traces = await tx.selectFrom('run_traces').select('trace_ref').where('run_id', '=', runId).execute()
    for (const { trace_ref } of traces) {
      const draw = { probability: 1 / traces.length, pool: traces.length, drawn_at: timestamp(clock.now()) }
      await tx
        .insertInto('annotation_draws')
        .values({ workspace_id: workspaceId, run_id: runId, trace_ref, ...draw })
        .execute()
    }
  })
}

export function setPolicy(client: Client, path: string, policy: object) {
  return client.send('PUT', `${path}/annotation-policy`, { body: policy })
}
