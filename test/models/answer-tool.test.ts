import { describe, expect, it } from 'vitest'
import { type ChatRequest, PROVIDER_KINDS, type ProviderKind } from '../../src/llm/chat.ts'
import { RECORDED } from './recorded-answers.ts'
import { eventsOf, startModelClient } from './start-model-client.ts'

const SCHEMA = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] }
const REQUEST: ChatRequest = {
  messages: [{ role: 'user', content: 'What is the total?' }],
  tools: [{ name: 'find_invoice', parameters: { type: 'object', properties: {} } }],
  responseFormat: { type: 'schema', name: 'find_invoice', schema: SCHEMA },
}

/** What each provider says when it knows no format, or none together with tools. */
const REJECTIONS: Record<ProviderKind, string> = {
  openai: 'json mode cannot be combined with tool/function calling',
  anthropic: 'output_config: Extra inputs are not permitted',
  gemini: "Function calling with a response mime type: 'application/json' is unsupported",
}

const FORCED: Record<ProviderKind, unknown> = {
  openai: { tool_choice: 'required' },
  anthropic: { tool_choice: { type: 'any' } },
  gemini: { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
}

/** The recorded calls: one of them is the answer under this name. */
function calling(kind: ProviderKind, name: string) {
  return { pieces: [RECORDED[kind]['tool call'].events.replaceAll('find_invoice', name)] }
}

describe.each(PROVIDER_KINDS)('a model of kind %s that rejects a response format with tools', (kind) => {
  async function start() {
    const started = await startModelClient({ connection: { kind }, server: { kind } })
    started.server.misbehave({ status: 400, error: { message: REJECTIONS[kind] } })
    return started
  }

  it('must call one of the tools, of which one with a name of its own takes the answer', async () => {
    const { server, client } = await start()
    server.misbehave(calling(kind, 'find_invoice_answer'))
    let text = ''
    for await (const event of client.stream(REQUEST)) if (event.type === 'text') text += event.text
    expect(JSON.parse(text)).toEqual({ number: 'A-12', year: 2026 })
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]?.body).toMatchObject(Object(FORCED[kind]))
    const sent = JSON.stringify(server.requests[1]?.body)
    expect(sent).toContain('"find_invoice"')
    expect(sent).toContain('"find_invoice_answer"')
  })

  it('may call another tool instead, and the text next to it is no answer', async () => {
    const { server, client } = await start()
    server.misbehave(calling(kind, 'find_invoice'))
    const events = await eventsOf(client.stream(REQUEST))
    const last = events.at(-1)
    expect(last?.type === 'end' && last.result).toMatchObject({
      finishReason: 'toolCalls',
      text: '',
      toolCalls: RECORDED[kind]['tool call'].result.toolCalls,
    })
  })

  it('has still answered if it calls none', async () => {
    const { server, client } = await start()
    server.misbehave({ pieces: [RECORDED[kind].text.events] })
    const events = await eventsOf(client.stream(REQUEST))
    const last = events.at(-1)
    expect(last?.type === 'end' && last.result).toMatchObject({ text: RECORDED[kind].text.result.text, toolCalls: [] })
  })
})
