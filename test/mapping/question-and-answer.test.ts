import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerIn, earlierTurnsIn, questionIn } from '../../src/traces/semconv/messages/question-and-answer.ts'

function asked(value: unknown): unknown {
  const said = questionIn(typeof value === 'string' ? value : JSON.stringify(value))
  return typeof said === 'string' ? said : said.text
}

function answered(value: unknown): unknown {
  const said = answerIn(typeof value === 'string' ? value : JSON.stringify(value))
  return typeof said === 'string' ? said : said.text
}

const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'messages', name],
  kwargs,
})

describe('the question', () => {
  it.each([
    ['plain text', 'Hi?'],
    ['text in quotes', '"Hi?"'],
    [
      'messages',
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi?' },
      ],
    ],
    ['parts of messages', [{ role: 'user', parts: [{ type: 'text', content: 'Hi?' }] }]],
    [
      'the last thing a person said',
      [
        { role: 'user', content: 'Ho' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: 'Hi?' },
      ],
    ],
    ['a request', { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi?' }], temperature: 0 }],
    ['a request of the Responses API', { model: 'gpt-4o', instructions: 'Be kind.', input: 'Hi?' }],
    [
      'items of the Responses API',
      [
        { role: 'user', content: 'Hi?' },
        { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' },
      ],
    ],
    ['contents of Gemini', { contents: [{ role: 'user', parts: [{ text: 'Hi?' }] }] }],
    ['the prompt of the AI SDK', { system: 'Be kind.', prompt: 'Hi?' }],
    [
      'a conversation that went on with tools',
      [
        { role: 'user', content: 'Hi?' },
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'ok' },
      ],
    ],
    [
      'a result of a tool in the name of the user',
      [
        { role: 'user', content: 'Hi?' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
      ],
    ],
    ['the arguments of a function', { args: ['Hi?'], kwargs: {} }],
    ['the arguments of a method', { args: ['<__main__.Bot object at 0x7f3146>', 'Hi?'], kwargs: {} }],
    ['named arguments', { args: [], kwargs: { question: 'Hi?' } }],
    ['inputs', { inputs: { question: 'Hi?' }, kwargs: {} }],
    ['a task with settings', { task: 'Hi?', stream: false, max_steps: 5, images: null, additional_args: {} }],
    ['a question with an empty history', { question: 'Hi?', history: [] }],
    [
      'messages of LangChain',
      { messages: [[lc('SystemMessage', { content: 'x' }), lc('HumanMessage', { content: 'Hi?', type: 'human' })]] },
    ],
    ['messages of LangGraph', { messages: [{ type: 'human', data: { content: 'Hi?', type: 'human' } }] }],
    [
      'a new message of Google',
      { user_id: 'u', session_id: 's', new_message: { role: 'user', parts: [{ text: 'Hi?' }] } },
    ],
    [
      'printed messages of LlamaIndex',
      {
        messages: [
          "ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', text='Hi?')])",
        ],
      },
    ],
    ['parts without a message', [{ text: 'Hi?' }]],
    ['JSON in JSON', JSON.stringify(JSON.stringify({ question: 'Hi?' }))],
  ])('of %s is its plain text', (_, value) => {
    expect(asked(value)).toBe('Hi?')
  })

  it('of several parts is their text, with a placeholder for other parts', () => {
    const content = [
      { type: 'text', text: 'Who is this?' },
      { type: 'image_url', image_url: { url: 'https://e.x/a.png' } },
      { type: 'file', filename: 'cv.pdf', file_data: 'JVBE' },
    ]
    expect(asked([{ role: 'user', content }])).toBe('Who is this?\n[image]\n[file cv.pdf]')
  })

  it('is not an instruction, not an empty wrapper, and not the repr of a Python object', () => {
    expect(asked([{ role: 'system', content: 'Be kind.' }])).toBe('none')
    expect(asked({ args: [], kwargs: {} })).toBe('none')
    expect(asked('')).toBe('none')
    expect(asked('StopEvent(result=AgentOutput(response=ChatMessage(role=x...')).toBe('unreadable')
    expect(asked({ ctx: '<workflows.Context object at 0x7f31464d5310>', ev: 'StartEvent()' })).toBe('unreadable')
  })

  it.each([
    '{"mood": "kind", "q": "Hi?"}',
    '{"city": "Zürich"}',
    '["one", "two"]',
    '{"question": "Hi?", "context": "It is late."}',
    '{"text": "a", "source": "b"}',
    '[{"id": 9007199254740993}]',
    'Point(x=1, y=2) is what?',
    '"Hi" she said. "Ho"',
    '{not JSON',
  ])('of data is the data as it was sent: %s', (text) => {
    expect(asked(text)).toBe(text)
  })

  it('of any text is a text, or none if it is only white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/^\s*["[{]|^[A-Z<]/.test(text))
        expect(asked(text)).toBe(text.trim() === '' ? 'none' : text)
      }),
    )
  })

  it('is found in any depth of wrappers, and no depth overflows the stack', () => {
    const wrap = (text: string, depth: number): unknown => (depth === 0 ? text : { input: wrap(text, depth - 1) })
    expect(asked(wrap('Hi?', 6))).toBe('Hi?')
    expect(typeof asked(wrap('Hi?', 60))).toBe('string')
    expect(typeof asked('{"input":'.repeat(50_000))).toBe('string')
  })
})

