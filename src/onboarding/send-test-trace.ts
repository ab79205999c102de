import { timestamp } from '../base/clock.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import { spansOfTrace, type Trace } from '../ingestion/native-trace.ts'
import { readerOf } from '../traces/storing/received-span.ts'

/** Stores a small trace as if a program had sent it: a question, a search, and an answer of a model with tokens and cost. */
export async function sendTestTrace(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  ingest: Ingest,
  { workspaceId }: Principal,
): Promise<{ id: string; traceId: string }> {
  const traceId = newId().replaceAll('-', '')
  const nowMs = clock.now()
  const spans = spansOfTrace(testTrace(traceId, nowMs), { nowMs, newId })
  const { traces } = await ingest({ workspaceId, within: db }, readerOf(spans))
  return { id: traces[0]?.id ?? '', traceId }
}

const QUESTION = 'How long do I have to return a jacket that does not fit?'
const PASSAGE = 'Returns are free within 30 days of delivery if the item is unworn and has its tags.'
const ANSWER = 'You have 30 days from delivery to return it for free, as long as it is unworn and still has its tags.'

function testTrace(traceId: string, nowMs: number): Trace {
  const at = (ms: number) => timestamp(nowMs - 1_250 + ms)
  return {
    traceId,
    name: 'Touchstone test trace',
    kind: 'agent',
    tags: ['test'],
    startTime: at(0),
    endTime: at(1_240),
    status: 'ok',
    input: QUESTION,
    output: ANSWER,
    spans: [
      {
        name: 'search help center',
        kind: 'retriever',
        startTime: at(12),
        endTime: at(148),
        status: 'ok',
        input: 'return jacket does not fit',
        output: [{ title: 'Returns and refunds', text: PASSAGE, score: 0.91 }],
      },
      {
        name: 'answer question',
        kind: 'llm',
        startTime: at(151),
        endTime: at(1_236),
        status: 'ok',
        model: 'gpt-4o-mini',
        provider: 'openai',
        modelParameters: { temperature: 0.2 },
        input: [
          { role: 'system', content: `Answer from the help center only.\n\n${PASSAGE}` },
          { role: 'user', content: QUESTION },
        ],
        output: [{ role: 'assistant', content: ANSWER }],
        inputTokens: 212,
        outputTokens: 31,
      },
    ],
  }
}
