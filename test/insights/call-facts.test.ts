import { describe, expect, it } from 'vitest'
import { finishReasonsOf } from '../../src/traces/semconv/finish-reasons.ts'
import { readCallSettings } from '../../src/traces/semconv/offered-tools.ts'
import type { AttributeValue } from '../../src/traces/storing/received-span.ts'

type Sent = Record<string, AttributeValue>

describe('why a model stopped', () => {
  const cases: [string, Sent][] = [
    ['GenAI', { 'gen_ai.response.finish_reasons': ['length'] }],
    ['GenAI, the list as JSON', { 'gen_ai.response.finish_reasons': '["length"]' }],
    ['Vercel AI SDK', { 'ai.response.finishReason': 'length' }],
    ['Vercel AI SDK 3', { 'ai.finishReason': 'length' }],
    ['OpenInference', { 'llm.finish_reason': 'LENGTH' }],
    ['OpenLLMetry', { 'gen_ai.completion.0.finish_reason': 'length' }],
    ['OpenLLMetry before', { 'llm.completions.0.finish_reason': 'length' }],
    ['metadata of a native trace', { finishReason: 'length' }],
  ]
  it.each(cases)('is read from the attributes of %s', (_, sent) => {
    expect(finishReasonsOf(new Map(Object.entries(sent)), null)).toEqual(['length'])
  })

  const answers: [string, unknown, string][] = [
    ['GenAI messages', [{ role: 'assistant', parts: [], finish_reason: 'length' }], 'length'],
    ['OpenAI', { choices: [{ message: { role: 'assistant', content: 'x' }, finish_reason: 'length' }] }, 'length'],
    ['OpenAI Responses', { incomplete_details: { reason: 'max_output_tokens' } }, 'max_output_tokens'],
    ['Anthropic', { role: 'assistant', content: [], stop_reason: 'max_tokens' }, 'max_tokens'],
    ['Gemini', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, 'max_tokens'],
    ['Bedrock', { output: {}, stopReason: 'max_tokens' }, 'max_tokens'],
    ['Ollama', { message: {}, done_reason: 'length' }, 'length'],
  ]
  it.each(answers)('is read from the response of %s', (_, answer, reason) => {
    expect(finishReasonsOf(new Map(), JSON.stringify(answer))).toEqual([reason])
    expect(finishReasonsOf(new Map(), JSON.stringify(answer, null, 2))).toEqual([reason])
  })

  it('is not read from the messages', () => {
    const said = JSON.stringify([{ role: 'assistant', content: 'It said "finish_reason": "length".' }])
    expect(finishReasonsOf(new Map([['gen_ai.prompt', 'finish_reason']]), said)).toEqual([])
  })
})

describe('the tools that a model call offers', () => {
  const definition = { name: 'search', description: 'finds', parameters: { type: 'object' } }
  const openAi = { type: 'function', function: definition }
  const json = JSON.stringify
  const cases: [string, Sent][] = [
    ['GenAI', { 'gen_ai.tool.definitions': json([{ type: 'function', ...definition }]) }],
    ['GenAI, as a structure', { 'gen_ai.tool.definitions': [{ type: 'function', ...definition }] }],
    ['Vercel AI SDK', { 'ai.prompt.tools': [json({ type: 'function', ...definition })] }],
    ['OpenInference', { 'llm.tools.0.tool.json_schema': json(openAi) }],
    ['OpenInference, by name', { 'llm.tools.0.tool.name': 'search', 'llm.tools.0.tool.description': 'finds' }],
    ['OpenInference, in the parameters', { 'llm.invocation_parameters': json({ tools: [openAi], temperature: 0 }) }],
    ['OpenLLMetry', { 'llm.request.functions.0.name': 'search', 'llm.request.functions.0.description': 'finds' }],
    ['Langfuse', { 'langfuse.observation.model.parameters': json({ tools: [openAi] }) }],
    ['OpenAI, functions', { 'llm.invocation_parameters': json({ functions: [definition] }) }],
    ['Bedrock', { 'gen_ai.tool.definitions': json([{ toolSpec: definition }]) }],
    ['Gemini', { 'gen_ai.tool.definitions': json([{ functionDeclarations: [definition] }]) }],
    ['an object of tools by name', { 'gen_ai.tool.definitions': json({ search: { description: 'finds' } }) }],
    ['a list of names', { 'gen_ai.tool.definitions': json(['search']) }],
    ['parameters of a native trace', { 'gen_ai.request.tools': [openAi] }],
  ]
  it.each(cases)('are read from the attributes of %s', (_, sent) => {
    expect(readCallSettings(new Map(Object.entries(sent)), null).offeredTools).toEqual(['search'])
  })

  it('are read from the request, if that is the input', () => {
    const request = json({ tools: [openAi], messages: [{ role: 'user', content: 'Hi' }] })
    expect(readCallSettings(new Map(), request).offeredTools).toEqual(['search'])
    expect(readCallSettings(new Map(), json({ messages: 'no "tools" here' })).offeredTools).toEqual([])
    expect(readCallSettings(new Map(), '{"tools": broken').offeredTools).toEqual([])
  })

  it('do not include the settings, which are equal for any order of the attributes', () => {
    const sent: [string, AttributeValue][] = [
      ['gen_ai.request.temperature', 0.5],
      ['gen_ai.tool.definitions', json([definition])],
      ['gen_ai.request.max_tokens', 100],
    ]
    const { settings } = readCallSettings(new Map(sent), null)
    expect(JSON.stringify(settings)).toBe('{"max_tokens":100,"temperature":0.5}')
    expect(JSON.stringify(readCallSettings(new Map(sent.toReversed()), null).settings)).toBe(JSON.stringify(settings))
  })
})