describe('the answer', () => {
  const call = { id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Zürich"}' } }

  it.each([
    ['plain text', 'Ho!'],
    ['a message', { role: 'assistant', content: 'Ho!' }],
    [
      'a message with what Bedrock puts behind it',
      [{ role: 'assistant', parts: [{ type: 'text', content: 'Ho!\n' }] }],
    ],
    [
      'choices',
      { id: 'x', choices: [{ index: 0, message: { role: 'assistant', content: 'Ho!' }, finish_reason: 'stop' }] },
    ],
    [
      'candidates of Gemini',
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Ho!' }] }, finishReason: 'STOP' }] },
    ],
    [
      'a response of the Responses API',
      {
        object: 'response',
        instructions: 'Be kind.',
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Ho!' }] },
        ],
      },
    ],
    [
      'generations',
      { generations: [[{ text: 'Ho!', message: lc('AIMessage', { content: 'Ho!' }) }]], llm_output: null },
    ],
    [
      'all messages of a graph',
      {
        messages: [
          { type: 'human', data: { content: 'Hi?' } },
          { type: 'ai', data: { content: 'Ho!' } },
        ],
      },
    ],
    [
      'an update of a graph',
      [{ graph: null, update: { messages: [{ type: 'ai', data: { content: 'Ho!' } }] }, goto: [] }],
    ],
    ['text and calls', { role: 'assistant', content: 'Ho!', tool_calls: [call] }],
    [
      'a message of Anthropic',
      {
        id: 'm',
        role: 'assistant',
        type: 'message',
        content: [{ type: 'text', text: 'Ho!' }],
        usage: { input_tokens: 1 },
      },
    ],
    ['an object with one answer', { output: 'Ho!' }],
    ['a crew', { raw: 'Ho!', pydantic: null, json_dict: null, token_usage: { total: 5 } }],
    [
      'a response with printed sources',
      { response: 'Ho!', source_nodes: ['<NodeWithScore(node=TextNode(id_=1), score=None)>'], metadata: { a: 'b' } },
    ],
    ['a printed object of one field', "Prediction(\n    answer='Ho!'\n)"],
  ])('of %s is its plain text', (_, value) => {
    expect(answered(value)).toBe('Ho!')
  })

  it('of only tool calls is each call on a line', () => {
    const other = { ...call, function: { name: 'get_time', arguments: '' } }
    expect(answered({ role: 'assistant', content: null, tool_calls: [call, other] })).toBe(
      'get_weather({"city":"Zürich"})\nget_time()',
    )
  })

  it('is none if a graph returns only its input', () => {
    expect(answered({ messages: [{ role: 'user', content: 'Hi?' }] })).toBe('none')
    expect(answered({ generations: [[{ text: '', message: lc('AIMessage', { content: '' }) }]] })).toBe('none')
  })
})

describe('earlier turns', () => {
  it('are all messages, if there is more than one user message', () => {
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello, Ada.' },
      { role: 'user', content: 'What is my name?' },
    ]
    expect(JSON.parse(earlierTurnsIn(JSON.stringify({ messages })) ?? '')).toEqual(messages)
    expect(earlierTurnsIn(JSON.stringify(messages.slice(0, 2)))).toBeNull()
    expect(earlierTurnsIn('What is my name?')).toBeNull()
  })
})
