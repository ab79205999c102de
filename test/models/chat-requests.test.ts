/** What each provider is sent: the path, the headers and the body of the same conversation. */
import { describe, expect, it } from 'vitest'
import { type ChatRequest, PROVIDER_KINDS, type ProviderKind } from '../../src/llm/chat.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { RECORDED } from './recorded-answers.ts'
import { API_KEY, errorOf, QUESTION, startModelClient } from './start-model-client.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    total: { type: 'number', minimum: 0 },
    lines: { type: 'array', items: { type: 'string', maxLength: 9 } },
  },
  required: ['total'],
}
const ARGUMENTS = { type: 'object', properties: { number: { type: 'string', minLength: 1 } } }
const CONVERSATION: ChatRequest = {
  messages: [
    { role: 'system', content: 'You answer for Acme.' },
    { role: 'user', content: 'Which invoice?' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'c1', name: 'find', arguments: '{"number":"A"}' },
        { id: 'c2', name: 'today', arguments: 'not JSON' },
      ],
    },
    { role: 'tool', toolCallId: 'c1', content: '{"total":7}' },
    { role: 'tool', toolCallId: 'c2', content: 'Wednesday' },
    { role: 'user', content: 'And now?' },
  ],
  tools: [{ name: 'find', description: 'Finds an invoice.', parameters: ARGUMENTS }],
  toolChoice: { name: 'find' },
  responseFormat: { type: 'schema', name: 'invoice', schema: SCHEMA },
  parameters: { temperature: 0.3, topP: 0.9, maxTokens: 500, stop: ['END'] },
}

/** Answers each request with the recorded text. */
async function start(kind: ProviderKind) {
  const body = JSON.stringify(RECORDED[kind].text.body)
  return startModelClient({ connection: { kind, models: ['m-1'] }, server: { misbehaviour: () => ({ body }) } })
}

