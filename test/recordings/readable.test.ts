/** What the golden files promise for every recording: `recordings.test.ts` compares them with the traces of a server. */
import { describe, expect, it } from 'vitest'
import { type Golden, RECORDINGS, readGolden } from './recorded.ts'

/** Traces without an input, without an output or without both, and why. A failed call has no answer and is not listed. */
const EMPTY: Readonly<Record<string, Readonly<Record<string, 'input' | 'output' | 'both'>>>> = {
  // The instrumentation records no messages of streams.
  'anthropic-openinference': { 'anthropic.messages.create': 'both' },
  // The runtime creates its agents in traces of their own.
  'autogen-openinference': { assistant: 'both', greeter: 'both', one: 'both', two: 'both', f: 'both' },
  // Without vectors, an embedding has no output.
  'js-openai-openinference': { 'OpenAI Embeddings': 'output' },
  litellm: { litellm_request: 'output' },
  openlit: { 'embeddings text-embedding-3-small': 'output' },
  // The answer of a stream is in a trace of its own, and texts to embed are not recorded.
  logfire: {
    "Chat Completion with 'gpt-4o-mini'": 'output',
    "Embedding Creation with 'text-embedding-3-small'": 'both',
  },
  // The messages were in log records that were not recorded.
  'openai-opentelemetry-v2': {
    'chat gpt-4o-mini': 'both',
    'weather-agent': 'both',
    'embeddings text-embedding-3-small': 'both',
  },
  'vercel-ai-7': { 'embeddings text-embedding-3-small': 'both' },
}

/** Failed calls whose input was not sent. */
const FAILED_WITHOUT_INPUT = ['mlflow', 'openai-agents-openinference', 'openai-opentelemetry-v2', 'openlit']

/** Fields of objects that only wrap a question or an answer. */
const WRAPPERS =
  /^\s*\{\s*"(?:lc|messages|inputs?|kwargs|args|data|raw|text|content|source|outputs?|response|result|answer|generations|choices|candidates|id)"\s*:/
const PRINTED = /^\[?[A-Z]\w*\(\w+=|^<\w+|^\w+='/

/** Senders that do not report the cached tokens, or not for all calls: their calls cost as much as without a cache. */
const WITHOUT_CACHE = [
  'autogen-openinference',
  'haystack-openinference',
  'openai-agents-openinference',
  'openai-opentelemetry-v2',
  'semantic-kernel',
  'vercel-ai-5',
  'vercel-ai-6',
]

describe.each(RECORDINGS)('$name', ({ name }) => {
  const traces = Object.values(readGolden(name))

  it('has an input and an output that a person would say', () => {
    for (const trace of traces) {
      const empty = EMPTY[name]?.[trace.name]
      const isFailed = trace.status === 'error'
      const mayLack = {
        input: empty === 'both' || empty === 'input' || (isFailed && FAILED_WITHOUT_INPUT.includes(name)),
        output: empty === 'both' || empty === 'output' || isFailed,
      }
      for (const side of ['input', 'output'] as const) {
        const text = trace[side]
        if (text === null) expect(mayLack[side], `${side} of ${trace.name}`).toBe(true)
        else expect(isReadable(text), `${side} of ${trace.name}: ${text}`).toBe(true)
      }
    }
  })

  it('has the tokens and the costs that the model server reported', () => {
    for (const trace of traces) {
      const calls = trace.spans.filter(({ model }) => String(model).startsWith('gpt-4o-mini'))
      for (const { inputTokens, outputTokens, costUsd, name: span } of calls) {
        const expected = COSTS.get(`${inputTokens}/${outputTokens}`)
        if (expected === undefined || costUsd === null || isReported(trace)) continue
        const [cached, uncached] = expected
        expect([cached, ...(WITHOUT_CACHE.includes(name) ? [uncached] : [])], `${span} of ${trace.name}`).toContain(
          costUsd,
        )
      }
    }
  })
})

/** By tokens: the cost of gpt-4o-mini with the 8 cached tokens that the server reported for a text, and without. */
const COSTS = new Map([
  ['37/11', [1.155e-5, 1.215e-5]],
  ['52/17', [1.8e-5, 1.8e-5]],
])

/** Costs that the recorded program made up. */
function isReported({ spans }: Golden): boolean {
  return spans.some(({ costBasis, costUsd }) => costBasis === 'reported' && Number(costUsd) > 1e-3)
}

function isReadable(text: string): boolean {
  return text.trim() !== '' && !WRAPPERS.test(text) && !PRINTED.test(text)
}
