/** What frameworks put around questions and answers: each row is the input or output of a root, as a library sends it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerIn, questionIn } from '../../src/traces/semconv/messages/question-and-answer.ts'
import { combineContent, ownContent } from '../../src/traces/trace-content.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function asked(value: unknown, kind?: string): string {
  const said = questionIn(textOf(value), kind)
  return typeof said === 'string' ? said : said.text
}

function answered(value: unknown, kind?: string): string {
  const said = answerIn(textOf(value), kind)
  return typeof said === 'string' ? said : said.text
}

const lc = (name: string, kwargs: object) => ({ lc: 1, type: 'constructor', id: ['langchain', name], kwargs })
const autoGen = (source: string, content: unknown, type = 'TextMessage') => ({
  id: 'm1',
  source,
  models_usage: null,
  metadata: {},
  created_at: '2026-11-18T01:29:52Z',
  content,
  type,
})
const PRINTED =
  "id='8b' source='user' models_usage=None created_at=datetime.datetime(2026, 11, 18, 1, 29) content='Hi?' type='TextMessage'"
const USER = { role: 'user', content: 'Hi?' }
const history = [
  { role: 'user', content: 'I am Ada.' },
  { role: 'assistant', content: 'Hello, Ada.' },
]

describe('the question inside', () => {
  it.each<[string, unknown]>([
    [
      'what LangChain passes to callbacks',
      { inputs: { question: 'Hi?' }, tags: ['t'], metadata: {}, kwargs: { name: 'x' } },
    ],
    ['inputs of a sequence', { inputs: 'Hi?', tags: [], metadata: { a: 'b' }, kwargs: { run_type: 'chain' } }],
    ['a serialized prompt', lc('ChatPromptValue', { messages: [lc('HumanMessage', { content: 'Hi?' })] })],
    ['a chunk of a serialized message', lc('HumanMessageChunk', { content: 'Hi?' })],
    ['prompts', { prompts: ['Hi?'] }],
    [
      'messages of a role and a text',
      {
        messages: [
          ['system', 'Be kind.'],
          ['human', 'Hi?'],
        ],
      },
    ],
    [
      'a printed message of Haystack',
      { messages: ["ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='Hi?')], _name=None)"] },
    ],
    [
      'a request of Google ADK',
      { model: 'm', config: { labels: {} }, contents: [{ parts: [{ text: 'Hi?' }], role: 'user' }] },
    ],
    ['a chain with its history', { input: 'Hi?', chat_history: history }],
    ['a chat engine with its history', { message: 'Hi?', chat_history: history }],
    ['an empty history', { input: 'Hi?', chat_history: [] }],
    ['a task with settings', { task: 'Hi?', cancellation_token: null, output_task_messages: true }],
    ['a message of AutoGen', { messages: [autoGen('user', 'Hi?')] }],
    ['a printed message of AutoGen', { messages: [PRINTED], cancellation_token: '<autogen.Token object at 0x7f>' }],
    ['a printed message of LangChain', "content='Hi?' additional_kwargs={} response_metadata={}"],
    ['a printed object of LangChain', "HumanMessage(content='Hi?', additional_kwargs={})"],
    ['a pipeline with one component', { data: { llm: { messages: [USER] } } }],
    ['JSON in a string in a wrapper', { args: [JSON.stringify({ messages: [USER] })], kwargs: {} }],
    ['an empty text part', [{ role: 'user', content: [{ type: 'text' }, { type: 'text', text: 'Hi?' }] }]],
  ])('%s is its text', (_, value) => {
    expect(asked(value)).toBe('Hi?')
  })

  it('several variables is JSON without the wrapper', () => {
    const variables = { mood: 'kind', q: 'Say hello' }
    expect(asked({ inputs: variables, tags: [], metadata: null, kwargs: { name: 'my-chain' } })).toBe(
      JSON.stringify(variables),
    )
    expect(asked({ args: [], kwargs: variables })).toBe(JSON.stringify(variables))
    expect(asked({ data: { r: { query: 'a' }, b: { question: 'a' } } })).toBe(
      '{"r":{"query":"a"},"b":{"question":"a"}}',
    )
    expect(asked({ question: 'Hi?', context: 'It is late.' })).toBe('{"question":"Hi?","context":"It is late."}')
  })

  it.each<[unknown, string]>([
    [{ type: 'document', url: 'gs://docs/a/travel.pdf', mime_type: 'application/pdf' }, '[file travel.pdf]'],
    [{ type: 'document', name: 'report.pdf', mime_type: 'application/pdf' }, '[file report.pdf]'],
    [
      {
        type: 'document',
        title: 'report.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      },
      '[file report.pdf]',
    ],
    [{ type: 'file', file: { file_id: 'file-1', filename: 'report.pdf' } }, '[file report.pdf]'],
    [{ type: 'file', mime_type: 'application/pdf', file_id: 'file-1' }, '[file file-1]'],
    [{ type: 'file', modality: 'image', file_id: 'file-1' }, '[image]'],
    [{ type: 'image' }, '[image]'],
    [{ type: 'document', mime_type: 'application/pdf' }, '[file]'],
  ])('a message with %j has a placeholder for it', (part, placeholder) => {
    expect(asked([{ role: 'user', content: [{ type: 'text', text: 'Read.' }, part] }])).toBe(`Read.\n${placeholder}`)
  })

  it('an embedding is the text or the list of texts, in messages or in a request', () => {
    expect(asked({ input: ['a', 'b'], model: 'm', encoding_format: 'base64' }, 'embedding')).toBe('["a","b"]')
    expect(asked({ input: ['a'], model: 'm' }, 'embedding')).toBe('a')
    expect(asked([USER, USER], 'embedding')).toBe('["Hi?","Hi?"]')
  })
})

describe('the answer inside', () => {
  it.each<[string, unknown]>([
    ['what LangChain passes to callbacks', { outputs: { output: 'Ho!' }, kwargs: { tags: ['seq:step:1'] } }],
    ['a finished agent', { return_values: { output: 'Ho!' }, log: 'Final Answer: Ho!' }],
    ['a chain that returns its input', { input: 'Hi?', output: 'Ho!' }],
    ['a chain that returns its history', { question: 'Hi?', chat_history: history, answer: 'Ho!' }],
    ['a retrieval chain', { query: 'Hi?', result: 'Ho!', source_documents: [{ page_content: 'x' }] }],
    ['an answer with its context', { input: 'Hi?', context: [{ page_content: 'x' }], answer: 'Ho!' }],
    ['an answer with its reasoning', { reasoning: 'I think.', answer: 'Ho!' }],
    [
      'a crew',
      { raw: 'Ho!', pydantic: null, json_dict: null, tasks_output: [{ raw: 'Ho!', name: 'x' }], token_usage: {} },
    ],
    [
      'a task of a crew',
      { description: 'x', raw: 'Ho!', pydantic: null, json_dict: null, agent: 'a', messages: [USER] },
    ],
    ['a team', { messages: [autoGen('user', 'Hi?'), autoGen('one', 'Ho!')], stop_reason: 'max' }],
    ['a response of an agent of AutoGen', { chat_message: autoGen('one', 'Ho!'), inner_messages: [] }],
    [
      'an agent of LlamaIndex',
      {
        response: { role: 'assistant', blocks: [{ block_type: 'text', text: 'Ho!' }] },
        tool_calls: [{ tool_name: 'get_weather', tool_kwargs: {}, tool_id: 'c' }],
        raw: { id: 'x', choices: [] },
        current_agent_name: 'Agent',
      },
    ],
    ['a step of an agent', { text: 'Ho!', files: [], reasoning: [], warnings: [{ type: 'unsupported' }] }],
    ['a node of a graph', { agent: { messages: [{ type: 'ai', content: 'Ho!' }] } }],
    ['a component of a pipeline', { llm: { replies: ['Ho!'], meta: [{ model: 'm' }] } }],
    ['generations without messages', { generations: [[{ text: 'Ho!' }]] }],
    ['a printed message', "content='Ho!' response_metadata={'finish_reason': 'stop'} id='run-1'"],
    ['text in quotes in a string', JSON.stringify(JSON.stringify('Ho!'))],
  ])('%s is its text', (_, value) => {
    expect(answered(value)).toBe('Ho!')
  })

  it.each<[string, unknown]>([
    ['an empty text part', [{ role: 'assistant', contents: [{ type: 'text' }], tool_calls: [call('c')] }]],
    ['an empty text', { text: '', toolCalls: [{ toolCallId: 'c', toolName: 'get_weather', args: { city: 'Bern' } }] }],
    ['nothing', [{ role: 'assistant', content: null, tool_calls: [call('c')] }]],
    [
      'a list of AutoGen',
      autoGen('one', [{ id: 'c', name: 'get_weather', arguments: '{"city":"Bern"}' }], 'ToolCallRequestEvent'),
    ],
  ])('tool calls with %s is the calls', (_, value) => {
    expect(answered(value)).toBe('get_weather({"city":"Bern"})')
  })

  function call(id: string) {
    return { id, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } }
  }

  it('data stays as it is', () => {
    for (const data of [
      { city: 'Zürich', degrees: 21 },
      { q: 'HI', a: 'Ho!' },
      { data: { x: 'y' }, message: 'ok' },
      { address: { text: 'Bern' } },
      { answer: 'Ho!', confidence: 'high' },
      [1, 2, 3],
      [
        [1, 2],
        [3, 4],
      ],
      ['Zürich'],
    ]) {
      expect(answered(data)).toBe(JSON.stringify(data))
    }
  })

  it('an embedding is not its numbers', () => {
    const vector = [0.1, 0.2, 0.3]
    expect(answered({ data: [{ embedding: vector, index: 0 }], model: 'm' }, 'embedding')).toBe(
      '[1 vector of 3 numbers]',
    )
    expect(answered([vector, vector], 'chain')).toBe('[2 vectors of 3 numbers]')
    expect(answered(Array(64).fill(0.5), 'chain')).toBe('[1 vector of 64 numbers]')
  })

  it('an error is none', () => {
    expect(answered({ error_code: 'X', error_message: 'no', invocation_id: 'e', author: 'a' })).toBe('none')
    expect(answered({ lc: 1, type: 'not_implemented', id: ['x'], repr: 'X()' })).toBe('none')
  })
})

/** Each puts one value around another, as frameworks do. */
const WRAPPERS: readonly ((inside: unknown) => unknown)[] = [
  (inside) => ({ input: inside }),
  (inside) => ({ inputs: inside, tags: ['t'], metadata: { a: 'b' }, kwargs: { name: 'n' } }),
  (inside) => ({ args: [inside], kwargs: {} }),
  (inside) => ({ args: ['<Bot object at 0x7f>', inside], kwargs: {} }),
  (inside) => ({ question: inside, history: [], stream: true, id: 'abc' }),
  (inside) => ({ task: inside, max_steps: 3 }),
  (inside) => JSON.stringify(inside),
]

