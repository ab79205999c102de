import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

export const TRACE_ID = traceIdOf(1)

/** With everything that a trace can show: messages of all roles, a tool call, a failure. */
export async function seedTrace(client: Client): Promise<void> {
  const input = [
    { role: 'system', parts: [{ type: 'text', content: 'Answer from the order. '.repeat(40) }] },
    { role: 'user', parts: [{ type: 'text', content: 'Where is my order?' }] },
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'call_1', name: 'lookup', arguments: { order: 'HP-1' } }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: { items: [{ sku: 'A' }] } }] },
  ]
  const output = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'It was shipped.' },
        { type: 'text', content: '**On its way**, see [the map](https://example.com).' },
      ],
    },
  ]
  await sendSpans(client, [
    {
      traceId: TRACE_ID,
      spanId: spanIdOf(1),
      name: 'turn',
      attributes: {
        'touchstone.kind': 'agent',
        'touchstone.input': 'Where is my order?',
        'touchstone.output': 'On its way.',
      },
    },
    {
      traceId: TRACE_ID,
      spanId: spanIdOf(2),
      parentSpanId: spanIdOf(1),
      name: 'lookup',
      status: 'error',
      statusMessage: '404 no such order',
      attributes: { 'touchstone.kind': 'tool' },
    },
    {
      traceId: TRACE_ID,
      spanId: spanIdOf(3),
      parentSpanId: spanIdOf(1),
      name: 'answer',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.output_tokens': 20,
        'gen_ai.input.messages': JSON.stringify(input),
        'gen_ai.output.messages': JSON.stringify(output),
      },
    },
  ])
}
