/** What the golden files promise for every recording: `recordings.test.ts` compares them with the traces of a server. */
import { describe, expect, it } from 'vitest'
import { type Golden, RECORDINGS, readGolden } from './recorded.ts'

/** What traces lack, and why. A failed call has no answer and is not listed. */
const LACKING: Readonly<Record<string, readonly string[]>> = {
  // The instrumentation records no messages of streams.
  'anthropic-openinference': bothOf('anthropic.messages.create'),
  // The runtime creates its agents in traces of their own.
  'autogen-openinference': bothOf('assistant', 'f', 'greeter', 'one', 'two'),
  // Without vectors, an embedding has no output.
  'js-openai-openinference': ['OpenAI Embeddings: output'],
  litellm: ['litellm_request: output'],
  // The answer of a stream is in a trace of its own, and texts to embed are not recorded.
  logfire: [
    "Chat Completion with 'gpt-4o-mini': output",
    ...bothOf("Embedding Creation with 'text-embedding-3-small'"),
  ],
  // Failed calls whose input was not sent.
  mlflow: ['bad: input'],
  'openai-agents-openinference': ['Agent workflow: input'],
  // The messages were in log records that were not recorded. One of the calls failed.
  'openai-opentelemetry-v2': [
    'chat gpt-4o-mini: input',
    ...bothOf(...Array<string>(4).fill('chat gpt-4o-mini')),
    ...bothOf('embeddings text-embedding-3-small', 'weather-agent'),
  ],
  // A failed call whose input was not sent, and an embedding without vectors.
  openlit: ['chat gpt-4o-mini: input', 'embeddings text-embedding-3-small: output'],
  'vercel-ai-7': bothOf('embeddings text-embedding-3-small'),
}

function bothOf(...names: readonly string[]): string[] {
  return names.flatMap((name) => [`${name}: input`, `${name}: output`])
}

/** JSON that was meant: several values, structured answers and texts to embed. All other JSON is a wrapper of some text. */
const DATA: readonly unknown[] = [
  { city: 'Zürich', degrees: 21 },
  { degrees: 21, city: 'Zürich' },
  { city: 'Zürich' },
  { name: 'Ada' },
  { name: 'Bob' },
  { n: 'Ada' },
  { mood: 'kind', q: 'Say hello' },
  // The components of a pipeline, and the state of a graph.
  { r: { query: 'hello doc' }, b: { question: 'hello doc' } },
  { q: 'HI THERE', a: 'Hello, world!' },
  [
    { content: 'two doc', metadata: '{"s": "b"}' },
    { content: 'one doc', metadata: '{"s": "a"}' },
  ],
  ['one', 'two'],
  ['hello', 'world'],
  // A program that splits documents, of which nothing else was sent.
  { nodes: ['<Document(id_=a9598978-ea20-4737-bb55-306a3a0f183a)>'] },
  ['<TextNode(id_=d3ea0112-c561-4f0f-829f-f9e8c699fb55)>'],
]
const MEANT = new Set(DATA.map((value) => JSON.stringify(value)))

/** Messages without content, by role. */
const EMPTY_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  // The call and its result were sent only as Python representations.
  'haystack-openinference': ['assistant', 'tool'],
  // Failed calls have a message with the error in its metadata.
  'langgraph-openinference': ['assistant'],
  'langsmith-otel': ['assistant'],
  // The call was not sent with the history.
  'llama-index-openinference': ['assistant', 'assistant', 'assistant'],
}

/** What the model that was recorded answered. The others are data. */
const ANSWER =
  /^(?:Hello, world!|It is 21 degrees(?: in Zürich)?\.|A red square\.|get_weather\(\{"city":"Zürich"\}\)|\[2 vectors of [34] numbers\])$/
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
    const lacking: string[] = []
    for (const { name: trace, status, input, output } of traces) {
      if (input === null) lacking.push(`${trace}: input`)
      else expect(isReadable(input), `input of ${trace}: ${input}`).toBe(true)
      if (output !== null) expect(isData(output) || ANSWER.test(output), `output of ${trace}: ${output}`).toBe(true)
      else if (status !== 'error') lacking.push(`${trace}: output`)
    }
    expect(lacking.toSorted()).toEqual((LACKING[name] ?? []).toSorted())
  })

  it('has content in each message', () => {
    const empty = traces
      .flatMap(({ spans }) => spans.flatMap(({ messages }) => messages ?? []))
      .flatMap(({ role, parts }) => (parts.length === 0 ? [role] : []))
    expect(empty.toSorted()).toEqual(EMPTY_MESSAGES[name] ?? [])
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
  return isData(text) || !(text.trim() === '' || isJson(text) || PRINTED.test(text))
}

function isData(text: string): boolean {
  return isJson(text) && MEANT.has(JSON.stringify(JSON.parse(text)))
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
