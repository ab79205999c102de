// @module-tag sql
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import { type Row, seedPlayground } from '../playground/trying.ts'
import { experimentWith, isReflection } from './seed-experiment.ts'

/** All forms in which test cases of the original service say that no tool should be called. */
const NO_TOOL = [
  ...['', 'none', 'no tool', 'no-tool', 'no_tool', 'no tool call', 'no-tool-call', 'no_tool_call', 'no tools'],
  ...['no_tools', 'n/a', 'na', '-', '__NO_TOOL__', 'None', 'no tool calls'],
]

const TOOLS = [
  { name: 'get_weather', description: 'Weather.', inputSchema: { type: 'object', properties: { city: {} } } },
  { name: 'book-table', description: 'Tables.' },
]

/** A third each: of the weather, of tables, and of nothing that a tool is for. */
const TEST_CASES = NO_TOOL.flatMap((expectedTool, place) => [
  { query: `weather ${place}`, expectedTool: place % 2 === 0 ? 'get_weather' : 'GET_WEATHER' },
  { query: `table ${place}`, expectedTool: 'book-table' },
  { query: `nothing ${place}`, expectedTool },
])

type Asked = { function: { name: string; description?: string } }

/** Calls the tool whose description has the kind of the question; else the first tool, until the system prompt forbids it. */
function callOf(request: AskedRequest): { body: string } | undefined {
  if (isReflection(request)) return undefined
  const tools: Asked[] = Object(request.body.tools)
  const [kind = ''] = request.user.split(' ')
  const fitting = tools.find(({ function: { description = '' } }) => description.includes(`(${kind})`))
  const tool = fitting ?? (request.system.includes('Only if one fits.') ? undefined : tools[0])
  if (!tool) return undefined
  const calls = [{ id: 'call_1', type: 'function', function: { name: tool.function.name, arguments: '{}' } }]
  const message = { role: 'assistant', content: null, tool_calls: calls }
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
  return {
    body: JSON.stringify({ model: 'model-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }),
  }
}

function answer(request: AskedRequest): unknown {
  if (!isReflection(request)) return 'I know it.'
  const { prompt, tools }: { prompt: { messages: Row[] }; tools: Row[] } = JSON.parse(request.user)
  const [system, ...rest] = prompt.messages
  const described: Row[] = tools.map(({ function: own }) => Object(own))
  return {
    diagnosis: 'unclear',
    prompt: { messages: [{ role: 'system', content: `${system?.content} Only if one fits.` }, ...rest] },
    tools: described.map(({ name }) => ({ name, description: name === 'get_weather' ? '(weather)' : '(table)' })),
  }
}

describeEachEngine('an experiment on the selection of tools', (app) => {
  it('improves descriptions and the system prompt, and is deployed, on the paths of the original service', async () => {
    const of = await seedPlayground(app(), { answer, misbehaviour: callOf })
    const { client, componentId } = of
    const body = { aiComponentId: componentId, tools: TOOLS, testCases: TEST_CASES, toolSource: 'manual' }
    const described = {
      ...body,
      systemPrompt: 'Help.',
      optimizeSystemPrompt: true,
      trainSplitRatio: 0.5,
      name: 'Tools',
    }
    const created = await client.post('/experiments/tool-selection', described)
    expect(created, created.text).toMatchObject({ status: 201, body: { systemPrompt: 'Help.', tokensUsed: 0 } })
    expect(created.body).toMatchObject({ optimizeSystemPrompt: true, optimizedSystemPrompt: null })
    const path = `/experiments/${created.body.id}`
    expect(await client.post(`${path}/start`, undefined)).toMatchObject({ status: 200, body: { status: 'scheduled' } })
    await experimentWith(client, `/components/${componentId}/experiments/${created.body.id}`)
    const experiment = (await client.get(path)).body
    expect(experiment, JSON.stringify(experiment)).toMatchObject({
      experimentStatus: 'completed',
      taskType: 'toolSelection',
      systemPrompt: 'Help.',
      optimizedSystemPrompt: 'Help. Only if one fits.',
    })
    expect(Number(experiment.tokensUsed)).toBeGreaterThan(100)

    const [start] = await client.list(`${path}/iterations`)
    expect(start).toMatchObject({
      iterationNumber: 0,
      prompt: 'Help.',
      selectionSystemPrompt: 'Help.',
      toolDescriptions: { get_weather: 'Weather.', 'book-table': 'Tables.' },
      avgPredictionLatencyMs: expect.any(Number),
    })
    expect(Number(start?.overallNormalizedScore)).toBeLessThan(0.6)
    const best = (await client.get(`${path}/iterations/best`)).body
    expect(best).toMatchObject({
      evalNormalizedScore: 1,
      selectionSystemPrompt: 'Help. Only if one fits.',
      toolDescriptions: { get_weather: '(weather)', 'book-table': '(table)' },
      scores: [{ evaluatorName: 'Tool selection', evaluatorType: 'toolSelection', score: 1, rawScore: 1 }],
    })

    const deployment = `/components/${componentId}/deployment`
    expect(await client.post(deployment, { experimentId: experiment.id })).toMatchObject({ status: 201 })
    expect((await client.get(deployment)).body).toMatchObject({ experimentId: experiment.id, experiment })
    expect((await client.get(`${deployment}/prompt`)).body).toMatchObject({
      prompt: 'Help. Only if one fits.',
      iterationId: best.id,
      score: 1,
      model: 'model-1',
    })

    const continued = await client.post(`${path}/duplicate`, { continueFromOptimized: true })
    expect(continued.body, continued.text).toMatchObject({ systemPrompt: 'Help. Only if one fits.' })
    const copied = await client.patch(`/experiments/${continued.body.id}`, { initialPrompt: 'Other.' })
    expect(copied.body).toMatchObject({ systemPrompt: 'Other.', initialPromptMessages: [{ content: 'Other.' }, {}] })
  })

  it('is rejected with a tool whose name stands for no tool', async () => {
    const of = await seedPlayground(app(), { answer: () => 'x' })
    const tools = [...TOOLS, { name: 'no_tool', description: '' }]
    const body = { aiComponentId: of.componentId, tools, testCases: TEST_CASES }
    expectError(await of.client.post('/experiments/tool-selection', body), 400)
  })
})
