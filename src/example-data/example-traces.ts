import { timestamp } from '../base/clock.ts'
import type { Trace } from '../ingestion/native-trace.ts'
import exampleCases from './example-cases.json' with { type: 'json' }

type ExampleAnswer = {
  text: string
  /** Whether each of the two example authors finds it good. */
  ratings: readonly boolean[]
  comment?: string | undefined
}

type ExampleCase = {
  question: string
  expected: string
  passage: string
  v1: ExampleAnswer
  v2: ExampleAnswer
  /** The order that the agent looks up. */
  order?: string | undefined
}

/**
 * A shop's support agent that answers twelve questions with two prompts. The first prompt lets the model answer from memory; the second one
 * makes it answer from the help center. No model was called: the texts are written by hand.
 */
export const EXAMPLE_CASES: readonly ExampleCase[] = exampleCases

export const EXAMPLE_DATASET = 'Customer questions'

/** A version of the agent: its name is the name of the run. */
export type ExampleVersion = { name: string; key: 'v1' | 'v2'; commit: string; system: string; agoMs: number }

export const EXAMPLE_MODEL = 'gpt-4o-mini'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export const EXAMPLE_VERSIONS: readonly ExampleVersion[] = [
  {
    name: 'Prompt v1',
    key: 'v1',
    commit: '8c41f0e',
    system: 'You are the friendly support agent of Harbor & Pine. Answer briefly.',
    agoMs: 26 * HOUR_MS,
  },
  {
    name: 'Prompt v2',
    key: 'v2',
    commit: 'd27b93a',
    system:
      'You are the support agent of Harbor & Pine. Answer only from the help center passages below. Name the fact first.',
    agoMs: 2 * HOUR_MS,
  },
]

export type TracePlace = { traceId: string; itemId: string; index: number; nowMs: number }

/** The trace of one answer: a search in the help center, for some questions a tool, and a model call. */
export function exampleTrace(one: ExampleCase, version: ExampleVersion, place: TracePlace): Trace {
  const { traceId, itemId, index, nowMs } = place
  const { key } = version
  const answer = one[key]
  const startMs = nowMs - version.agoMs + index * MINUTE_MS
  const at = (ms: number) => timestamp(startMs + ms)
  const lookups = one.order === undefined ? [] : lookupsOf(one.order, key, at)
  // The second prompt carries the passages, so it needs more time and tokens.
  const modelStart = 190 + lookups.length * 400
  const modelMs = (key === 'v1' ? 840 : 1_130) + ((index * 137) % 420)
  const system = key === 'v1' ? version.system : `${version.system}\n\n${one.passage}`
  return {
    traceId,
    name: 'answer customer',
    kind: 'agent',
    startTime: at(0),
    endTime: at(modelStart + modelMs + 12),
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
        name: 'write answer',
        kind: 'llm',
        startTime: at(modelStart),
        endTime: at(modelStart + modelMs),
        status: 'ok',
        model: EXAMPLE_MODEL,
        provider: 'openai',
        modelParameters: { temperature: 0.2, max_tokens: 300 },
        input: [
          { role: 'system', content: system },
          { role: 'user', content: one.question },
        ],
        output: [{ role: 'assistant', content: answer.text }],
        inputTokens: tokensOf(system) + tokensOf(one.question) + 40,
        outputTokens: tokensOf(answer.text),
      },
    ],
  }
}

type Span = NonNullable<Trace['spans']>[number]

/** The first version gives the tool a wrong argument, and repeats the failing call. */
function lookupsOf(order: string, key: 'v1' | 'v2', at: (ms: number) => string): Span[] {
  const call = { name: 'look_up_order', kind: 'tool' } as const
  const times = (place: number) => ({ startTime: at(200 + place * 400), endTime: at(520 + place * 400) })
  if (key === 'v2') {
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
