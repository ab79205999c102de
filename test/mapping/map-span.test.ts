import { describe, expect, it } from 'vitest'
import { mapMetadata } from '../../src/traces/semconv/map-metadata.ts'
import { mapSpan } from '../../src/traces/semconv/map-span.ts'
import { receivedSpan, type SentSpan, spanWith } from './golden-spans.ts'

describe('precedence', () => {
  it('the convention with the highest precedence wins, for any order of the attributes', () => {
    const values = {
      'touchstone.input': 'own',
      'langfuse.observation.input': 'langfuse',
      'gen_ai.input.messages': 'gen-ai',
      'input.value': 'open-inference',
      'ai.prompt': 'vercel',
      'gen_ai.prompt': 'old',
      'traceloop.entity.input': 'traceloop',
    }
    for (let skipped = 0; skipped < Object.keys(values).length; skipped += 1) {
      const left = Object.entries(values).slice(skipped)
      const expected = left[0]?.[1]
      expect(mapSpan(spanWith(Object.fromEntries(left))).input?.text).toBe(expected)
      expect(mapSpan(spanWith(Object.fromEntries(left.reverse()))).input?.text).toBe(expected)
    }
  })

  it.each(['', null, [], {}])('an empty value (%j) leaves the word to the next convention', (empty) => {
    const { input } = mapSpan(spanWith({ 'gen_ai.input.messages': empty, 'input.value': 'hello' }))
    expect(input).toEqual({ text: 'hello', key: 'input.value' })
  })

  it('messages spread over many keys are not collected when a better convention has them in one', () => {
    const text = '[{"role":"user","content":"Hi"}]'
    const { input } = mapSpan(spanWith({ 'llm.input_messages.0.message.content': 'Ho', 'gen_ai.input.messages': text }))
    expect(input).toEqual({ text, key: 'gen_ai.input.messages' })
  })

  it('messages without content leave the word to attributes that have it, and stay readable', () => {
    for (const empty of ['[]', '[{"role": "assistant", "parts": []}]', '[{"role":"assistant","content":null}]']) {
      const span = spanWith({
        'gen_ai.output.messages': empty,
        'gen_ai.completion.0.function_call.name': 'get_weather',
      })
      expect(mapSpan(span).output?.text).toBe('[{"function_call":{"name":"get_weather"}}]')
      expect(mapMetadata(span)['gen_ai.output.messages']).toBe(empty)
    }
    const named = spanWith({ 'llm.input_messages.0.message.role': 'user', 'input.value': '{"messages":["Hi"]}' })
    expect(mapSpan(named).input).toEqual({ text: '{"messages":["Hi"]}', key: 'input.value' })
    const longest = JSON.stringify([{ role: 'user', content: 'x'.repeat(5_000) }])
    expect(mapSpan(spanWith({ 'gen_ai.input.messages': longest })).input?.text).toBe(longest)
  })

  it('the response model has precedence over the requested model, in all conventions', () => {
    expect(mapSpan(spanWith({ 'gen_ai.request.model': 'asked', 'ai.response.model': 'answered' })).model).toBe(
      'answered',
    )
    expect(mapSpan(spanWith({ 'gen_ai.request.model': 'asked' })).model).toBe('asked')
  })
})

describe('attributes of the resource', () => {
  const resource = { 'promptic.run': 'nightly', 'touchstone.component': 'bot', 'deployment.environment': 'dev' }

  it('links and the environment are taken from the resource when the span has none', () => {
    const mapped = mapSpan(receivedSpan({ name: 'x', attributes: { 'touchstone.component': 'own' }, resource }))
    expect(mapped.links).toEqual({ component: 'own', run: 'nightly' })
    expect(mapped.environment).toBe('dev')
  })

  it('a resource gives no input, model or usage: those belong to one span', () => {
    const mapped = mapSpan(
      receivedSpan({ name: 'x', attributes: {}, resource: { 'input.value': 'hi', 'gen_ai.usage.input_tokens': 5 } }),
    )
    expect(mapped.input).toBeNull()
    expect(mapped.usage).toBeNull()
  })
})

