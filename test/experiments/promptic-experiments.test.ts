import { expect, it } from 'vitest'
import { expectError, NEW_ID, TIMESTAMP } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type Playground, type Row, seedPlayground } from '../playground/trying.ts'
import { answerAtOnce, experimentWith } from './seed-experiment.ts'

async function describeExperiment(of: Playground, body: Row = {}): Promise<Row> {
  const described = { aiComponentId: of.componentId, targetModel: 'model-1', provider: 'models', ...body }
  const sent = await of.client.post('/experiments', described)
  expect(sent.status, sent.text).toBe(201)
  return sent.body
}

const EVALUATOR = { name: 'Right', type: 'f1', weight: 1 }

/** 60 cases of six rules, which the prompt does not have. */
function cases(split: (place: number) => string | undefined = () => undefined): Row[] {
  return Array.from({ length: 60 }, (_, place) => ({
    inputPayload: { input: `${'abcdef'.charAt(place % 6)}${place}` },
    expectedPayload: { value: 'right' },
    ...(split(place) !== undefined && { split: split(place) }),
  }))
}

async function seedStarted(of: Playground, added: Row[], body: Row = {}): Promise<string> {
  const { id, datasetId } = await describeExperiment(of, { initialPrompt: 'Answer.', ...body })
  const path = `/components/${of.componentId}/datasets/${datasetId}/cases`
  expect((await of.client.post(path, added)).status).toBe(201)
  expect((await of.client.post(`/experiments/${id}/evaluators`, [EVALUATOR])).status).toBe(201)
  const started = await of.client.post(`/experiments/${id}/start`, undefined)
  expect(started, started.text).toMatchObject({ status: 200, body: { status: 'scheduled' } })
  return String(id)
}

async function ended(client: Client, { componentId }: Playground, id: string): Promise<Row> {
  await experimentWith(client, `/components/${componentId}/experiments/${id}`)
  return (await client.get(`/experiments/${id}`)).body
}