it('the question is found in any nesting of wrappers', () => {
  const text = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z?]$/)
  fc.assert(
    fc.property(text, fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 3 }), (question, wrappers) => {
      const messages = {
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: question },
        ],
      }
      expect(asked(wrappers.reduceRight((inside, wrap) => wrap(inside), question as unknown))).toBe(question)
      expect(asked(wrappers.reduceRight((inside, wrap) => wrap(inside), messages as unknown))).toBe(question)
    }),
    { numRuns: 60 },
  )
})

describe('the question of an agent that lists all of its messages', () => {
  const retry = { role: 'user', content: '1 validation error. Try again.' }
  const content = (messages: unknown, firstCall: unknown, kind = 'agent') => {
    const top = { kind, input: JSON.stringify(messages), output: 'Ho!' }
    return combineContent(ownContent(top), {
      top,
      first: { kind: 'llm', input: JSON.stringify(firstCall), output: null },
    })
  }

  it('is the last user message of the first model call, and not the prompt to try again', () => {
    expect(content([USER, { role: 'assistant', content: 'x' }, retry], [USER]).input).toBe('Hi?')
    expect(content([...history, USER, retry], [...history, USER]).input).toBe('Hi?')
    expect(content([...history, USER], [...history, USER]).input).toBe('Hi?')
  })

  it('is its own last user message if the call was asked something else', () => {
    expect(content([...history, USER], [{ role: 'user', content: 'Summarize.' }]).input).toBe('Hi?')
    expect(content([...history, USER], []).input).toBe('Hi?')
  })

  it('is the last user message of the first model call if it has none', () => {
    expect(content([], [...history, USER]).input).toBe('Hi?')
    expect(content([{ role: 'system', content: 'Be kind.' }], [USER]).input).toBe('Hi?')
  })
})