describe('displayed strings', () => {
  it('have no escape sequences of terminals, control or direction characters', () => {
    const mapped = mapSpan({
      ...spanWith({
        'gen_ai.response.model': '\u001b[1mclaude\u001b[22m-opus\u0007',
        'session.id': ' a\nb ',
        'langfuse.trace.tags': ['\u202egat\u0000'],
        'gen_ai.provider.name': '\u001b]0;title\u0007openai',
      }),
      name: 'chat\u001b[31m red\r\n',
    })
    expect(mapped.model).toBe('claude-opus')
    expect(mapped.sessionId).toBe('a b')
    expect(mapped.tags).toEqual(['gat'])
    expect(mapped.provider).toBe('openai')
    expect(mapped.name).toBe('chat red')
  })

  it('are short enough for an index', () => {
    expect(mapSpan(spanWith({ 'session.id': '😀'.repeat(5000) })).sessionId?.length).toBe(512)
    expect(mapSpan(spanWith({ 'session.id': `x${'😀'.repeat(5000)}` })).sessionId?.isWellFormed()).toBe(true)
  })

  it('messages are not changed', () => {
    expect(mapSpan(spanWith({ 'input.value': ' \u001b[1mbold\u001b[0m ' })).input?.text).toBe(
      ' \u001b[1mbold\u001b[0m ',
    )
  })
})