describeEachEngine('/experiments', (app) => {
  it('are described with the defaults of the original service, in all their fields', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client, componentId } = of
    const created = await describeExperiment(of, { provider: undefined })
    expect(created).toEqual({
      id: NEW_ID,
      datasetId: NEW_ID,
      name: null,
      description: null,
      targetModel: 'model-1',
      provider: 'openai',
      aiComponentId: componentId,
      customProviderId: null,
      createdByUser: expect.any(String),
      experimentStatus: 'pending',
      taskType: 'classification',
      optimizer: 'prompticV2',
      tokensUsed: 0,
      promptFormat: 'single',
      initialPromptMessages: [
        { role: 'system', content: expect.any(String) },
        { role: 'user', content: '{{input}}' },
      ],
      initialPromptTokens: expect.any(Number),
      initialPredictionModelSchema: null,
      runNumber: null,
      hyperparameters: { epochs: 3, numFewShots: 8 },
      startedAt: null,
      endedAt: null,
      retries: 0,
      errorCode: null,
      errorMessage: null,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    })
    expect((await client.get(`/experiments/${created.id}`)).body).toEqual(created)
    expect(await client.list('/experiments?limit=50&offset=0')).toEqual([created])
    expect(await client.list(`/experiments?component_id=${componentId}&status=pending`)).toEqual([created])
    for (const status of ['scheduled', 'running', 'failed'])
      expect(await client.list(`/experiments?status=${status}`)).toEqual([])
    expectError(await client.get('/experiments?status=odd'), 400)
    // A view of ours, with a prompt and a dataset of its own.
    const [own] = await client.list(`/components/${componentId}/experiments`)
    expect(own).toMatchObject({ id: created.id, status: 'pending', datasetId: created.datasetId })
    const version = await client.get(`/components/${componentId}/prompts/${own?.promptId}/versions/1`)
    expect(version.body.content).toMatchObject({ model: 'model-1', messages: created.initialPromptMessages })
    expectError(await client.post('/experiments', { aiComponentId: NIL, targetModel: 'model-1' }), 404)
  })

  it('change until they are started, and are deleted with their dataset', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client, componentId } = of
    const created = await describeExperiment(of, { name: 'Labels', inputVariables: [{ name: 'text', column: 'body' }] })
    const change = { name: 'Words', initialPrompt: 'Read {text} and {other}.', hyperparameters: { epochs: 5 } }
    const patched = await client.patch(`/experiments/${created.id}`, { ...change, taskType: 'textGeneration' })
    expect(patched, patched.text).toMatchObject({
      status: 200,
      body: {
        name: 'Words',
        taskType: 'textGeneration',
        hyperparameters: { epochs: 5 },
        inputVariables: [{ name: 'text', column: 'body' }],
        initialPromptMessages: [{ role: 'user', content: 'Read {{text}} and {other}.' }],
      },
    })
    expectError(await client.patch(`/experiments/${created.id}`, { taskType: 'toolSelection' }), 400)
    await client.post(`/components/${componentId}/experiments/${created.id}/cancel`, undefined)
    const failed = (await client.get(`/experiments/${created.id}`)).body
    expect(failed).toMatchObject({ experimentStatus: 'failed', errorCode: 'canceled' })
    expectError(await client.patch(`/experiments/${created.id}`, { name: 'Late' }), 409)
    expectError(await client.post(`/experiments/${created.id}/start`, undefined), 409)
    expect(await client.send('DELETE', `/experiments/${created.id}`)).toMatchObject({ status: 204 })
    expectError(await client.get(`/experiments/${created.id}`), 404)
    expectError(await client.get(`/components/${componentId}/datasets/${created.datasetId}`), 404)
    expect(await client.list(`/components/${componentId}/prompts`)).toHaveLength(2)
  })

  it('have evaluators, in all their fields', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client } = of
    const { id } = await describeExperiment(of)
    const path = `/experiments/${id}/evaluators`
    const config = { messages: [{ role: 'system', content: 'Is {predicted} kind?' }] }
    const given = [EVALUATOR, { name: 'Kind', type: 'generalJudge', weight: 2, scaleMin: 1, scaleMax: 5, config }]
    const added = await client.post(path, given)
    const common = { id: NEW_ID, experimentId: id, description: null, createdAt: TIMESTAMP, updatedAt: TIMESTAMP }
    const expected = [
      { ...common, ...EVALUATOR, scaleMin: 0, scaleMax: 1, config: null },
      { ...common, ...given[1] },
    ]
    expect(added).toMatchObject({ status: 201, body: { data: expected } })
    expect(await client.list(path)).toEqual(Object(added.body).data)
    const [first, second]: Row[] = Object(added.body).data
    const patched = await client.patch(`${path}/${first?.id}`, { weight: 3, description: 'how often' })
    expect(patched.body).toEqual({ ...first, weight: 3, description: 'how often', updatedAt: TIMESTAMP })
    // Changes at once are all kept, and of several deletes one succeeds.
    const changes = [{ weight: 4 }, { name: 'Correct' }, { description: null }]
    await Promise.all(changes.map((change) => client.patch(`${path}/${first?.id}`, change)))
    expect((await client.list(path))[0]).toMatchObject({ weight: 4, name: 'Correct', description: null })
    const deleted = await Promise.all([1, 2, 3].map(() => client.send('DELETE', `${path}/${second?.id}`)))
    expect(deleted.map(({ status }) => status).sort()).toEqual([204, 404, 404])
    expectError(await client.send('DELETE', `${path}/${second?.id}`), 404)
    expect(await client.list(path)).toHaveLength(1)
    expectError(await client.post(path, [{ ...EVALUATOR, scaleMin: 2, scaleMax: 1 }]), 400)
    expectError(await client.post(path, [{ name: 'Odd', type: 'odd', weight: 1 }]), 400)
  })

  it('have observations, which are the cases of their dataset', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client, componentId } = of
    const { id, datasetId } = await describeExperiment(of)
    const path = `/experiments/${id}/observations`
    const given = [
      { expected: 'yes', variables: { input: 'a' }, split: 'eval' },
      { expected: 'no', variables: { text: 'b', n: 1 }, idx: '7' },
    ]
    const common = { experimentId: id, createdAt: TIMESTAMP, updatedAt: TIMESTAMP }
    const added = await client.post(path, given)
    expect(added).toMatchObject({ status: 201 })
    expect(Object(added.body).data).toEqual([
      { ...common, id: 1, idx: 0, ...given[0] },
      { ...common, id: 2, ...given[1], idx: 7, split: 'train' },
    ])
    expect(await client.list(path)).toEqual(Object(added.body).data)
    expect((await client.patch(`${path}/2`, { expected: 'maybe' })).body).toMatchObject({ expected: 'maybe', idx: 7 })
    expect(await client.send('DELETE', `${path}/1`)).toMatchObject({ status: 204 })
    const listed = await client.list(`/components/${componentId}/datasets/${datasetId}/cases`)
    expect(listed).toMatchObject([{ id: 2, inputPayload: given[1]?.variables, expectedPayload: 'maybe' }])
  })

  it('are planned when they are started, and seal a part of what clients call eval', async () => {
    const of = await seedPlayground(app(), { answer: answerAtOnce })
    const { client, componentId } = of
    const id = await seedStarted(
      of,
      cases((place) => (place < 20 ? 'train' : 'eval')),
    )
    const experiment = await ended(client, of, id)
    expect(experiment, JSON.stringify(experiment)).toMatchObject({ experimentStatus: 'completed', errorCode: null })
    const results = (await client.get(`/components/${componentId}/experiments/${id}/results`)).body
    expect(results).toMatchObject({ optimizer: 'gepa', verdict: 'tooFewCases', openings: 1, test: { items: 20 } })
    const listed = await client.list(`/components/${componentId}/datasets/${experiment.datasetId}/cases`)
    expect(listed.filter(({ split }) => split === 'eval')).toHaveLength(40)
    const iterations = await client.list(`/experiments/${id}/iterations`)
    const [start] = iterations
    expect(start).toEqual({
      id: 0,
      experimentId: id,
      iterationNumber: 0,
      prompt: 'Answer.',
      promptTokens: expect.any(Number),
      overallNormalizedScore: 0,
      evalNormalizedScore: 0,
      schemaSnapshot: null,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
      avgPredictionLatencyMs: expect.any(Number),
    })
    const best = await client.get(`/experiments/${id}/iterations/best`)
    const [evaluator] = await client.list(`/experiments/${id}/evaluators`)
    const score = { iterationId: best.body.id, score: 1, rawScore: 1, evaluatorId: evaluator?.id }
    expect(best).toMatchObject({ status: 200, body: { evalNormalizedScore: 1 } })
    expect(best.body.scores).toEqual([
      { ...score, evaluatorName: 'Right', evaluatorDescription: null, evaluatorType: 'f1' },
    ])
    expect((await client.get(`/experiments/${id}/iterations/${best.body.id}`)).body).toEqual(best.body)
    expectError(await client.get(`/experiments/${id}/iterations/999`), 404)
    expectError(await client.patch(`/experiments/${id}/evaluators/${evaluator?.id}`, { weight: 2 }), 409)
    const deployment = `/components/${componentId}/deployment`
    expect(await client.get(deployment)).toMatchObject({ status: 200, text: 'null' })
    expect(await client.get(`${deployment}/prompt`)).toMatchObject({ status: 200, text: 'null' })
    const deployed = await client.post(deployment, { experimentId: id })
    expect(deployed).toMatchObject({ status: 201, body: { aiComponentId: componentId, experimentId: id } })
    expect((await client.get(deployment)).body).toEqual({ aiComponentId: componentId, experimentId: id, experiment })
    const served = (await client.get(`${deployment}/prompt`)).body
    expect(served).toEqual({
      prompt: best.body.prompt,
      promptMessages: [
        { role: 'system', content: best.body.prompt },
        { role: 'user', content: '{{input}}' },
      ],
      promptFormat: 'single',
      model: 'model-1',
      provider: 'models',
      componentId,
      componentName: expect.any(String),
      experimentId: id,
      iterationId: best.body.id,
      score: 1,
      schemaSnapshot: null,
    })
    expect(await client.send('DELETE', deployment)).toMatchObject({ status: 204 })
    expect(await client.get(deployment)).toMatchObject({ status: 200, text: 'null' })
    expectError(await client.send('DELETE', deployment), 404)
    // A copy has the cases with their splits, also with the sealed ones.
    const continued = await client.post(`/experiments/${id}/duplicate`, { continueFromOptimized: true })
    expect(continued, continued.text).toMatchObject({
      status: 201,
      body: { experimentStatus: 'pending', modelUnavailable: false, targetModel: 'model-1' },
    })
    expect(JSON.stringify(continued.body.initialPromptMessages)).toContain('(a)(b)')
    const copied = `/components/${componentId}/datasets/${continued.body.datasetId}`
    expect((await client.get(copied)).body).toMatchObject({ itemCount: 60 })
    expect(await client.list(`${copied}/items?split=test&limit=100`)).toHaveLength(20)
    expect(await client.list(`/experiments/${continued.body.id}/evaluators`)).toMatchObject([EVALUATOR])
    const other = await client.post(`/experiments/${id}/duplicate`, { initialPromptOverride: 'Say it.' })
    expect(other.body.initialPromptMessages).toMatchObject([{ content: 'Say it.' }, { content: '{{input}}' }])
    const same = await client.post(`/experiments/${id}/duplicate`, {})
    expect(same.body.initialPromptMessages).toEqual(experiment.initialPromptMessages)
  })

  it('draw the splits of cases that are all of one kind, also by the paths of our own', async () => {
    const of = await seedPlayground(app(), { answer: answerAtOnce })
    const { client, componentId } = of
    const { id, datasetId } = await describeExperiment(of, { hyperparameters: { trainSplitRatio: 0.5 } })
    await client.post(
      `/components/${componentId}/datasets/${datasetId}/cases`,
      cases(() => 'train'),
    )
    const path = `/components/${componentId}/experiments/${id}`
    expectError(await client.post(`${path}/start`, undefined), 409)
    await client.post(`/experiments/${id}/evaluators`, [EVALUATOR])
    expect(await client.post(`${path}/start`, undefined)).toMatchObject({
      status: 202,
      body: { status: 'running', items: { train: 30, validation: 15, test: 15 } },
    })
    await ended(client, of, String(id))
  })

  it('start only with a connection for their model, and say what is missing', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client, componentId } = of
    const { id, datasetId } = await describeExperiment(of, { provider: 'google' })
    const start = () => client.post(`/experiments/${id}/start`, undefined)
    expect((await start()).body.error).toMatch(
      /No connection is named "google", and none of that kind lists the model model-1/,
    )
    await client.patch(`/experiments/${id}`, { provider: 'custom' })
    expect((await start()).body.error).toMatch(/has no evaluator/)
    await client.post(`/experiments/${id}/evaluators`, [EVALUATOR])
    expect((await start()).body.error).toMatch(/needs items in all three splits/)
    await client.post(`/components/${componentId}/datasets/${datasetId}/cases`, cases())
    expect(await start()).toMatchObject({ status: 200 })
    expectError(await start(), 409)
  })

  it('on the selection of tools are created with their tools, cases and evaluator', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const { client, componentId } = of
    const tools = [{ name: 'get_weather', description: 'Weather' }]
    const testCases = [
      { query: 'Weather in Berlin?', expectedTool: 'get_weather' },
      { query: 'Hello', expectedTool: '' },
    ]
    const body = { aiComponentId: componentId, tools, testCases, toolSource: 'manual', optimizeSystemPrompt: false }
    const created = await client.post('/experiments/tool-selection', { ...body, epochs: 2, trainSplitRatio: 0.5 })
    expect(created, created.text).toMatchObject({
      status: 201,
      body: {
        taskType: 'toolSelection',
        targetModel: 'model-1',
        experimentStatus: 'pending',
        hyperparameters: { epochs: 2, trainSplitRatio: 0.5 },
        systemPrompt: null,
        optimizeSystemPrompt: false,
      },
    })
    const { id, datasetId } = created.body
    expect(await client.list(`/experiments/${id}/evaluators`)).toMatchObject([{ type: 'toolSelection' }])
    const listed = await client.list(`/components/${componentId}/datasets/${datasetId}/cases`)
    expect(listed).toMatchObject([
      { inputPayload: { input: 'Weather in Berlin?' }, expectedPayload: 'get_weather' },
      {},
    ])
    const unknown = [{ query: 'x', expectedTool: 'other' }]
    expectError(await client.post('/experiments/tool-selection', { ...body, testCases: unknown }), 400)
    expectError(await client.post('/experiments', { ...body, targetModel: 'model-1', taskType: 'toolSelection' }), 400)
  })
})

const NIL = '01890a5d-ac96-774b-bcce-b302099a8057'
