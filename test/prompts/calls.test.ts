import { describe, expect, it } from 'vitest'
import { chatMessagesOf } from '../../src/prompts/calls/chat-messages.ts'
import { readParameters } from '../../src/prompts/calls/read-parameters.ts'
import { readResponseFormat } from '../../src/prompts/calls/read-response-format.ts'
import { readToolChoice, readTools } from '../../src/prompts/calls/read-tools.ts'

const SCHEMA = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] }
const GEMINI_SCHEMA = { type: 'OBJECT', properties: { n: { type: 'STRING' } }, required: ['n'] }
const TOOL = { name: 'find', description: 'Finds', parameters: SCHEMA }

describe('a tool of a prompt', () => {
  it.each([
    ['chat completions', { type: 'function', function: TOOL }],
    ['the Responses API', { type: 'function', ...TOOL }],
    ['Anthropic', { name: 'find', description: 'Finds', input_schema: SCHEMA }],
    ['Gemini', { functionDeclarations: [{ name: 'find', description: 'Finds', parameters: GEMINI_SCHEMA }] }],
    ['the Model Context Protocol', { name: 'find', description: 'Finds', inputSchema: SCHEMA }],
  ])('is the same in the form of %s', (_, tool) => {
    expect(readTools([tool])).toEqual([TOOL])
  })

  it('keeps strict, and has an empty schema without one', () => {
    expect(readTools([{ type: 'function', function: { name: 'a', strict: true } }])).toEqual([
      { name: 'a', parameters: { type: 'object', properties: {} }, strict: true },
    ])
  })

  it('may have properties with the names of keywords', () => {
    const parameters = {
      type: 'object',
      properties: { type: { type: 'STRING', enum: ['A'] }, enum: { type: 'NUMBER' } },
    }
    expect(readTools([{ name: 'a', parameters }])[0]?.parameters).toEqual({
      type: 'object',
      properties: { type: { type: 'string', enum: ['A'] }, enum: { type: 'number' } },
    })
  })

  it.each([
    [{ type: 'web_search_20250305', name: 'web_search' }],
    [{ googleSearch: {} }],
    [{ type: 'mcp', server_label: 'x' }],
    [{ name: 'has space' }],
    [{ name: 'a', parameters: 'x' }],
  ])('%j is rejected with a remedy', (tool) => {
    expect(() => readTools([tool])).toThrow(/remove it|use up to|must be a JSON Schema/)
  })

  it('is chosen in the form of any provider', () => {
    const tools = readTools([TOOL])
    for (const choice of [
      { name: 'find' },
      { type: 'tool', name: 'find' },
      { type: 'function', function: { name: 'find' } },
    ])
      expect(readToolChoice(choice, tools)).toEqual({ name: 'find' })
    expect(readToolChoice({ type: 'any' }, tools)).toBe('required')
    expect(() => readToolChoice({ name: 'other' }, tools)).toThrow(/with the name of a tool/)
  })
})

describe('a response format of a prompt', () => {
  it.each([
    ['chat completions', { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } }],
    ['the Responses API', { format: { type: 'json_schema', name: 'answer', schema: SCHEMA } }],
    ['Anthropic', { type: 'json_schema', schema: SCHEMA }],
    ['Gemini', { responseMimeType: 'application/json', responseSchema: GEMINI_SCHEMA }],
    ['a schema alone', SCHEMA],
  ])('is the same in the form of %s', (_, format) => {
    expect(readResponseFormat(format)).toEqual({ type: 'schema', name: 'answer', schema: SCHEMA })
  })

  it('may be JSON without a schema, or text', () => {
    expect(readResponseFormat({ type: 'json_object' })).toEqual({ type: 'json' })
    for (const text of [null, { type: 'text' }]) expect(readResponseFormat(text)).toBeUndefined()
  })
})

describe('parameters of a prompt', () => {
  it('have the names of any provider, and some that only one of them knows', () => {
    const given = {
      top_p: 0.5,
      max_output_tokens: 9,
      stop: 'x',
      reasoning_effort: 'low',
      seed: null,
      tool_choice: 'auto',
    }
    expect(readParameters(given, 'openai')).toEqual({
      parameters: { topP: 0.5, maxTokens: 9, stop: ['x'], other: { reasoning_effort: 'low' } },
      toolChoice: 'auto',
    })
    expect(() => readParameters(given, 'gemini')).toThrow(
      /"reasoning_effort" is not known for connections of kind gemini/,
    )
  })

  it.each(['n', 'model', 'messages', 'stream', 'service_tier', 'candidateCount', '__proto__x', 'constructor'])(
    'never replace what is sent otherwise, or raise its price: %s',
    (name) => {
      for (const kind of ['openai', 'anthropic', 'gemini'] as const)
        expect(() => readParameters({ [name]: 1 }, kind)).toThrow(/is not known/)
    },
  )
})

describe('messages of a placeholder', () => {
  it('may have calls of tools and their results', () => {
    const history = [
      { role: 'developer', content: 'a' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'find', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'c', content: 'b' },
    ]
    expect(chatMessagesOf(history)).toEqual([
      { role: 'system', content: 'a' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'find', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'c', content: 'b' },
    ])
    expect(() => chatMessagesOf([{ role: 'tool', content: 'b' }])).toThrow(/without "tool_call_id"/)
  })
})
