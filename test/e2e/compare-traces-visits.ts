import type { Page } from 'playwright-core'
import type { Client } from '../harness/client.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { TRACE_ID } from './seed-trace.ts'

const LATER_ID = traceIdOf(77)
const COMPARED = '/a/:filled/traces/compare'
const PAIR = { as: 'viewer', path: `${COMPARED}?left=${TRACE_ID}&right=${LATER_ID}` } as const

/** Two traces side by side: a step that failed, a model call with its messages, a step that only one has, and no pair. */
export const COMPARE_TRACES_VISITS = [
  { ...PAIR, name: 'trace-pair', heading: 'Steps', prepare: seeStep },
  { ...PAIR, name: 'trace-pair-call', heading: 'Steps', prepare: openMessages },
  {
    ...PAIR,
    name: 'trace-pair-only',
    path: `${PAIR.path}&show=right`,
    heading: 'rerank',
    prepare: seeStep,
  },
  { name: 'trace-pair-none', as: 'viewer', path: COMPARED, heading: 'Choose two traces' },
  {
    name: 'trace-pair-same',
    as: 'viewer',
    path: `${COMPARED}?left=${TRACE_ID}&right=${TRACE_ID}`,
    heading: 'Both are the same trace',
  },
  {
    name: 'trace-pair-missing',
    as: 'viewer',
    path: `${COMPARED}?left=${TRACE_ID}&right=gone`,
    heading: 'Nothing is here',
  },
] as const

/** What `trace-pair-missing` provokes. */
export const MISSING_TRACE = /^answer: 404 GET \/api\/v1\/traces\/gone(\/outline)?$/

/** The trace of `seedTrace` after a change: the failure is gone, a step is new, the model is another one. */
export async function seedLaterTrace(client: Client): Promise<void> {
  const [traceId, parentSpanId] = [LATER_ID, spanIdOf(1)]
  const system = { role: 'system', parts: [{ type: 'text', content: 'Answer from the order. '.repeat(40) }] }
  const user = { role: 'user', parts: [{ type: 'text', content: 'Where is my order?' }] }
  const answer = { role: 'assistant', parts: [{ type: 'text', content: 'It arrives **tomorrow**.' }] }
  await sendSpans(client, [
    {
      traceId,
      spanId: parentSpanId,
      name: 'turn',
      attributes: {
        'touchstone.kind': 'agent',
        'touchstone.input': 'Where is my order?',
        'touchstone.output': 'It arrives tomorrow.',
      },
    },
    { traceId, spanId: spanIdOf(2), parentSpanId, name: 'lookup', attributes: { 'touchstone.kind': 'tool' } },
    { traceId, spanId: spanIdOf(4), parentSpanId, name: 'rerank', attributes: { 'touchstone.kind': 'reranker' } },
    {
      traceId,
      spanId: spanIdOf(3),
      parentSpanId,
      name: 'answer',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'gpt-4.1-mini',
        'gen_ai.usage.input_tokens': 90,
        'gen_ai.usage.output_tokens': 30,
        'gen_ai.input.messages': JSON.stringify([system, user]),
        'gen_ai.output.messages': JSON.stringify([answer]),
      },
    },
  ])
}

async function seeStep(page: Page): Promise<void> {
  await page.getByRole('article', { name: 'Step' }).getByRole('heading').first().waitFor()
}

async function openMessages(page: Page): Promise<void> {
  await page.getByRole('option', { name: /answer/ }).click()
  await page.getByText('the same in both').click()
  await page.getByRole('heading', { name: 'system' }).waitFor()
}
