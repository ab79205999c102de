import { timestamp } from '../base/clock.ts'
import type { CandidateContent } from '../experiments/iteration-queries.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import { EXAMPLE_MODEL } from './example-prompt.ts'
import {
  answerUsage,
  renderSorting,
  SORTING_PROMPT,
  SORTING_START,
  type SortingCase,
  sortMessage,
  tokensIn,
} from './example-sorting.ts'

type Sorted = { version: number; content: Pick<CandidateContent, 'messages'> }

/** What the server would have stored for a call of the test. */
export function callOfSorting(
  { version, content }: Sorted,
  one: SortingCase,
  { index, startMs }: { index: number; startMs: number },
) {
  const output = sortMessage(content, one)
  const input = renderSorting(content, one.message)
  const durationMs = 260 + ((index * 89) % 240)
  const source = { 'touchstone.source': 'trial', 'touchstone.prompt': `${SORTING_PROMPT}@${version}` }
  const times = { startTime: timestamp(startMs), endTime: timestamp(startMs + durationMs) }
  const trace: Omit<Trace, 'traceId'> = {
    name: `trial ${SORTING_PROMPT}`,
    kind: 'chain',
    tags: ['trial', 'example'],
    ...times,
    status: 'ok',
    input: { message: one.message },
    output,
    metadata: source,
    spans: [
      {
        name: `chat ${EXAMPLE_MODEL}`,
        kind: 'llm',
        status: 'ok',
        ...times,
        model: EXAMPLE_MODEL,
        provider: 'openai',
        modelParameters: { ...SORTING_START.parameters },
        input,
        output: [{ role: 'assistant', content: output }],
        inputTokens: input.reduce((sum, { content: text }) => sum + tokensIn(text), 0),
        outputTokens: tokensIn(output),
        metadata: source,
      },
    ],
  }
  return { trace, durationMs, nanoUsd: answerUsage(content, one, output).nanoUsd }
}
