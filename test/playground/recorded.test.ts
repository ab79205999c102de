import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { CONTENT, FIND_INVOICE, type Playground, type Row, seedPlayground, spansOf, tried } from './trying.ts'

type Call = { id: string; name: string; arguments: string }

const call = (id: string, number: string): Call => ({ id, name: 'find_invoice', arguments: JSON.stringify({ number }) })

function calling(...calls: readonly Call[]) {
  const toolCalls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  const message = { role: 'assistant', content: null, tool_calls: toolCalls }
  return { body: JSON.stringify({ model: 'model-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }) }
}

/** An item whose trace has these spans. */
async function seedItem({ client, componentId }: Playground, spans: readonly Row[], input: unknown): Promise<string> {
  const below = `/components/${componentId}`
  const traceId = await client.create(`${below}/traces`, { name: 'agent', input, output: 'done', spans })
  const datasetId = await client.create(`${below}/datasets`, { name: 'Questions', traceIds: [traceId] })
  const [item] = await client.list(`${below}/datasets/${datasetId}/items`)
  return String(item?.id)
}

const TOOL_SPANS = [
  { name: 'find_invoice', kind: 'tool', input: { number: 'A-12' }, output: 'paid twice' },
  { name: 'find_invoice', kind: 'tool', input: { number: 'A-12' }, output: 'refunded' },
]
const INPUT = { company: 'Halden', question: 'Where is my refund?', documents: ['unused'] }
const content = { ...CONTENT, tools: [FIND_INVOICE] }

describeEachEngine('recorded answers of tools', (app) => {
  it('answer a call by its name and arguments, each in its turn, and the model goes on', async () => {
    const playground = await seedPlayground(app())
    const itemId = await seedItem(playground, TOOL_SPANS, INPUT)
    for (const id of ['c1', 'c2', 'c3']) playground.server.misbehave(calling(call(id, 'A-12')))
    const { end, events } = await tried(playground, { content, itemId, variables: {} })
    expect(end).toMatchObject({ reason: 'answered', text: 'It is on its way.', calls: 4, toolCalls: [] })
    const answers = events.flatMap(({ name, data }) => (name === 'toolCall' ? [data.answer] : []))
    expect(answers).toEqual(['paid twice', 'refunded', 'refunded'])
    const last = JSON.stringify(playground.server.requests.at(-1)?.body.messages)
    expect(last).toContain('Where is my refund?')
    expect(last).toContain('paid twice')
    const kinds = (await spansOf(playground, end.traceId)).map(({ kind }) => kind)
    expect(kinds.toSorted()).toEqual(['chain', 'llm', 'llm', 'llm', 'llm', 'tool', 'tool', 'tool'])
  })

  it('that are missing are left to the client, with those that were found in the conversation', async () => {
    const playground = await seedPlayground(app())
    const itemId = await seedItem(playground, TOOL_SPANS, INPUT)
    playground.server.misbehave(calling(call('c1', 'A-12'), call('c2', 'B-7')))
    const { end } = await tried(playground, { content, itemId, variables: {} })
    expect(end).toMatchObject({ reason: 'toolCalls', toolCalls: [call('c2', 'B-7')] })
    const toolAnswers = [{ toolCallId: 'c2', content: 'open' }]
    const next = await tried(playground, {
      content,
      itemId,
      variables: {},
      continue: { conversation: end.conversation, toolAnswers },
    })
    expect(next.end).toMatchObject({ reason: 'answered' })
    const sent = JSON.stringify(playground.server.requests.at(-1)?.body.messages)
    expect(sent).toContain('paid twice')
    expect(sent).toContain('open')
  })

  it('are read from the messages of models where a trace has no spans of tools', async () => {
    const playground = await seedPlayground(app())
    const input = [
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'x', type: 'function', function: { name: 'find_invoice', arguments: '{"number":"A-12"}' } }],
      },
      { role: 'tool', tool_call_id: 'x', content: 'sent by post' },
    ]
    const itemId = await seedItem(playground, [{ name: 'chat', kind: 'llm', model: 'm', input, output: 'ok' }], INPUT)
    playground.server.misbehave(calling(call('c1', 'A-12')))
    const { events } = await tried(playground, { content, itemId, variables: {} })
    expect(events.find(({ name }) => name === 'toolCall')?.data).toMatchObject({ answer: 'sent by post' })
  })

  it('end after ten calls of the model, with the reason', async () => {
    const playground = await seedPlayground(app(), { misbehaviour: () => calling(call('c', 'A-12')) })
    const itemId = await seedItem(playground, TOOL_SPANS, INPUT)
    const { end } = await tried(playground, { content, itemId, variables: {} })
    expect(end).toMatchObject({ reason: 'failed', calls: 10 })
    expect(end.error).toMatch(/^The model called tools in each of 10 calls/)
  })

  describe('with toolAnswers none', () => {
    it('are not used: the call is the answer, and nothing is continued', async () => {
      const playground = await seedPlayground(app())
      const itemId = await seedItem(playground, TOOL_SPANS, INPUT)
      playground.server.misbehave(calling(call('c1', 'A-12')))
      const { end } = await tried(playground, { content, itemId, variables: {}, toolAnswers: 'none' })
      expect(end).toMatchObject({ reason: 'toolCalls', toolCalls: [call('c1', 'A-12')], conversation: null, calls: 1 })
    })
  })
})