const EXPECTED: Record<ProviderKind, { path: string; stream: string; headers: object; body: object }> = {
  openai: {
    path: '/v1/chat/completions',
    stream: '/v1/chat/completions',
    headers: { authorization: `Bearer ${API_KEY}` },
    body: {
      model: 'm-1',
      messages: [
        { role: 'system', content: 'You answer for Acme.' },
        { role: 'user', content: 'Which invoice?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"number":"A"}' } },
            { id: 'c2', type: 'function', function: { name: 'today', arguments: 'not JSON' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: '{"total":7}' },
        { role: 'tool', tool_call_id: 'c2', content: 'Wednesday' },
        { role: 'user', content: 'And now?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'find', description: 'Finds an invoice.', parameters: ARGUMENTS },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'find' } },
      response_format: { type: 'json_schema', json_schema: { name: 'invoice', schema: SCHEMA } },
      temperature: 0.3,
      top_p: 0.9,
      max_completion_tokens: 500,
      stop: ['END'],
    },
  },
  anthropic: {
    path: '/v1/messages',
    stream: '/v1/messages',
    headers: { 'x-api-key': API_KEY, 'anthropic-version': '2023-06-01' },
    body: {
      model: 'm-1',
      max_tokens: 500,
      system: [{ type: 'text', text: 'You answer for Acme.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Which invoice?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'c1', name: 'find', input: { number: 'A' } },
            { type: 'tool_use', id: 'c2', name: 'today', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: '{"total":7}' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'Wednesday' },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
      tools: [{ name: 'find', description: 'Finds an invoice.', input_schema: ARGUMENTS }],
      tool_choice: { type: 'tool', name: 'find' },
      output_config: {
        format: {
          type: 'json_schema',
          // Bounds are rejected, and objects must be closed.
          schema: {
            type: 'object',
            properties: { total: { type: 'number' }, lines: { type: 'array', items: { type: 'string' } } },
            required: ['total'],
            additionalProperties: false,
          },
        },
      },
      temperature: 0.3,
      top_p: 0.9,
      stop_sequences: ['END'],
    },
  },
  gemini: {
    path: '/v1/models/m-1:generateContent',
    stream: '/v1/models/m-1:streamGenerateContent?alt=sse',
    headers: { 'x-goog-api-key': API_KEY },
    body: {
      systemInstruction: { parts: [{ text: 'You answer for Acme.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Which invoice?' }] },
        {
          role: 'model',
          parts: [
            {
              functionCall: { name: 'find', args: { number: 'A' } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
            { functionCall: { name: 'today', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'find', response: { total: 7 } } },
            { functionResponse: { name: 'today', response: { result: 'Wednesday' } } },
            { text: 'And now?' },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [{ name: 'find', description: 'Finds an invoice.', parametersJsonSchema: ARGUMENTS }],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['find'] } },
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: SCHEMA,
        temperature: 0.3,
        topP: 0.9,
        maxOutputTokens: 500,
        stopSequences: ['END'],
      },
    },
  },
}
const STREAM_BODY: Record<ProviderKind, object> = {
  openai: { stream: true, stream_options: { include_usage: true } },
  anthropic: { stream: true },
  gemini: {},
}

describe.each(PROVIDER_KINDS)('%s', (kind) => {
  const { path, stream, headers, body } = EXPECTED[kind]
  const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key']

  it('gets a conversation with tools and a response format in its form, with the key in its header alone', async () => {
    const { server, client } = await start(kind)
    await client.chat(CONVERSATION)
    expect(server.requests).toMatchObject([{ method: 'POST', path, headers }])
    const [request] = server.requests
    expect(request?.body).toEqual(body)
    expect(KEY_HEADERS.filter((name) => name in (request?.headers ?? {}))).toHaveLength(1)
    expect(request?.path).not.toContain(API_KEY)
  })

  it('gets the same for a stream', async () => {
    const { server, client } = await start(kind)
    for await (const _ of client.stream(CONVERSATION));
    expect(server.requests[0]).toMatchObject({ path: stream, headers })
    expect(server.requests[0]?.body).toEqual({ ...body, ...STREAM_BODY[kind] })
  })

  it('gets no key if there is none, and only what is given', async () => {
    const { server, client } = await startModelClient({ connection: { kind, apiKey: undefined } })
    server.misbehave({ body: JSON.stringify(RECORDED[kind].text.body) })
    await client.chat({ model: 'm-2', messages: [{ role: 'user', content: 'Hi' }] })
    const [request] = server.requests
    expect(KEY_HEADERS.filter((name) => name in (request?.headers ?? {}))).toEqual([])
    expect(request?.body).toEqual(
      {
        openai: { model: 'm-2', messages: [{ role: 'user', content: 'Hi' }] },
        anthropic: {
          model: 'm-2',
          max_tokens: 8_192,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        },
        gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], generationConfig: {} },
      }[kind],
    )
  })

  it.each([
    ['auto', { openai: 'auto', anthropic: { type: 'auto' }, gemini: { functionCallingConfig: { mode: 'AUTO' } } }],
    ['none', { openai: 'none', anthropic: { type: 'none' }, gemini: { functionCallingConfig: { mode: 'NONE' } } }],
    [
      'required',
      { openai: 'required', anthropic: { type: 'any' }, gemini: { functionCallingConfig: { mode: 'ANY' } } },
    ],
  ] as const)('gets the tool choice %s', async (toolChoice, expected) => {
    const { server, client } = await start(kind)
    await client.chat({ ...CONVERSATION, toolChoice })
    const { tool_choice, toolConfig } = server.requests[0]?.body ?? {}
    expect(tool_choice ?? toolConfig).toEqual(expected[kind])
  })

  it('that rejects an explicit parameter or format is not asked again without it', async () => {
    for (const name of ['temperature', 'response_format json_schema', 'output_config', 'responseJsonSchema']) {
      const { server, client } = await startModelClient({ connection: { kind } })
      const rejection: Misbehaviour = { status: 400, error: { message: `Unsupported parameter: ${name}` } }
      server.misbehave(rejection, 5)
      expect(await errorOf(client.chat(CONVERSATION))).toMatchObject({
        kind: 'permanent',
        message: expect.stringMatching(new RegExp(`Unsupported parameter: ${name}$`)),
      })
      expect(server.requests).toHaveLength(1)
    }
  })

  it('gets an explicit temperature even if judges have learned to omit it', async () => {
    const { server, client } = await startModelClient({ connection: { kind } })
    server.misbehave({ status: 400, error: { message: '`temperature` is deprecated for this model.' } })
    server.misbehave({ body: JSON.stringify(RECORDED[kind].text.body) }, 2)
    const temperatures = () =>
      server.requests.map(({ body: sent }) => Object(sent.generationConfig ?? sent).temperature)
    // The recorded text is no verdict; what counts is what was sent.
    await errorOf(client.complete(QUESTION))
    await client.chat({ messages: QUESTION_MESSAGES, parameters: { temperature: 0.5 } })
    expect(temperatures()).toEqual([0, undefined, 0.5])
  })
})

const QUESTION_MESSAGES: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]

describe('what a provider does not have', () => {
  it.each<[ProviderKind, Partial<ChatRequest>, string]>([
    ['anthropic', { parameters: { seed: 3 } }, 'the API of Anthropic has no seed'],
    ['anthropic', { responseFormat: { type: 'json' } }, 'the API of Anthropic answers in JSON only by a schema'],
  ])('of %s is an error before anything is sent: %j', async (kind, given, reason) => {
    const { server, client } = await start(kind)
    const error = await errorOf(client.chat({ messages: QUESTION_MESSAGES, ...given }))
    expect(error).toMatchObject({ kind: 'permanent', message: `my-openai was not called: ${reason}`, usage: undefined })
    expect(server.requests).toHaveLength(0)
  })

  it.each(['../files/x', 'models/../../v1/files', '.', '', 'a//b'])(
    'the model %j leads to no other path of Gemini',
    async (model) => {
      const { server, client } = await start('gemini')
      const error = await errorOf(client.chat({ model, messages: QUESTION_MESSAGES }))
      expect(error).toMatchObject({ kind: 'permanent', message: expect.stringMatching(/is not the name of a model$/) })
      expect(server.requests).toHaveLength(0)
    },
  )

  it('characters of a model name with a meaning in URLs are encoded', async () => {
    const { server, client } = await start('gemini')
    await client.chat({ model: 'tunedModels/a?key=x#y', messages: QUESTION_MESSAGES })
    expect(server.requests[0]?.path).toBe('/v1/tunedModels/a%3Fkey%3Dx%23y:generateContent')
  })

  it('the result of an unknown call is an error, because Gemini needs the name of its function', async () => {
    const { server, client } = await start('gemini')
    const messages: ChatRequest['messages'] = [{ role: 'tool', toolCallId: 'c9', content: 'x' }]
    expect((await errorOf(client.chat({ messages }))).message).toMatch(/names the call c9/)
    expect(server.requests).toHaveLength(0)
  })
})

describe('models that do not know the response format', () => {
  const chat: ChatRequest = {
    messages: QUESTION_MESSAGES,
    responseFormat: { type: 'schema', name: 'invoice', schema: SCHEMA },
  }
  const rejection: Misbehaviour = { status: 400, error: { message: 'output_config: Extra inputs are not permitted' } }
  const block = { type: 'tool_use', id: 't', name: 'invoice', input: { total: 7 } }
  const answer = { ...Object(RECORDED.anthropic.text.body), content: [block], stop_reason: 'tool_use' }

  it('of Anthropic are forced to call a tool with the answer, from the second request on at once', async () => {
    const { server, client } = await startModelClient({ connection: { kind: 'anthropic' } })
    server.misbehave(rejection)
    server.misbehave({ body: JSON.stringify(answer) }, 2)
    for (let times = 0; times < 2; times += 1) {
      expect(await client.chat(chat)).toMatchObject({ text: '{"total":7}', toolCalls: [], finishReason: 'stop' })
    }
    expect(server.requests).toHaveLength(3)
    expect(server.requests[2]?.body).toMatchObject({
      tools: [{ name: 'invoice', input_schema: SCHEMA }],
      tool_choice: { type: 'tool', name: 'invoice' },
    })
    expect(server.requests[2]?.body).not.toHaveProperty('output_config')
  })

  it('of Anthropic get an error if the request names the tool to call, because it would never be the answer', async () => {
    const { server, client } = await startModelClient({ connection: { kind: 'anthropic' } })
    server.misbehave(rejection, 2)
    expect((await errorOf(client.chat({ ...CONVERSATION }))).kind).toBe('permanent')
    expect(server.requests).toHaveLength(1)
  })

  it('and a stream by a forced tool has the answer as its text', async () => {
    const { server, client } = await startModelClient({ connection: { kind: 'anthropic' } })
    server.misbehave(rejection)
    const { events } = RECORDED.anthropic['tool call']
    server.misbehave({ pieces: [events.replaceAll('find_invoice', 'invoice').replaceAll('I look.', 'I answer.')] })
    let text = ''
    for await (const event of client.stream(chat)) if (event.type === 'text') text += event.text
    expect(text).toBe('{"number":"A-12","year":2026}')
  })

  it('a server that does not report the usage of streams is asked without it', async () => {
    const { server, client } = await startModelClient()
    server.misbehave({ status: 400, error: { message: 'Unknown field: stream_options' } })
    server.misbehave({ pieces: [RECORDED.openai.text.events] })
    for await (const _ of client.stream({ messages: QUESTION_MESSAGES }));
    expect(server.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false])
  })
})

describe('what a provider sends to be sent back', () => {
  const signed = { functionCall: { name: 'find', args: {} }, thoughtSignature: 'c2ln' }
  const thought = { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' }
  const call = { type: 'tool_use', id: 't1', name: 'find', input: { number: 'A' } }

  it('goes back unchanged to the same kind of provider, and to no other', async () => {
    const { server, client } = await startModelClient({ connection: { kind: 'gemini' } })
    const content = { role: 'model', parts: [{ text: 'Wait.' }, signed] }
    server.misbehave({ body: JSON.stringify({ candidates: [{ content, finishReason: 'STOP' }] }) }, 2)
    const { text, toolCalls, native } = await client.chat(CONVERSATION)
    const [first] = toolCalls
    const next: ChatRequest['messages'] = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: text, toolCalls, native },
      { role: 'tool', toolCallId: String(first?.id), content: 'none' },
    ]
    await client.chat({ messages: next })
    expect(server.requests[1]?.body.contents).toMatchObject([{}, content, { parts: [{ functionResponse: {} }] }])
    const other = await start('openai')
    await other.client.chat({ messages: next })
    expect(JSON.stringify(other.server.requests[0]?.body)).not.toContain('c2ln')
  })

  it('includes the thoughts of Anthropic, whole and from a stream', async () => {
    const { server, client } = await startModelClient({ connection: { kind: 'anthropic' } })
    const body = { type: 'message', content: [thought, call], stop_reason: 'tool_use' }
    server.misbehave({ body: JSON.stringify(body) })
    const expected = { kind: 'anthropic', content: [thought, call] }
    expect((await client.chat(CONVERSATION)).native).toEqual(expected)
    const events = [
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Let me ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'see.' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
      { type: 'content_block_start', index: 1, content_block: { ...call, input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"number":"A"}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
    ]
    server.misbehave({ pieces: events.map((event) => `data: ${JSON.stringify(event)}\n\n`) })
    for await (const event of client.stream(CONVERSATION)) {
      if (event.type === 'end') expect(event.result.native).toEqual(expected)
    }
  })
})