describe('provider', () => {
  it.each([
    ['az.ai.openai', 'azure.ai.openai'],
    ['xai', 'x_ai'],
    ['vertex_ai', 'gcp.vertex_ai'],
    ['google.vertex', 'gcp.vertex_ai'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['gemini', 'gcp.gemini'],
    ['google.generative-ai', 'gcp.gemini'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['bedrock', 'aws.bedrock'],
    ['mistral', 'mistral_ai'],
    ['mistralai', 'mistral_ai'],
    ['openai.chat', 'openai'],
    ['openai.responses', 'openai'],
    ['anthropic.messages', 'anthropic'],
    ['OpenAI', 'openai'],
    ['azure.ai.inference', 'azure.ai.inference'],
    ['My Own', 'My Own'],
    ['constructor', 'constructor'],
  ])('%s is %s', (sent, provider) => {
    expect(mapSpan(spanWith({ 'gen_ai.system': sent })).provider).toBe(provider)
  })
})

describe('status', () => {
  it.each([
    { 'ai.response.finishReason': 'error' },
    { 'gen_ai.response.finish_reasons': ['stop', 'error'] },
    { 'gen_ai.response.finish_reasons': '["error"]' },
    { 'langfuse.observation.level': 'ERROR' },
    { 'error.type': 'timeout' },
    { 'gen_ai.output.messages': [{ role: 'assistant', parts: [], finish_reason: 'error' }] },
    { 'gen_ai.output.messages': '[{"role":"assistant","parts":[],"finish_reason":"error"}]' },
  ])('%j is an error', (attributes) => {
    expect(mapSpan(spanWith(attributes)).status).toBe('error')
  })

  it.each([
    { 'ai.response.finishReason': 'stop' },
    { 'langfuse.observation.level': 'WARNING' },
    { 'gen_ai.output.messages': JSON.stringify([{ parts: [{ content: '"finish_reason":"error"' }] }]) },
  ])('%j is no error', (attributes) => {
    expect(mapSpan(spanWith(attributes)).status).toBe('unset')
  })

  it('the message is the span’s own, else the last exception, else the type of the error', () => {
    const attributes = { 'error.type': 'timeout' }
    const events = ['first', 'last'].map((message) => ({
      name: 'exception',
      attributes: { 'exception.type': 'E', 'exception.message': message },
    }))
    const messageOf = (sent: object) =>
      mapSpan(receivedSpan({ name: 'x', attributes, status: 'error', ...sent })).statusMessage
    expect(messageOf({ events, statusMessage: 'own' })).toBe('own')
    expect(messageOf({ events })).toBe('E: last')
    expect(messageOf({})).toBe('timeout')
  })

  it('an exception ends a call without a status and without an answer, and no other span', () => {
    const events = [{ name: 'exception', attributes: { 'exception.message': 'no' } }]
    const statusOf = (attributes: SentSpan['attributes'], status: 'unset' | 'ok' = 'unset') =>
      mapSpan(receivedSpan({ name: 'x', attributes, events, status })).status
    expect(statusOf({ 'traceloop.span.kind': 'workflow' })).toBe('error')
    expect(statusOf({ 'traceloop.span.kind': 'workflow', 'traceloop.entity.output': 'Ho!' })).toBe('unset')
    expect(statusOf({ 'traceloop.span.kind': 'workflow' }, 'ok')).toBe('ok')
    expect(statusOf({ 'http.method': 'GET' })).toBe('unset')
  })

  it('an exception that the span survived is no message', () => {
    const events = [{ name: 'exception', attributes: { 'exception.message': 'caught' } }]
    expect(mapSpan(receivedSpan({ name: 'x', attributes: {}, events, status: 'ok' })).statusMessage).toBeNull()
  })
})

describe('name and kind', () => {
  it('the name of an agent does not become the name of its model calls', () => {
    const agent = { 'gen_ai.agent.name': 'bot' }
    const nameOf = (operation: string) =>
      mapSpan({ ...spanWith({ ...agent, 'gen_ai.operation.name': operation }), name: `${operation} x` }).name
    expect(nameOf('chat')).toBe('chat x')
    expect(nameOf('invoke_agent')).toBe('bot')
  })

  it('a span without a name still has one', () => {
    expect(mapSpan({ ...spanWith({ 'ai.operationId': 'ai.embed.doEmbed' }), name: '' }).name).toBe('ai.embed.doEmbed')
    expect(mapSpan({ ...spanWith({}), name: '\u0007 ' }).name).toBe('span')
  })

  it.each([
    ['search_memory', 'retriever'],
    ['update_memory', 'tool'],
    ['plan', 'agent'],
    ['completion', 'llm'],
    ['generate', 'llm'],
    ['text_completion', 'llm'],
    ['constructor', 'span'],
    ['__proto__', 'span'],
  ])('the operation %s is a %s', (operation, kind) => {
    expect(mapSpan(spanWith({ 'gen_ai.operation.name': operation })).kind).toBe(kind)
  })

  it('an unknown kind falls back to the next convention', () => {
    expect(mapSpan(spanWith({ 'gen_ai.operation.name': 'dance', 'traceloop.span.kind': 'tool' })).kind).toBe('tool')
    expect(mapSpan(spanWith({ 'langfuse.observation.type': 'span', 'openinference.span.kind': 'LLM' })).kind).toBe(
      'llm',
    )
  })
})

describe('values that are JSON', () => {
  it('are the same as a text and as a structure', () => {
    const tags = ['a', 'b']
    expect(mapSpan(spanWith({ 'tag.tags': tags })).tags).toEqual(mapSpan(spanWith({ 'tag.tags': '["a","b"]' })).tags)
    const usage = { input: 1, output: 2 }
    expect(mapSpan(spanWith({ 'langfuse.observation.usage_details': usage })).usage).toEqual(
      mapSpan(spanWith({ 'langfuse.observation.usage_details': JSON.stringify(usage) })).usage,
    )
  })

  it('the instructions are put before messages of either form, and not when they are there already', () => {
    const instructions = [{ type: 'text', content: 'Be brief.' }]
    const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]
    const expected = JSON.stringify([{ role: 'system', parts: instructions }, ...messages])
    const inputOf = (system: typeof instructions | string, sent: typeof messages | string) =>
      mapSpan(spanWith({ 'gen_ai.system_instructions': system, 'gen_ai.input.messages': sent })).input
    expect(inputOf(instructions, messages)).toEqual({ text: expected, key: null })
    expect(inputOf(JSON.stringify(instructions), messages)).toEqual({ text: expected, key: null })
    expect(inputOf(instructions, JSON.stringify(messages))).toEqual({ text: expected, key: null })
    expect(inputOf(JSON.stringify(instructions), JSON.stringify(messages))).toEqual({ text: expected, key: null })
    expect(inputOf(JSON.stringify(instructions), expected)).toEqual({ text: expected, key: 'gen_ai.input.messages' })
    expect(inputOf('Be brief.', messages)?.text).toBe(expected)
  })

  it('a depth that would overflow the stack does no harm', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(mapSpan(spanWith({ 'tag.tags': deep, 'langfuse.observation.usage_details': deep })).usage).toBeNull()
  })
})

describe('messages spread over many keys', () => {
  const inputOf = (attributes: { [key: string]: string }) => mapSpan(spanWith(attributes)).input?.text ?? ''

  it('are in the order of their numbers, and holes cost nothing', () => {
    const text = inputOf({
      'llm.input_messages.999999999.message.content': 'last',
      'llm.input_messages.10.message.content': 'second',
      'llm.input_messages.9.message.content': 'first',
    })
    expect(text).toBe('[{"content":"first"},{"content":"second"},{"content":"last"}]')
  })

  it('may have any name in their keys', () => {
    const text = inputOf({
      'llm.input_messages.0.message.__proto__.polluted': 'a',
      'llm.input_messages.0.message.constructor': 'b',
      [`llm.input_messages.0.message${'.x'.repeat(10_000)}`]: 'c',
      'llm.input_messages.0.message.content': 'd',
      'llm.input_messages.0.message.content.0.text': 'e',
    })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    for (const value of ['"__proto__":{"polluted":"a"}', '"constructor":"b"', ':"c"', '"d"', '"e"']) {
      expect(text).toContain(value)
    }
  })
})
