import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mapMessages } from '../../src/traces/semconv/messages/map-messages.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'
import { spanWith } from './golden-spans.ts'

function partsOf(content: AttributeValue) {
  return mapMessages(spanWith({ 'input.value': [{ role: 'user', content }] }))?.input[0]?.parts
}

describe('parts of messages', () => {
  it.each([
    ['OpenAI', { type: 'image_url', image_url: { url: 'https://e.x/a.png', detail: 'low' } }],
    ['OpenAI Responses', { type: 'input_image', image_url: 'https://e.x/a.png', detail: 'low' }],
    ['Anthropic', { type: 'image', source: { type: 'url', url: 'https://e.x/a.png' }, detail: 'low' }],
    ['OpenInference', { type: 'image', image: { image: { url: 'https://e.x/a.png' } }, detail: 'low' }],
    ['Vercel AI SDK', { type: 'image', image: 'https://e.x/a.png', detail: 'low' }],
    ['GenAI', { type: 'uri', uri: 'https://e.x/a.png', mime_type: 'image/*', detail: 'low' }],
  ])('an image of %s is media', (_, part) => {
    expect(partsOf([part])).toEqual([
      { type: 'media', mediaType: 'image/*', url: 'https://e.x/a.png', data: null, extra: { detail: 'low' } },
    ])
  })

  it.each([
    ['Anthropic', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }],
    ['Vercel AI SDK', { type: 'file', mediaType: 'application/pdf', data: 'JVBE' }],
    ['Vercel AI SDK 7', { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'JVBE' } }],
    ['GenAI', { type: 'blob', mime_type: 'application/pdf', content: 'JVBE' }],
    ['Gemini', { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } }],
  ])('a file of %s is media', (_, part) => {
    expect(partsOf([part])).toEqual([{ type: 'media', mediaType: 'application/pdf', url: null, data: 'JVBE' }])
  })

  it('a sound of OpenAI is media', () => {
    expect(partsOf([{ type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } }])).toEqual([
      { type: 'media', mediaType: 'wav', url: null, data: 'UklG' },
    ])
  })

  it.each([
    ['GenAI', { type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }],
    ['GenAI with JSON', { type: 'tool_call', id: 'c1', name: 'f', arguments: '{"a":1}' }],
    ['OpenAI', { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    ['OpenAI Responses', { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }],
    ['Anthropic', { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }],
    ['Vercel AI SDK', { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: { a: 1 } }],
    ['Vercel AI SDK 4', { type: 'tool-call', toolCallId: 'c1', toolName: 'f', args: { a: 1 } }],
    ['Bedrock', { toolUse: { toolUseId: 'c1', name: 'f', input: { a: 1 } } }],
  ])('a call of %s is a tool call', (_, part) => {
    expect(partsOf([part])).toEqual([{ type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }])
  })

  it.each([
    ['GenAI schema', { type: 'tool_call_response', id: 'c1', response: { a: 1 } }],
    ['GenAI example', { type: 'tool_call_response', id: 'c1', result: { a: 1 } }],
    ['Anthropic', { type: 'tool_result', tool_use_id: 'c1', content: { a: 1 } }],
    ['OpenAI Responses', { type: 'function_call_output', call_id: 'c1', output: '{"a":1}' }],
    ['Vercel AI SDK', { type: 'tool-result', toolCallId: 'c1', output: { type: 'json', value: { a: 1 } } }],
    ['Vercel AI SDK 4', { type: 'tool-result', toolCallId: 'c1', result: { a: 1 } }],
  ])('a result of %s is a tool result', (_, part) => {
    expect(partsOf([part])).toEqual([{ type: 'tool_result', id: 'c1', name: null, result: { a: 1 } }])
  })

  it('the results that AutoGen lists as texts are tool results', () => {
    const sent = { name: 'f', content: '{"a":1}', call_id: 'c1', is_error: false }
    const span = spanWith({
      'llm.input_messages.0.message.role': 'function',
      'llm.input_messages.0.function.0': JSON.stringify(sent),
    })
    const result = { type: 'tool_result', id: 'c1', name: 'f', result: { a: 1 }, extra: { is_error: false } }
    expect(mapMessages(span)?.input).toEqual([{ role: 'function', parts: [result] }])
  })

  it.each([
    { type: 'reasoning', content: 'hm' },
    { type: 'reasoning', text: 'hm' },
    { type: 'thinking', thinking: 'hm' },
    { type: 'thinking', content: 'hm' },
  ])('%j is reasoning', (part) => {
    expect(partsOf([part])).toEqual([{ type: 'reasoning', text: 'hm' }])
  })

  it('an unknown part is shown unchanged', () => {
    const part = { type: 'hologram', text: 'x', shape: { sides: 3 } }
    expect(partsOf(['a', part])).toEqual([
      { type: 'text', text: 'a' },
      { type: 'json', value: part },
    ])
  })
})

