/** What was deleted is out of sight at once, and out of the database when the jobs have run. */
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'
import { seedTree } from '../isolation/seed-tree.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'

const CASES = 3_000

describeEachEngine('reclaiming', (app) => {
  async function newWorkspace() {
    const { workspaceId, client, key } = await app().newWorkspace()
    const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
    return { workspaceId, client, key, session: app().asPerson(owner, workspaceId) }
  }

  /** A dataset that takes the evaluation many pages, so that it can be met in the middle. */
  async function startLongEvaluation(client: Client) {
    const base = `/components/${await client.create('/components', { name: 'Long' })}`
    const traceIds = Array.from({ length: CASES }, (_, place) => `t${place}`)
    const datasetId = await client.create(`${base}/datasets`, { name: 'Long', traceIds })
    const evaluators = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ type: 'humanRating', name }))
    const evaluationId = await client.create(`${base}/evaluations`, { datasetId, config: { evaluators } })
    return { base, datasetId, evaluationId }
  }

  /** Resolves when some of its scores are in the database and some are not. */
  async function waitForMiddle(evaluationId: string): Promise<void> {
    await until(async () => {
      const { cases_skipped: done, status } = await app()
        .storage.read.selectFrom('evaluations')
        .select(['cases_skipped', 'status'])
        .where('id', '=', evaluationId)
        .executeTakeFirstOrThrow()
      if (done === 0 || status !== 'running') throw new Error(`the evaluation is ${status}, with ${done} scores`)
    })
  }

  it.each(['component', 'dataset'] as const)(
    'a %s that is deleted during its evaluation leaves no row',
    { tags: 'deep' },
    async (what) => {
      const { workspaceId, client } = await newWorkspace()
      const { base, datasetId, evaluationId } = await startLongEvaluation(client)
      await waitForMiddle(evaluationId)
      expect((await client.delete(what === 'component' ? base : `${base}/datasets/${datasetId}`)).status).toBe(204)
      expect((await client.get(`${base}/evaluations/${evaluationId}`)).status).toBe(404)
      expect(await client.list(`${base}/evaluations`)).toEqual([])
      await waitForJobs(app().storage, workspaceId)
      const left = await countRows(app().storage, workspaceId)
      const kept = { workspaces: 1, members: 2, api_keys: 1, audit_events: 1, workspace_usage: 1 }
      expect(left).toEqual(what === 'component' ? kept : { ...kept, components: 1 })
    },
  )

  it('deleting a run deletes its annotations, and its evaluation keeps its results', async () => {
    const { workspaceId, client, session } = await newWorkspace()
    const { componentId, runId, evaluationId } = await seedTree(session, { workspaceId, mark: 'kept' })
    await waitForJobs(app().storage, workspaceId)
    const path = `/components/${componentId}/evaluations/${evaluationId}`
    const before = await client.get(path)
    expect(before.body.status).toBe('completed')
    expect((await client.delete(`/components/${componentId}/runs/${runId}`)).status).toBe(204)
    await waitForJobs(app().storage, workspaceId)
    expect((await client.get(path)).text).toBe(before.text)
    const {
      runs = 0,
      run_traces: traces = 0,
      annotations = 0,
      evaluations,
    } = await countRows(app().storage, workspaceId)
    // The other run of the tree stays, and that of its trial with one trace.
    expect({ runs, traces, annotations, evaluations }).toEqual({ runs: 2, traces: 1, annotations: 0, evaluations: 1 })
  })

  it('deleting a trace deletes its spans and facets, and no others', async () => {
    const { workspaceId, client } = await newWorkspace()
    const spansOf = (trace: number, count: number) =>
      Array.from({ length: count }, (_, place) => ({
        traceId: traceIdOf(trace),
        spanId: spanIdOf(place),
        name: `step ${place}`,
        attributes: { 'session.id': 's', 'touchstone.tags': [`tag ${place % 7}`] },
      }))
    await sendSpans(client, spansOf(1, 2))
    const before = await countRows(app().storage, workspaceId)
    // More spans than go in one chunk.
    await sendSpans(client, spansOf(2, 1_200))
    expect((await client.delete(`/traces/${traceIdOf(2)}`)).status).toBe(204)
    expect((await client.get('/traces')).body.total).toBe(1)
    await waitForJobs(app().storage, workspaceId)
    expect(await countRows(app().storage, workspaceId)).toEqual({ ...before, audit_events: 1 })
    expect((await client.get('/traces?session_id=s')).body.total).toBe(1)
  })

  it('a workspace that is deleted leaves its log and nothing else', async () => {
    const { workspaceId, client, session, key } = await newWorkspace()
    await seedTree(session, { workspaceId, mark: 'doomed' })
    await client.post('/components', { name: 'Once' }, { 'idempotency-key': 'once' })
    const { evaluationId } = await startLongEvaluation(client)
    await waitForMiddle(evaluationId)
    expect(Object.keys(await countRows(app().storage, workspaceId)).length).toBeGreaterThanOrEqual(19)
    expect((await session.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    expect((await app().withKey(key).get('/components')).status).toBe(401)
    expect((await session.get('/components')).status).toBe(401)
    await waitForJobs(app().storage, workspaceId)
    expect(Object.keys(await countRows(app().storage, workspaceId))).toEqual(['audit_events'])
    const log = await app()
      .storage.read.selectFrom('audit_events')
      .select('action')
      .where('workspace_id', '=', workspaceId)
      .execute()
    expect(log.map(({ action }) => action)).toContain('workspace.deleted')
  })

  /** A row in each table that no request of these tests fills. */
  async function fillFurtherTables(
    workspaceId: string,
    { runId = '', datasetId = '', userId = '' }: Record<string, string>,
  ) {
    const now = new Date(app().clock.now()).toISOString()
    await app().storage.transaction(async (tx) => {
      const inRun = { workspace_id: workspaceId, run_id: runId }
      const policy = { ...inRun, raters_per_item: 2, is_blind: 1, ratings: null, updated_at: now }
      await tx.insertInto('annotation_policies').values(policy).execute()
      const lease = { ...inRun, trace_ref: 't', user_id: userId, lease_until: now }
      await tx.insertInto('annotation_leases').values(lease).execute()
      const opening = { workspace_id: workspaceId, dataset_id: datasetId, subject: 's', opened_at: now }
      await tx.insertInto('test_openings').values(opening).execute()
      const scheme = { workspace_id: workspaceId, ratings: '[]', is_ordered: 0, updated_at: now }
      await tx.insertInto('rating_schemes').values(scheme).execute()
      const nothing = { input_tokens: null, output_tokens: null, cost_usd: null }
      const answer = { workspace_id: workspaceId, hash: 'h', answer: '{}', ...nothing, created_at: now }
      await tx.insertInto('model_answers').values(answer).execute()
    })
  }

  it.each(['run', 'dataset', 'component', 'workspace'] as const)(
    'a %s that is deleted takes along how its runs are rated, and a workspace its connections and answers too',
    async (what) => {
      const { workspaceId, session } = await newWorkspace()
      const ids = await seedTree(session, { workspaceId, mark: 'rated' })
      await fillFurtherTables(workspaceId, ids)
      const inComponent = `/components/${ids.componentId}`
      const paths = {
        run: `${inComponent}/runs/${ids.runId}`,
        dataset: `${inComponent}/datasets/${ids.datasetId}`,
        component: inComponent,
        workspace: `/workspaces/${workspaceId}`,
      }
      const ofRuns = { annotation_policies: 1, annotation_leases: 1 }
      const ofDatasets = { test_openings: 1 }
      const ofWorkspace = { model_connections: 1, model_answers: 1, endpoints: 1, rating_schemes: 1 }
      expect(await countRows(app().storage, workspaceId)).toMatchObject({ ...ofRuns, ...ofDatasets, ...ofWorkspace })
      expect((await session.delete(paths[what])).status).toBe(204)
      await waitForJobs(app().storage, workspaceId)
      const left = await countRows(app().storage, workspaceId)
      expect(Object.keys(left).filter((table) => Object.hasOwn(ofRuns, table))).toEqual([])
      if (what !== 'run') expect(Object.keys(left)).not.toContain('test_openings')
      if (what === 'workspace') expect(Object.keys(left)).toEqual(['audit_events'])
      else expect(left).toMatchObject(ofWorkspace)
    },
  )

  it('a workspace that is deleted while others write to it leaves nothing either', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { workspaceId, client, session } = await newWorkspace()
      const base = `/components/${await client.create('/components', { name: 'Busy' })}`
      const datasetId = await client.create(`${base}/datasets`, { name: 'Busy', traceIds: ['a'] })
      const writes = Array.from({ length: 12 }, (_, place) => {
        if (place === round * 3) return () => session.delete(`/workspaces/${workspaceId}`)
        if (place % 4 === 2) {
          const spans = [{ traceId: traceIdOf(place), spanId: spanIdOf(1) }]
          return () => client.post('/v1/traces', otlpRequest(spans))
        }
        if (place % 3 === 0) return () => client.post('/components', { name: 'x' }, { 'idempotency-key': `k${place}` })
        if (place % 3 === 1) return () => client.post(`${base}/runs`, { datasetId, traceIds: ['a'] })
        return () => client.post(`${base}/evaluations`, { datasetId })
      })
      const answers = await Promise.all(writes.map((write) => write()))
      for (const { status, text } of answers) expect([200, 201, 202, 204, 401, 404], text).toContain(status)
      await waitForJobs(app().storage, workspaceId)
      expect(Object.keys(await countRows(app().storage, workspaceId))).toEqual(['audit_events'])
    }
  })

  it('a dataset, its component and its workspace, deleted one right after another, are reclaimed without a failed attempt', async () => {
    const { workspaceId, client, session } = await newWorkspace()
    const base = `/components/${await client.create('/components', { name: 'Large' })}`
    const traceIds = Array.from({ length: 10_000 }, (_, place) => `t${place}`)
    const datasetId = await client.create(`${base}/datasets`, { name: 'Large', traceIds })
    await client.create(`${base}/runs`, { datasetId, traceIds })
    expect((await client.delete(`${base}/datasets/${datasetId}`)).status).toBe(204)
    expect((await client.delete(base)).status).toBe(204)
    expect((await session.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    // A job has five attempts: an error in every attempt leaves its rows forever.
    const errors = new Set<string>()
    await until(async () => {
      const jobs = await app()
        .storage.read.selectFrom('jobs')
        .select(['payload', 'last_error'])
        .where('workspace_id', '=', workspaceId)
        .execute()
      for (const { payload, last_error } of jobs) if (last_error !== null) errors.add(`${payload}: ${last_error}`)
      expect(jobs).toEqual([])
    })
    expect(Object.keys(await countRows(app().storage, workspaceId))).toEqual(['audit_events'])
    expect([...errors]).toEqual([])
  })

  it('deleting a workspace deletes its permanently failed jobs', async () => {
    const { workspaceId, session } = await newWorkspace()
    const { storage, clock } = app()
    const now = new Date(clock.now()).toISOString()
    const failed = {
      kind: 'evaluation',
      payload: '{}',
      state: 'failed' as const,
      attempts: 5,
      fence: 5,
      last_error: 'x',
    }
    const times = { run_at: now, created_at: now, lease_owner: null, lease_until: null }
    await storage.transaction((tx) =>
      tx
        .insertInto('jobs')
        .values({ workspace_id: workspaceId, id: workspaceId, ...failed, ...times })
        .execute(),
    )
    expect((await session.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    const jobs = storage.read.selectFrom('jobs').select(['kind', 'state']).where('workspace_id', '=', workspaceId)
    await until(async () => expect(await jobs.where('state', '<>', 'failed').execute()).toEqual([]))
    expect(await jobs.execute()).toEqual([])
  })
})
