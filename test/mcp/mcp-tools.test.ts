/** What agents may read and change: the same as the API permits, and nothing else. */
import { expect, it } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { newRaters } from '../annotations/rated-run.ts'
import { seedComparison } from '../comparisons/seed-comparison.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { MISSING } from '../isolation/route-requests.ts'
import { type Agent, connectAgent } from './mcp-client.ts'

const READ_TOOLS = TOOLS.filter(({ effect }) => effect === undefined).map(({ name }) => name)

async function keyWithRole(app: TestApp, workspaceId: string, role: 'viewer' | 'annotator' | 'editor') {
  const person = await app.newPerson([{ workspaceId, role: 'admin' }])
  const { body } = await app.asPerson(person, workspaceId).post('/api-keys', { name: role, role })
  return String(body.key)
}

function experimentPlan(promptId: string | undefined): Record<string, unknown> {
  const prompt = { promptId, version: 1 }
  return { prompt, target: { provider: 'models' }, evaluators: [{ type: 'exactMatch' }], allowTooFew: true }
}

/** A call of every tool, with ids of one application. */
function callsOf(ids: Record<string, string>): Record<string, Record<string, unknown>> {
  const {
    componentId: component,
    datasetId: dataset,
    baseline,
    candidate,
    traceId,
    evaluationId,
    itemId,
    promptId,
    trialId,
    experimentId,
    trained: experimented,
  } = ids
  return {
    compare_runs: { component, baseline, candidate, only: 'all', include: ['io'] },
    list_worst_cases: { component, run: candidate, include: ['io'] },
    search_traces: { component, query: `id:${traceId}`, include: ['io'] },
    get_trace: { traceId, include: ['io'] },
    list_components: {},
    list_datasets: { component },
    get_dataset_items: { component, dataset, itemId, include: ['io'] },
    create_dataset_from_traces: { component, dataset, traceIds: [traceId] },
    list_runs: { component },
    list_annotations: { component, run: candidate },
    annotate_trace: { traceId, component, run: candidate, rating: 'positive' },
    list_evaluators: {},
    start_evaluation: { component, dataset, run: candidate },
    get_evaluation: { component, evaluationId },
    start_trial: { component, dataset, plan: { variants: [{ target: { type: 'worker', queue: 'agent' } }] } },
    get_trial: { component, trialId },
    start_experiment: { component, dataset: experimented, plan: experimentPlan(promptId), dryRun: true },
    get_experiment: { component, experimentId },
    list_prompts: { component },
    get_prompt: { component, prompt: promptId, version: 1 },
    save_prompt_version: { component, prompt: promptId, basedOn: 1, model: 'gpt-5' },
    explain_query_language: {},
  }
}