describe('whole conversations', () => {
  const said = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]

  it.each<[string, AttributeValue]>([
    ['a text', 'Hi'],
    ['one message', { role: 'user', content: 'Hi' }],
    ['a message of LangChain', { type: 'human', content: 'Hi' }],
    ['messages', [{ role: 'user', content: 'Hi' }]],
    ['a list of conversations', [[{ role: 'user', content: 'Hi' }]]],
    ['a request', { messages: [{ role: 'user', content: 'Hi' }] }],
    ['a prompt', { prompt: 'Hi' }],
    ['a request to Gemini', { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }],
    ['parts', [{ type: 'text', text: 'Hi' }]],
  ])('%s is understood', (_, value) => {
    expect(mapMessages(spanWith({ 'input.value': value }))?.input).toEqual(said)
    if (typeof value === 'string') return
    expect(mapMessages(spanWith({ 'input.value': JSON.stringify(value) }))?.input).toEqual(said)
  })

  it('a response of OpenAI is read, and its other fields are kept', () => {
    const answer = {
      id: 'chatcmpl-1',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }],
    }
    expect(mapMessages(spanWith({ 'output.value': JSON.stringify(answer) }))?.output).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', text: 'Hello' }],
        extra: { id: 'chatcmpl-1', index: 0, finish_reason: 'stop' },
      },
    ])
  })

  it('a response of OpenAI Responses is read', () => {
    const answer = [
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}' },
    ]
    expect(mapMessages(spanWith({ 'output.value': answer }))?.output).toEqual([
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm', extra: { id: 'rs_1' } }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: {}, extra: { id: 'fc_1' } }],
      },
    ])
  })

  it('the output of a tool is a result, also in a message of LangChain', () => {
    const result = { role: 'tool', parts: [{ type: 'tool_result', id: 'c1', name: 'f', result: 'sunny' }] }
    const said = { content: 'sunny', name: 'f', tool_call_id: 'c1', additional_kwargs: {} }
    expect(mapMessages(spanWith({ 'input.value': [{ role: 'tool', ...said }] }))?.input).toEqual([result])
    expect(mapMessages(spanWith({ 'input.value': [{ type: 'tool', ...said }] }))?.input).toEqual([result])
  })

  it('a span without content has no messages', () => {
    expect(mapMessages(spanWith({ 'http.request.method': 'GET' }))).toBeNull()
  })

  it('text that only begins like JSON is text', () => {
    expect(mapMessages(spanWith({ 'input.value': '[1] see below' }))?.input[0]?.parts).toEqual([
      { type: 'text', text: '[1] see below' },
    ])
  })
})

describe('nothing that was sent renders empty', () => {
  const words = [
    ...[
      'role',
      'type',
      'content',
      'parts',
      'contents',
      'text',
      'tool_calls',
      'function',
      'function_call',
      'name',
      'id',
    ],
    ...['arguments', 'input', 'args', 'response', 'result', 'output', 'toolCallId', 'tool_call_id', 'call_id', 'image'],
    ...[
      'image_url',
      'source',
      'data',
      'url',
      'mime_type',
      'messages',
      'system',
      'prompt',
      'choices',
      'message',
      'extra',
    ],
    ...['reasoning', 'thinking', 'finish_reason', 'value', 'toolName', 'functionCall', 'inlineData', '__proto__'],
  ]
  const tags = [
    ...['text', 'thinking', 'reasoning', 'tool_call', 'tool-call', 'tool_result', 'function', 'image', 'file', 'blob'],
    ...['human', 'ai', 'tool', 'user', 'assistant', 'system', 'json', 'base64', 'https://e.x/a', '[{"type":"text"}]'],
    '{"a":"b"}',
  ]
  const { shaped } = fc.letrec<{ shaped: unknown }>((tie) => ({
    shaped: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...tags),
      fc.string(),
      fc.jsonValue(),
      fc.array(tie('shaped'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...words), tie('shaped'), { maxKeys: 5 }),
    ),
  }))
  const keys = ['gen_ai.input.messages', 'ai.prompt.messages', 'ai.prompt', 'input.value', 'langfuse.observation.input']
  const outputKeys = ['gen_ai.output.messages', 'output.value', 'ai.response.toolCalls', 'traceloop.entity.output']

  it.each([...keys, ...outputKeys])('every text of any value of %s is in its messages', (key) => {
    fc.assert(
      fc.property(shaped, fc.boolean(), (value, isText) => {
        const sent: AttributeValue = JSON.parse(JSON.stringify(value))
        const messages = mapMessages(
          spanWith({ [key]: isText && typeof sent !== 'string' ? JSON.stringify(sent) : sent }),
        )
        const shown = JSON.stringify(messages)
        for (const text of textsOf(sent)) expect(shown).toContain(JSON.stringify(text).slice(1, -1))
      }),
      { numRuns: 400 },
    )
  })

  it('an unknown role is kept, though the type implies a role', () => {
    const messages = mapMessages(spanWith({ 'input.value': [{ role: { odd: 'kept' }, type: 'ai', content: 'Hi' }] }))
    expect(JSON.stringify(messages)).toContain('kept')
  })

  /** The type of a part is shown by its form, and other words for a role by the usual one. A text that is JSON may be shown as what it says. */
  function textsOf(value: unknown, name = ''): string[] {
    if (typeof value === 'string') {
      if (name === 'type' || (name === 'role' && ['human', 'ai'].includes(value))) return []
      return /^\s*[[{"]/.test(value) ? textsOfJson(value) : [value]
    }
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([key, entry]) => textsOf(entry, key))
  }

  function textsOfJson(text: string): string[] {
    try {
      return textsOf(JSON.parse(text))
    } catch {
      return [text]
    }
  }
})
