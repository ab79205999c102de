import { timestamp } from '../base/clock.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import { EXAMPLE_MODEL, EXAMPLE_PROMPT } from './example-prompt.ts'
import { type ExampleCase, exampleAnswer, modelCall } from './example-traces.ts'

/** Of the model of the example, in billionths of a dollar. */
const NANO_USD_PER_TOKEN = { input: 150, output: 600 }

type Called = { one: ExampleCase; version: number; index: number; startMs: number }

/** What the server would have stored for a call of a trial: a root with the values of the variables, and the call of the model. */
export function callOfTrial({ one, version, index, startMs }: Called) {
  const output = exampleAnswer(one, version)
  const { span, durationMs } = modelCall({ one, number: version, answer: output, index })
  const source = { 'touchstone.source': 'trial', 'touchstone.prompt': `${EXAMPLE_PROMPT}@${version}` }
  const times = { startTime: timestamp(startMs), endTime: timestamp(startMs + durationMs) }
  const trace: Omit<Trace, 'traceId'> = {
    name: `trial ${EXAMPLE_PROMPT}`,
    kind: 'chain',
    tags: ['trial', 'example'],
    ...times,
    status: 'ok',
    input: version === 1 ? { question: one.question } : { question: one.question, passages: one.passage },
    output,
    metadata: source,
    spans: [{ ...span, ...times, name: `chat ${EXAMPLE_MODEL}`, metadata: source }],
  }
  return { trace, durationMs, inputTokens: span.inputTokens, outputTokens: span.outputTokens }
}

export function callNanoUsd({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }): number {
  return inputTokens * NANO_USD_PER_TOKEN.input + outputTokens * NANO_USD_PER_TOKEN.output
}