describeEachEngine('the tools of an agent', (app) => {
  async function seed() {
    const passes = [0, 1, 2].map((item) => ({ item, scores: { correct: item / 2 } }))
    const seeded = await seedComparison(app(), { items: 3, baseline: passes, candidate: passes })
    const ids = {
      componentId: seeded.component.split('/').at(-1) ?? '',
      datasetId: seeded.datasetId,
      baseline: seeded.baseline.runId,
      candidate: seeded.candidate.runId,
      evaluationId: seeded.candidate.evaluationId,
      traceId: seeded.candidate.traceIds[0] ?? '',
      itemId: seeded.itemIds[0] ?? '',
      promptId: await seeded.client.create(`${seeded.component}/prompts`, { name: 'answer' }),
    }
    const variants = [{ target: { type: 'worker', queue: 'agent' } }]
    const trialId = await seeded.client.create(`${seeded.component}/trials`, { datasetId: ids.datasetId, variants })
    const content = { messages: [{ role: 'user', content: '{{question}}' }] }
    await seeded.client.post(`${seeded.component}/prompts/${ids.promptId}/versions`, { content })
    const trained = await seeded.client.create(`${seeded.component}/datasets`, { name: 'of an experiment' })
    for (const split of ['train', 'validation', 'test'])
      await seeded.client.create(`${seeded.component}/datasets/${trained}/items`, { input: split, split })
    const admin = await browserWith(app(), seeded.workspaceId, 'admin')
    // No model is asked.
    const connection = {
      name: 'models',
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'sk-a',
      models: ['m'],
    }
    await admin.create('/connections', connection)
    const plan = { ...experimentPlan(ids.promptId), datasetId: trained }
    const experimentId = await seeded.client.create(`${seeded.component}/experiments`, plan)
    return { ...seeded, ids: { ...ids, trialId, experimentId, trained } }
  }

  async function agentWithRole(workspaceId: string, role: 'viewer' | 'annotator' | 'editor'): Promise<Agent> {
    return connectAgent(app().url, await keyWithRole(app(), workspaceId, role))
  }

  it('all work with the ids of their own application', async () => {
    const { workspaceId, ids } = await seed()
    const agent = await agentWithRole(workspaceId, 'editor')
    const calls = callsOf(ids)
    expect(Object.keys(calls)).toEqual(TOOLS.map(({ name }) => name))
    for (const [name, args] of Object.entries(calls)) await agent.call(name, args)
  })

  it('return the same for ids of another application as for missing ids', async () => {
    const { ids } = await seed()
    const other = await app().newWorkspace()
    const agent = await agentWithRole(other.workspaceId, 'editor')
    const missing = Object.fromEntries(Object.keys(ids).map((name) => [name, MISSING]))
    const foreign = callsOf(ids)
    const absent = callsOf(missing)
    const outcome = async (name: string, args: Record<string, unknown> | undefined) => {
      const result = await agent.client.callTool({ name, arguments: args ?? {} })
      return { isError: result.isError === true, text: withoutWord(JSON.stringify(result)) }
    }
    // Annotations of a run and prompts of a component that do not exist are empty lists, as in the API.
    const empty = ['search_traces', 'list_annotations', 'list_prompts']
    const lists = ['list_components', 'list_evaluators', 'explain_query_language', ...empty]
    for (const { name } of TOOLS) {
      const found = await outcome(name, foreign[name])
      const nothing = await outcome(name, absent[name])
      expect(found, name).toEqual(nothing)
      expect(found.isError, name).toBe(!lists.includes(name))
      if (found.isError) expect(found.text, name).toMatch(/not found/)
    }
    expect((await agent.call('list_components')).rows).toEqual([])
    expect((await agent.call('search_traces', { query: `id:${ids.traceId}` })).rows).toEqual([])
  })

  it('take names of components, datasets and runs like their ids', async () => {
    const { client, workspaceId, ids, component } = await seed()
    const agent = await agentWithRole(workspaceId, 'viewer')
    const elsewhere = await client.create(`${component}/datasets`, { name: 'Other questions' })
    await client.create(`${component}/runs`, { datasetId: elsewhere, name: 'A' })
    const byId = await agent.call('compare_runs', callsOf(ids).compare_runs)
    // The newest run A is of another dataset than B.
    const byName = await agent.call('compare_runs', {
      ...callsOf(ids).compare_runs,
      component: 'Answers',
      baseline: 'A',
      candidate: 'B',
    })
    expect(byName).toEqual({ ...byId, looks: expect.anything(), looking: expect.anything() })
    const items = await agent.call('get_dataset_items', { component: 'Answers', dataset: 'Questions' })
    expect(items.rows).not.toHaveLength(0)
    expect(await agent.fail('list_worst_cases', { component: 'Answers', run: 'C' })).toMatch(/^Run named "C" not found/)
  })

  it('of a read-only key are those that read; others are denied, change nothing and are in the audit log', async () => {
    const { workspaceId, ids, client, component, datasetId } = await seed()
    const agent = await agentWithRole(workspaceId, 'viewer')
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(READ_TOOLS)
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true })
    const before = (await client.get(`${component}/datasets/${datasetId}`)).text
    const calls = callsOf(ids)
    for (const name of [
      'create_dataset_from_traces',
      'annotate_trace',
      'start_evaluation',
      'start_trial',
      'start_experiment',
      'save_prompt_version',
    ])
      expect(await agent.fail(name, calls[name])).toMatch(
        /^This request requires the role \w+; yours is viewer\. Use an API key/,
      )
    expect((await client.get(`${component}/datasets/${datasetId}`)).text).toBe(before)
    expect((await client.get(`${component}/prompts/${ids.promptId}/versions`)).body.data).toHaveLength(1)
    expect(await client.list(`${component}/runs/${ids.candidate}/annotations`)).toEqual([])
    const admin = await app().newPerson([{ workspaceId, role: 'admin' }])
    await until(async () => {
      const { text } = await app().asPerson(admin, workspaceId).get('/audit-log')
      expect(text).toContain('POST /components/:componentId/evaluations')
    })
  })

  it('of an annotator include annotations, but neither datasets nor evaluations', async () => {
    const { workspaceId } = await seed()
    const { tools } = await (await agentWithRole(workspaceId, 'annotator')).client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toContain('annotate_trace')
    expect(names).not.toContain('create_dataset_from_traces')
    expect(names).not.toContain('start_evaluation')
    expect(names).not.toContain('start_trial')
    expect(names).not.toContain('start_experiment')
    expect(names).not.toContain('save_prompt_version')
    expect(tools.find(({ name }) => name === 'annotate_trace')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    })
  })

  it('do not reveal ratings of a blind run to a rater who has not rated', async () => {
    const { workspaceId, ids, client, component, candidate } = await seed()
    await client.send('PUT', `${component}/runs/${ids.candidate}/annotation-policy`, { body: { blind: true } })
    const [judge, rater] = await newRaters(app(), { workspaceId, count: 2 })
    for (const traceDbId of candidate.traceIds)
      await judge?.client.create(`${component}/runs/${ids.candidate}/annotations`, {
        traceDbId,
        rating: 'negative',
        comment: 'a-secret-comment',
      })
    const config = { evaluators: [{ type: 'humanRating', name: 'people' }], baselineRunId: ids.baseline }
    const { datasetId, candidate: runId } = ids
    const evaluationId = await client.create(`${component}/evaluations`, { datasetId, runId, config })
    const at = `${component}/evaluations/${evaluationId}`
    await until(async () => expect((await client.get(at)).body.status).toBe('completed'))
    const calls = { ...callsOf({ ...ids, evaluationId }), of_trace: { traceId: ids.traceId } }
    const texts = async (agent: Agent) => {
      const read: string[] = []
      for (const [name, args] of Object.entries(calls)) {
        const tool = name === 'of_trace' ? 'list_annotations' : name
        if (READ_TOOLS.includes(tool)) read.push((await agent.read(tool, args)).text)
      }
      return read.join('\n')
    }
    const blind = await texts(await connectAgent(app().url, rater?.key ?? ''))
    expect(blind).not.toMatch(/a-secret-comment|"rating":"negative"|"name":"people","mean"/)
    const [admin] = await newRaters(app(), { workspaceId, count: 1, role: 'admin' })
    const seen = await texts(await connectAgent(app().url, admin?.key ?? ''))
    for (const part of ['a-secret-comment', '"rating":"negative"', '"name":"people","mean":0'])
      expect(seen).toContain(part)
  })

  it('annotate as the owner of the key, and keep the fields that are not given', async () => {
    const { workspaceId, ids, client, component } = await seed()
    const agent = await agentWithRole(workspaceId, 'annotator')
    await agent.call('annotate_trace', { traceId: ids.traceId, rating: 'positive' })
    const saved = await agent.call('annotate_trace', { traceId: ids.traceId, comment: 'good' })
    expect(saved).toMatchObject({ rating: 'positive', comment: 'good' })
    const inRun = { traceId: ids.traceId, component: ids.componentId, run: ids.candidate }
    await agent.call('annotate_trace', { ...inRun, rating: 'negative' })
    const [annotation] = await client.list(`${component}/runs/${ids.candidate}/annotations`)
    expect(annotation).toMatchObject({ rating: 'negative', userId: saved.userId })
    const { rows } = await agent.call('list_annotations', { traceId: ids.traceId })
    expect(rows.map(({ rating }) => rating).sort()).toEqual(['negative', 'positive'])
    expect(await agent.fail('annotate_trace', { traceId: ids.traceId })).toBe('A rating or a comment is required.')
  })

  it('create datasets from ids and from queries, and nothing if the query is invalid or finds nothing', async () => {
    const { workspaceId, ids, client, component, candidate } = await seed()
    const { componentId } = ids
    const agent = await agentWithRole(workspaceId, 'editor')
    const create = 'create_dataset_from_traces'
    const byIds = await agent.call(create, { component: componentId, name: 'Ids', traceIds: candidate.traceIds })
    expect(byIds).toMatchObject({ name: 'Ids', added: 3 })
    const byQuery = await agent.call(create, {
      component: componentId,
      name: 'Query',
      query: 'status:ok',
      max: 2,
      expected: 'output',
    })
    expect(byQuery).toMatchObject({ name: 'Query', added: 2, skipped: 0 })
    const { rows } = await agent.call('get_dataset_items', { component: componentId, dataset: byQuery.datasetId })
    expect(rows).toHaveLength(2)
    const count = (await client.list(`${component}/datasets`)).length
    expect(await agent.fail(create, { component: componentId, name: 'X', query: 'status:(' })).toMatch(
      /^The query is invalid/,
    )
    expect(await agent.fail(create, { component: componentId, name: 'X', query: 'tag:none' })).toMatch(
      /^No trace matches/,
    )
    expect(await agent.fail(create, { component: componentId, name: 'X' })).toMatch(/^Either traceIds or query/)
    expect(await client.list(`${component}/datasets`)).toHaveLength(count)
  })

  it('start evaluations after an estimate, and return their results', async () => {
    const { workspaceId, ids } = await seed()
    const { componentId, datasetId, candidate } = ids
    const agent = await agentWithRole(workspaceId, 'editor')
    const config = { evaluators: [{ type: 'latency', maxMs: 1_000 }] }
    const request = { component: componentId, dataset: datasetId, run: candidate, config }
    const estimate = await agent.call('start_evaluation', { ...request, dryRun: true })
    expect(estimate).toMatchObject({ cases: 3, calls: 0 })
    expect(estimate).not.toHaveProperty('id')
    const { id } = await agent.call('start_evaluation', request)
    const done = await until(async () => {
      const evaluation = await agent.call('get_evaluation', { component: componentId, evaluationId: id })
      expect(evaluation.status).toBe('completed')
      return evaluation
    })
    expect(done).toMatchObject({ progress: { total: 3, done: 3 }, metrics: [{ name: 'latency', n: 3 }] })
    const wrong = { ...request, config: { evaluators: [{ type: 'none' }] }, dryRun: true }
    expect(await agent.fail('start_evaluation', wrong)).toMatch(/none/)
  })

  it('estimate a trial, start it, and return its variants with the failed calls by reason', async () => {
    const { workspaceId, ids, client, component } = await seed()
    const agent = await agentWithRole(workspaceId, 'editor')
    const variants = ['old', 'new'].map((queue) => ({ name: queue, target: { type: 'worker', queue } }))
    const evaluation = { evaluators: [{ type: 'contains', name: 'right', value: 'new' }] }
    const request = { component: 'Answers', dataset: 'Questions', plan: { name: 'both', variants, evaluation } }
    const estimate = await agent.call('start_trial', { ...request, dryRun: true })
    expect(estimate).toMatchObject({ calls: 6, missing: [] })
    expect(estimate).not.toHaveProperty('id')
    const started = await agent.call('start_trial', request)
    expect(started).toMatchObject({ name: 'both', runs: [{ variant: 'old' }, { variant: 'new' }] })
    const waiting = variants.map(({ name }) => ({ reason: 'worker', variant: name, calls: 3 }))
    await until(async () =>
      expect(await agent.call('get_trial', { component: ids.componentId, trialId: started.id })).toMatchObject({
        waiting,
      }),
    )
    const path = `${component}/trials/${started.id}/calls`
    for (const { name: queue } of variants)
      await until(async () => {
        const { body } = await client.post(`${path}/lease`, { queue, max: 10 })
        for (const { id, lease } of Object(body).calls)
          await client.post(`${path}/${id}/${queue === 'old' && id === 1 ? 'fail' : 'complete'}`, {
            lease,
            ...(queue === 'old' && id === 1 ? { error: 'no model' } : { output: queue }),
          })
        const { progress } = Object((await client.get(`${component}/trials/${started.id}`)).body)
        expect(progress.done + progress.failed).toBe(queue === 'old' ? 3 : 6)
      })
    const trial = await until(async () => {
      const found = await agent.call('get_trial', { component: ids.componentId, trialId: started.id })
      expect(found.status).toBe('completed')
      return found
    })
    expect(trial).toMatchObject({
      progress: { total: 6, done: 5, failed: 1 },
      failures: [{ variant: 'old', reason: 'no model', calls: 1 }],
      rows: [
        { name: 'old', failed: 1 },
        { name: 'new', done: 3, comparison: { summary: expect.any(String) } },
      ],
    })
    expect(await agent.fail('start_trial', { ...request, plan: { variants: [{ target: { type: 'x' } }] } })).toMatch(
      /type/,
    )
  })

  it('reject wrong arguments in the words of the API', async () => {
    const { workspaceId, ids } = await seed()
    const agent = await agentWithRole(workspaceId, 'editor')
    const { componentId } = ids
    expect(await agent.fail('list_runs', {})).toBe('The field component is required.')
    expect(await agent.fail('list_runs', { component: 'x' })).toMatch(/^Component named "x" not found\. Names and ids/)
    expect(await agent.fail('list_runs', { component: componentId, limit: 101 })).toBe(
      'The field limit must be at most 100.',
    )
    expect(await agent.fail('list_runs', { component: componentId, of: 1 })).toBe('The field of is not known.')
    expect(await agent.fail('list_runs', { component: componentId, cursor: '%' })).toMatch(
      /^The query parameter cursor must be/,
    )
    expect(await agent.fail('compare_runs', { ...callsOf(ids).compare_runs, cursor: '-1' })).toMatch(/cursor/)
    expect(await agent.fail('search_traces', { query: 'latency:>fast' })).toMatch(/^The query is invalid at character/)
    expect(await agent.fail('no_such_tool')).toMatch(/^There is no tool no_such_tool; tools\/list/)
  })
})

/** The random word of a result. */
function withoutWord(text: string): string {
  return text.replace(/[0-9a-f]{16}/g, 'word')
}
