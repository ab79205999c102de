import { timestamp } from '../base/clock.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import exampleCases from './example-cases.json' with { type: 'json' }
import { EXAMPLE_MODEL, EXAMPLE_PROMPT, EXAMPLE_PROMPT_VERSIONS, examplePromptMessages } from './example-prompt.ts'

type ExampleAnswer = {
  text: string
  /** Whether each of the two example authors finds it good; undefined if they have not rated it. */
  ratings?: readonly boolean[] | undefined
  comment?: string | undefined
}

export type ExampleCase = {
  question: string
  expected: string
  passage: string
  v1: ExampleAnswer
  v2: ExampleAnswer
  v5: ExampleAnswer
  /** The order that the agent looks up. */
  order?: string | undefined
}

/**
 * A shop's support agent that answers twelve questions with three versions of its prompt. The first one lets the model answer from memory;
 * the second one makes it answer from the help center, the fifth in one sentence. No model was called: the texts are written by hand.
 */
export const EXAMPLE_CASES: readonly ExampleCase[] = exampleCases

export const EXAMPLE_DATASET = 'Customer questions'

/** They need no model. */
export const EXAMPLE_EVALUATORS = [
  { type: 'tokenF1', name: 'answer match' },
  { type: 'length', name: 'short', maxWords: 25 },
]

/** A version of the agent: its name is the name of the run, `number` that of the version of the prompt. */
export type ExampleVersion = { name: string; key: 'v1' | 'v2' | 'v5'; number: number; commit: string; hoursAgo: number }

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export const EXAMPLE_VERSIONS: readonly ExampleVersion[] = [
  { name: 'Prompt v1', key: 'v1', number: 1, commit: '8c41f0e', hoursAgo: 148 },
  { name: 'Prompt v2', key: 'v2', number: 2, commit: 'd27b93a', hoursAgo: 98 },
  { name: 'Prompt v5', key: 'v5', number: 5, commit: '5e0a1c7', hoursAgo: 4 },
]

/** The third version has made the answers of the second longer. */
export function exampleAnswer({ v1, v2 }: ExampleCase, number: number): string {
  if (number === 1) return v1.text
  return number === 2
    ? v2.text
    : `Thank you for writing to us! ${v2.text} Is there anything else that I can do for you?`
}

export type TracePlace = { traceId: string; itemId: string; index: number; nowMs: number }

/** The trace of one answer: a search in the help center, for some questions a tool, and a model call. */
export function exampleTrace(one: ExampleCase, version: ExampleVersion, place: TracePlace): Trace {
  const { traceId, itemId, index, nowMs } = place
  const { key, number } = version
  const answer = one[key]
  const startMs = nowMs - version.hoursAgo * HOUR_MS + index * MINUTE_MS
  const at = (ms: number) => timestamp(startMs + ms)
  const lookups = one.order === undefined ? [] : lookupsOf(one.order, key, at)
  const modelStart = 190 + lookups.length * 400
  const call = modelCall({ one, number, answer: answer.text, index })
  return {
    traceId,
    name: 'answer customer',
    kind: 'agent',
    startTime: at(0),
    endTime: at(modelStart + call.durationMs + 12),
    status: 'ok',
    input: one.question,
    output: answer.text,
    sessionId: `example-${key}-${index + 1}`,
    tags: ['example'],
    dataset: EXAMPLE_DATASET,
    run: version.name,
    itemId,
    metadata: { 'prompt.version': key },
    spans: [
      {
        name: 'search help center',
        kind: 'retriever',
        startTime: at(9),
        endTime: at(170 + ((index * 31) % 60)),
        status: 'ok',
        input: one.question,
        output: [{ title: 'Help center', text: one.passage, score: 0.82 + (index % 5) / 50 }],
      },
      ...lookups,
      {
        ...call.span,
        startTime: at(modelStart),
        endTime: at(modelStart + call.durationMs),
        metadata: { 'touchstone.prompt': `${EXAMPLE_PROMPT}@${number}` },
      },
    ],
  }
}

/** The second prompt and those after it carry the passages, so they need more time and tokens. */
export function modelCall(made: { one: ExampleCase; number: number; answer: string; index: number }) {
  const { one, number, answer, index } = made
  const input = examplePromptMessages(number, { question: one.question, passages: one.passage })
  const outputTokens = tokensOf(answer)
  const durationMs = 500 + (number === 1 ? 0 : 240) + outputTokens * 14 + ((index * 137) % 420)
  const span = {
    name: 'write answer',
    kind: 'llm',
    status: 'ok',
    model: EXAMPLE_MODEL,
    provider: 'openai',
    modelParameters: { ...EXAMPLE_PROMPT_VERSIONS[number - 1]?.content.parameters },
    input,
    output: [{ role: 'assistant', content: answer }],
    inputTokens: input.reduce((sum, { content }) => sum + tokensOf(content), 40),
    outputTokens,
  } as const
  return { span, durationMs }
}

type Span = NonNullable<Trace['spans']>[number]

/** The first version gives the tool a wrong argument, and repeats the failing call. */
function lookupsOf(order: string, key: ExampleVersion['key'], at: (ms: number) => string): Span[] {
  const call = { name: 'look_up_order', kind: 'tool' } as const
  const times = (place: number) => ({ startTime: at(200 + place * 400), endTime: at(520 + place * 400) })
  if (key !== 'v1') {
    const output = { status: 'shipped', arrives: 'Thursday' }
    return [{ ...call, ...times(0), status: 'ok', input: { orderNumber: order }, output }]
  }
  const failure = { status: 'error', statusMessage: 'unknown field order: expected orderNumber' } as const
  return [0, 1, 2].map((place) => ({ ...call, ...times(place), ...failure, input: { order } }))
}

/** About four characters per token, as in English. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}
