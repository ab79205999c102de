import { expect, it } from 'vitest'
import { seedChain } from '../conformance/operations.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { rowsOfWorkspaces, waitForJobs } from '../isolation/workspace-rows.ts'

type Loaded = {
  componentId: string
  datasetId: string
  runIds: string[]
  evaluationIds: string[]
  authors: { userId: string; name: string }[]
}

async function load(client: Client): Promise<Loaded> {
  const { status, body } = await client.send('POST', '/example-data')
  expect(status).toBe(201)
  return Object(body)
}

describeEachEngine('/example-data', (app) => {
  async function newEditor() {
    const workspace = await app().newWorkspace()
    return { ...workspace, editor: await browserWith(app(), workspace.workspaceId, 'editor') }
  }

  it('POST 201 loads twelve items, three runs with traces, ratings of two people, and evaluations that complete', async () => {
    const { editor, workspaceId } = await newEditor()
    expect((await editor.get('/example-data')).body).toMatchObject({ loaded: false, componentId: null, runIds: [] })
    const { componentId, datasetId, runIds, evaluationIds, authors } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const component = `/components/${componentId}`
    expect(await editor.list(`${component}/datasets/${datasetId}/items`)).toHaveLength(12)
    expect(runIds).toHaveLength(3)
    expect(evaluationIds).toHaveLength(3)
    // The newest run is left for users to rate.
    expect(await editor.list(`${component}/runs/${runIds[2]}/annotations`)).toEqual([])
    for (const runId of runIds.slice(0, 2)) {
      expect((await editor.get(`${component}/runs/${runId}`)).body).toMatchObject({ traceCount: 12, datasetId })
      const annotations = await editor.list(`${component}/runs/${runId}/annotations`)
      expect(annotations).toHaveLength(24)
      expect(new Set(annotations.map(({ userId }) => userId))).toEqual(new Set(authors.map(({ userId }) => userId)))
    }
    for (const [place, id] of evaluationIds.entries()) {
      const { status, results } = (await editor.get(`${component}/evaluations/${id}`)).body
      expect(status).toBe('completed')
      if (place < 2) expect(Object(results).insights.length).toBeGreaterThan(0)
    }
    const [trace] = await editor.list('/traces?limit=1')
    const spans = await editor.list(`/traces/${trace?.id}/spans`)
    expect(spans.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['agent', 'retriever', 'llm']))
    expect((await editor.get('/onboarding')).body).toMatchObject({ exampleDataLoaded: true, firstTrace: null })
  })

  it('has a comparison that the statistics decide with its twelve items', async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId, runIds } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const [baseline, candidate] = runIds
    const path = `/components/${componentId}/comparisons?baseline=${baseline}&candidate=${candidate}`
    const { body } = await editor.get(path)
    expect(body).toMatchObject({ pairs: 12, onlyBaseline: 0, onlyCandidate: 0, verdict: 'improved' })
    const verdicts = Array.from(Object(body.metrics), (metric) => [Object(metric).name, Object(metric).verdict])
    expect(Object.fromEntries(verdicts)).toMatchObject({ 'answer match': 'improved', rating: 'improved' })
  })

  it('has a finished trial of three versions, whose ranking and calls can be read, older than the runs of the versions', async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId, runIds } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const component = `/components/${componentId}`
    const [test, listed, ...others] = await editor.list(`${component}/trials`)
    expect(test?.name).toBe('Sort to the right team: test')
    expect(others).toEqual([])
    const { body: trial } = await editor.get(`${component}/trials/${listed?.id}`)
    expect(trial).toMatchObject({
      status: 'completed',
      endedBy: 'done',
      error: null,
      progress: { total: 36, done: 36, failed: 0, skipped: 0 },
      ranking: { best: 'v2', metric: 'answer match' },
      variants: [
        { name: 'v1', comparison: null },
        { name: 'v2', comparison: { verdict: 'improved' } },
        { name: 'v3', comparison: expect.anything() },
      ],
    })
    const { body: matrix } = await editor.get(`${component}/trials/${listed?.id}/matrix?limit=1`)
    expect(matrix.counts).toMatchObject({ all: 12, unscored: 0, waiting: 0 })
    const [item] = Array.from(Object(matrix.data), (row) => Object(row))
    const trace = (await editor.get(`/traces/${item?.calls[1].traceId}`)).body
    expect(trace).toMatchObject({ status: 'ok', output: expect.stringContaining('30 days') })
    expect(item?.calls[1].score).toBeGreaterThan(0)
    const runs = await editor.list(`${component}/runs`)
    expect(runs.map(({ id }) => id).slice(0, 3)).toEqual(runIds.toReversed())
    expect(runs).toHaveLength(8)
  })

  it('has a finished experiment: a search with every kind of end, a verdict on sealed items, its cost and the version that it saved', async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const component = `/components/${componentId}`
    const [listed, ...others] = await editor.list(`${component}/experiments`)
    expect(others).toEqual([])
    const path = `${component}/experiments/${listed?.id}`
    const { body: experiment } = await editor.get(path)
    const items = { train: 30, validation: 30, test: 40 }
    expect(experiment).toMatchObject({ status: 'completed', phase: 'ended', error: null, items })
    const { body: course } = await editor.get(`${path}/course`)
    const points = Array.from(Object(course.data), (point) => Object(point))
    expect(points.length).toBeGreaterThan(20)
    const ends = new Set(points.map(({ fate, state }) => fate ?? state))
    for (const end of ['copied', 'tooLong', 'frozen', 'noGain', 'repeated', 'validated', 'finalist'])
      expect(ends).toContain(end)
    const { body: results } = await editor.get(`${path}/results`)
    expect(results).toMatchObject({ verdict: 'improved', openings: 1, test: { items: 40, metric: 'right team' } })
    const { totalUsd, searchUsd, testUsd } = Object(results.cost)
    expect(totalUsd).toBeCloseTo(searchUsd + testUsd, 9)
    expect(totalUsd).toBeLessThan(0.5)
    const { promptId } = Object(experiment)
    const versions = Object((await editor.get(`${component}/prompts/${promptId}/versions`)).body.data)
    expect(versions).toMatchObject([{ number: 2, source: { kind: 'experiment', id: listed?.id } }, { number: 1 }])
  })

  it('has runs with metadata, and with the same intervals of means in evaluation and comparison', async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId, runIds, evaluationIds } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const component = `/components/${componentId}`
    const [baseline, candidate] = runIds
    const { body } = await editor.get(`${component}/comparisons?baseline=${baseline}&candidate=${candidate}`)
    for (const [place, side] of (['baseline', 'candidate'] as const).entries()) {
      const { results } = (await editor.get(`${component}/evaluations/${evaluationIds[place]}`)).body
      for (const { name, mean, ci } of Object(results).metrics) {
        const [compared] = Object(body.metrics).filter((metric: { name: string }) => metric.name === name)
        expect(compared[side]).toMatchObject({ mean, ci })
      }
      const { metadata } = (await editor.get(`${component}/runs/${runIds[place]}/metadata`)).body
      expect(metadata).toMatchObject({ model: 'gpt-4o-mini', prompt: `answer@${place + 1}` })
    }
  })

  it('has a prompt with five versions, labels with a history, and traces and evaluated runs that name its versions', async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId, runIds } = await load(editor)
    await waitForJobs(app().storage, workspaceId)
    const component = `/components/${componentId}`
    const [prompt] = await editor.list(`${component}/prompts`)
    const path = `${component}/prompts/${prompt?.id}`
    const numbers = Array.from(Object((await editor.get(`${path}/versions`)).body.data), (row) => Object(row).number)
    expect(numbers).toEqual([5, 4, 3, 2, 1])
    const labels = await editor.list(`${path}/labels`)
    expect(labels).toMatchObject([
      { name: 'production', change: 5, seed: 3, splits: [{ version: 2, weight: 100 }] },
      { name: 'staging', change: 2, seed: 2, splits: [{ version: 5, weight: 100 }] },
    ])
    const { body: history } = await editor.get(`${path}/labels/production/history`)
    expect(history.data).toMatchObject([
      { change: 5, kind: 'rolledBack', undoes: 4, after: { seed: 3 } },
      { change: 4, kind: 'moved', after: { splits: [{ version: 2 }, { version: 3, weight: 10 }] } },
      { change: 3 },
      { change: 2 },
      { change: 1, before: null },
    ])
    const { body: live } = await editor.get(`${path}/live`)
    expect(Object(live.data)).toHaveLength(7)
    const { body: served } = await editor.get(`${component}/served-prompts/answer?label=staging`)
    expect(Object(served.splits)[0].version).toMatchObject({ number: 5, placeholders: ['history'] })

    const tracesByVersion = async (query = '') => {
      const { body: facets } = await editor.get(`/traces/facets?field=prompt${query}`)
      const values = Array.from(Object(facets.data), (row) => Object(row))
      return new Map(values.map(({ value, count }) => [String(value), Number(count)]))
    }
    const named = await tracesByVersion()
    expect([...named.keys()].sort()).toEqual(['answer@1', 'answer@2', 'answer@3', 'answer@5', 'sort@1', 'sort@2'])
    expect((await tracesByVersion('&q=source:production')).get('answer@3')).toBeLessThan(4)
    const [, live2, staged] = runIds
    const { body } = await editor.get(`${component}/comparisons?baseline=${live2}&candidate=${staged}`)
    expect(body).toMatchObject({ pairs: 12, verdict: 'improved' })

    const unmet = async (version: number) => {
      const { body } = await editor.get(`${path}/labels/production/check?version=${version}&weight=10`)
      const conditions = Array.from(Object(body.conditions), (condition) => Object(condition))
      return conditions.filter(({ met }) => !met).map(({ key }) => key)
    }
    expect(await unmet(5), 'a gate needs 30 items').toEqual(['notWorse'])
    expect(await unmet(4), 'has no run').toContain('compared')

    // What came later is undone first, as in any history.
    const rolledBack = await editor.post(`${path}/labels/production/rollback`, {})
    expect(rolledBack.body).toMatchObject({ change: 6, splits: [{ version: 1 }, { version: 2 }] })
    const admin = await browserWith(app(), workspaceId, 'admin')
    const actions = (await admin.list('/audit-log')).map(({ action }) => action)
    expect(actions.filter((action) => String(action).startsWith('prompt'))).toEqual(['prompt-label.rolled-back'])
  })

  it('has rates of the prompt and of each version that was live, because people have rated its traces', async () => {
    const { editor } = await newEditor()
    const { componentId } = await load(editor)
    const { body } = await editor.get(`/components/${componentId}/prompt-summaries?days=7`)
    const [prompt] = Object(body.data)
    const interval = [expect.any(Number), expect.any(Number)]
    expect(prompt.rate).toMatchObject({ summary: null, ci: interval })
    const rates = new Map(Array.from(Object(prompt.versions), (row) => [Object(row).number, Object(row).rate]))
    for (const number of [1, 2]) expect(rates.get(number)).toMatchObject({ summary: null, ci: interval })
    expect(rates.get(2).mean).toBeGreaterThan(rates.get(1).mean)
    expect(rates.get(3).summary).toMatch(/^too few/)
  })

  it('POST 200 changes nothing if it is loaded, also for requests at the same time', async () => {
    const { editor, workspaceId } = await newEditor()
    const both = await Promise.all([editor.send('POST', '/example-data'), editor.send('POST', '/example-data')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201])
    expect(both[0].text).toBe(both[1].text)
    await waitForJobs(app().storage, workspaceId)
    const before = await rowsOfWorkspaces(app().storage, workspaceId)
    const again = await editor.send('POST', '/example-data')
    expect([again.status, again.text]).toEqual([200, both[0].text])
    expect(await rowsOfWorkspaces(app().storage, workspaceId)).toEqual(before)
  })

  it('DELETE 204 removes exactly the example data; a second time it does nothing', async () => {
    const { editor, client, workspaceId } = await newEditor()
    await seedChain(client)
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1) }])
    // Loaded and removed once before, because the origin of the spans stays.
    await load(editor)
    await editor.delete('/example-data')
    await waitForJobs(app().storage, workspaceId)
    const usersBefore = await countUsers()
    const before = await dataOf(workspaceId)
    await load(editor)
    await waitForJobs(app().storage, workspaceId)
    expect((await editor.delete('/example-data')).status).toBe(204)
    expect((await editor.get('/example-data')).body).toMatchObject({ loaded: false, authors: [] })
    expect(await editor.list('/traces')).toHaveLength(1)
    await waitForJobs(app().storage, workspaceId)
    expect(await dataOf(workspaceId)).toEqual(before)
    expect(await countUsers()).toBe(usersBefore)
    expect((await editor.delete('/example-data')).status).toBe(204)
    const admin = await browserWith(app(), workspaceId, 'admin')
    const actions = (await admin.list('/audit-log')).map(({ action }) => action)
    expect(actions.filter((action) => String(action).startsWith('example-data.'))).toEqual([
      'example-data.removed',
      'example-data.loaded',
      'example-data.removed',
      'example-data.loaded',
    ])
  })

  it('can be removed while its evaluations run, and loaded and removed by several requests at once', {
    tags: 'deep',
  }, async () => {
    const { editor, workspaceId } = await newEditor()
    for (let round = 0; round < 2; round += 1) {
      const sent = ['POST', 'DELETE', 'POST', 'DELETE'].map((method) => editor.send(method, '/example-data'))
      for (const { status } of await Promise.all(sent)) expect([200, 201, 204]).toContain(status)
    }
    await editor.delete('/example-data')
    await waitForJobs(app().storage, workspaceId)
    expect(await editor.list('/components')).toEqual([])
    expect(await editor.list('/traces')).toEqual([])
  })

  it('DELETE keeps the runs and datasets that users added to the example component', { tags: 'deep' }, async () => {
    const { editor, workspaceId } = await newEditor()
    const { componentId, datasetId, runIds } = await load(editor)
    const component = `/components/${componentId}`
    const own = await editor.create(`${component}/runs`, { datasetId, name: 'Mine' })
    await editor.delete('/example-data')
    await waitForJobs(app().storage, workspaceId)
    expect((await editor.list(`${component}/runs`)).map(({ id }) => id)).toEqual([own])
    expect((await editor.get(`${component}/runs/${runIds[0]}`)).status).toBe(404)
    expect(await editor.list(`${component}/datasets/${datasetId}/items`)).toHaveLength(12)
    expect(await editor.list(`${component}/evaluations`)).toEqual([])
    expect(await editor.list(`${component}/trials`)).toEqual([])
    expect(await editor.list('/traces')).toEqual([])
    const second = await load(editor)
    const dataset = await editor.create(`/components/${second.componentId}/datasets`, { name: 'Mine' })
    await editor.delete('/example-data')
    const left = await editor.list(`/components/${second.componentId}/datasets`)
    expect(left.map(({ id }) => id)).toEqual([dataset])
    expect(await editor.list(`/components/${second.componentId}/prompts`)).toEqual([])
  })

  it('DELETE keeps the prompts of users, and the example prompt if they have saved versions of it', {
    tags: 'deep',
  }, async () => {
    const { editor, workspaceId } = await newEditor()
    const first = await load(editor)
    const prompts = `/components/${first.componentId}/prompts`
    const own = await editor.create(prompts, { name: 'mine' })
    await editor.delete('/example-data')
    await waitForJobs(app().storage, workspaceId)
    expect((await editor.list(prompts)).map(({ id }) => id)).toEqual([own])

    const second = await load(editor)
    const [example] = await editor.list(`/components/${second.componentId}/prompts`)
    const path = `/components/${second.componentId}/prompts/${example?.id}`
    const content = { messages: [{ role: 'user', content: 'Mine' }] }
    expect((await editor.post(`${path}/versions`, { content })).status).toBe(201)
    await editor.delete('/example-data')
    await waitForJobs(app().storage, workspaceId)
    expect((await editor.get(`${path}/versions/6`)).status).toBe(200)
    expect(await editor.list('/traces')).toEqual([])
    // The label still has its gate, which names the dataset.
    const [production] = await editor.list(`${path}/labels`)
    const { datasetId } = Object(production?.['protection']).gate
    expect((await editor.get(`/components/${second.componentId}/datasets/${datasetId}`)).status).toBe(200)
  })

  it('can be loaded again after its component was deleted, and leaves nothing of the first', {
    tags: 'deep',
  }, async () => {
    const { editor, workspaceId } = await newEditor()
    const first = await load(editor)
    const admin = await browserWith(app(), workspaceId, 'admin')
    expect((await admin.delete(`/components/${first.componentId}`)).status).toBe(204)
    expect((await editor.get('/example-data')).body.loaded).toBe(false)
    const second = await load(editor)
    expect(second.componentId).not.toBe(first.componentId)
    expect(second.authors).toHaveLength(2)
    await waitForJobs(app().storage, workspaceId)
    expect((await editor.get('/traces?limit=1')).headers.get('x-total-count')).toBe('232')
  })

  it('has authors who cannot sign in, are no members, and are named as examples', async () => {
    const { editor, workspaceId } = await newEditor()
    const { authors, componentId, runIds } = await load(editor)
    for (const { userId, name } of authors) {
      expect(name).toMatch(/\(example\)$/)
      const email = `${userId}@example.invalid`
      const { status } = await app().anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD })
      expect(status).toBe(401)
    }
    const admin = await browserWith(app(), workspaceId, 'admin')
    const members = JSON.stringify(await admin.list('/members'))
    for (const { userId } of authors) expect(members).not.toContain(userId)
    const { raters } = (await editor.get(`/components/${componentId}/runs/${runIds[0]}/agreement`)).body
    expect(Array.from(Object(raters), (rater) => Object(rater).name).sort()).toEqual(
      authors.map(({ name }) => name).sort(),
    )
  })

  it('rates with the words of the application', async () => {
    const { editor } = await newEditor()
    const ratings = ['poor', 'fair', 'great'].map((value, score) => ({ value, score }))
    await editor.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
    const { componentId, runIds } = await load(editor)
    const annotations = await editor.list(`/components/${componentId}/runs/${runIds[1]}/annotations`)
    expect(new Set(annotations.map(({ rating }) => rating))).toEqual(new Set(['poor', 'great']))
  })

  it('goes with its workspace, authors included', async () => {
    const { workspaceId } = await app().newWorkspace()
    const owner = await browserWith(app(), workspaceId, 'owner')
    const usersBefore = await countUsers()
    await load(owner)
    expect(await countUsers()).toBe(usersBefore + 2)
    expect((await owner.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    await waitForJobs(app().storage, workspaceId)
    expect(await countUsers()).toBe(usersBefore)
  })

  /** Without what is recorded about the requests themselves, and without sums and marks of hours, which stay as zeros. */
  async function dataOf(workspaceId: string) {
    const rows = await rowsOfWorkspaces(app().storage, workspaceId)
    const { audit_events, workspace_usage, trace_hours, ...data } = rows
    const sums = [data['trace_rollups'], data['trace_source_rollups'], data['prompt_rollups']]
    const counted = sums.map((sum) =>
      sum?.filter(({ traces, uses }) => Number(traces) !== 0 || Number(uses ?? 0) !== 0),
    )
    const [trace_rollups = [], trace_source_rollups = [], prompt_rollups = []] = counted
    return { ...data, trace_rollups, trace_source_rollups, prompt_rollups }
  }

  async function countUsers(): Promise<number> {
    return (await app().storage.read.selectFrom('users').select('id').execute()).length
  }
})
