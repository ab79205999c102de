import { expect, it } from 'vitest'
import { describedTools, withDescriptions } from '../../src/experiments/tools/tool-descriptions.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import type { Row } from '../playground/trying.ts'
import {
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  iterationsOf,
  PROMPT,
  resultsOf,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const TOOLS = [
  { type: 'function', function: { name: 'search', description: 'Finds things.', parameters: { type: 'object' } } },
  { name: 'book', description: 'Books things.', input_schema: { type: 'object' } },
]
const CONTENT = { tools: TOOLS }

/** Of three kinds of questions: the tools are called if their descriptions name the kind, and the last needs none. */
const KINDS = ['s', 'b', 'n']
const ITEMS = Array.from({ length: 80 }, (_, place) => ({
  input: JSON.stringify({ question: `${KINDS[place % 3]}${place}` }),
  expected: ['search', 'book', 'no tool'][place % 3],
}))

type Asked = { function: { name: string; description?: string } }

function callOf(request: AskedRequest): { body: string } | undefined {
  if (isReflection(request)) return undefined
  const tools: Asked[] = Object(request.body.tools)
  const kind = request.user.charAt(0)
  const tool = tools.find(({ function: { description = '' } }) => description.includes(`(${kind})`))
  if (!tool) return undefined
  const calls = [{ id: 'call_1', type: 'function', function: { name: tool.function.name, arguments: '{}' } }]
  const message = { role: 'assistant', content: 'I look.', tool_calls: calls }
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
  return {
    body: JSON.stringify({ model: 'model-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }),
  }
}

function answer(request: AskedRequest): unknown {
  if (!isReflection(request)) return 'I know it.'
  const { prompt, tools }: { prompt: Row; tools: Row[] } = JSON.parse(request.user)
  const described = describedTools(tools).map(({ name, description }) => ({
    name,
    description: description.includes('(') ? description : `${description} (${name.charAt(0)})`,
  }))
  const renamed = { name: 'delete', description: 'Deletes.' }
  const changed = [{ role: 'system', content: 'Other.' }, ...Object(prompt).messages.slice(1)]
  return {
    diagnosis: 'unclear',
    prompt: { messages: changed },
    tools: [...described.slice(0, 1), renamed, ...described.slice(1)],
  }
}

describeEachEngine('experiments with tools', (app) => {
  it('find descriptions with which the expected tool is called, and change nothing else of the tools', async () => {
    const of = await seedExperiment(app(), { items: ITEMS, content: CONTENT, answer, misbehaviour: callOf })
    const { path } = await startExperiment(of, {
      evaluators: [{ type: 'toolSelection', name: 'tool' }],
      optimize: ['toolDescriptions'],
    })
    const ended = await experimentWith(of.client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', validation: { best: { mean: 1 } } })
    const results = await resultsOf(of.client, path)
    expect(results.verdict, JSON.stringify(results)).toBe('improved')
    const [finalist]: Row[] = Object(results.test).finalists
    const { body } = await of.client.get(`${of.path}/versions/${finalist?.version}`)
    const descriptions = new Map([
      ['search', 'Finds things. (s)'],
      ['book', 'Books things. (b)'],
    ])
    expect(body.content).toMatchObject({ messages: PROMPT, tools: withDescriptions(TOOLS, descriptions) })
    const rows = await iterationsOf(of.client, path)
    expect(rows[0]).toMatchObject({ toolDescriptions: null })
    expect(rows.find(({ state }) => state === 'finalist')).toMatchObject({
      toolDescriptions: [{ name: 'search', description: 'Finds things. (s)' }, { name: 'book' }],
    })
    const diff = await of.client.get(`${path}/iterations/${finalist?.iteration}/diff`)
    expect(diff.body.tools).toEqual([
      { name: 'search', before: 'Finds things.', after: 'Finds things. (s)' },
      { name: 'book', before: 'Books things.', after: 'Books things. (b)' },
    ])
  })

  it('change both by default, and descriptions of a version without tools are rejected', async () => {
    const of = await seedExperiment(app(), { items: ITEMS.slice(0, 24), content: CONTENT })
    const evaluators = [{ type: 'toolSelection', name: 'tool' }]
    const body = { evaluators, allowTooFew: true, optimizer: 'miproV2' }
    const created = await of.client.post(experimentsPath(of), experimentBody(of, body))
    expect(created.body.plan, created.text).toMatchObject({ optimize: ['messages', 'toolDescriptions'] })
    const bare = await seedExperiment(app(), { items: ITEMS.slice(0, 24) })
    const wrong = { ...body, optimize: ['toolDescriptions'] }
    const { status, text } = await bare.client.post(experimentsPath(bare), experimentBody(bare, wrong))
    expect(`${status} ${text}`).toMatch(/^400 .*the version has no tools/)
  })
})
