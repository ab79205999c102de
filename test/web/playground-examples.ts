/** Streams of tries, as the server sends them, and what the page of the playground reads. */
import type { Connection, DatasetItem, DatasetSummary, Spending, TryEnd } from '../../web/src/api/generated/api.ts'
import type { TryEvent } from '../../web/src/api/try-prompt.ts'
import { exampleOf } from './api-description.ts'
import { onRequest } from './mock-api.ts'
import { idOf } from './open-page.ts'
import { ONE, PROMPT_PAGE, servePrompts } from './prompt-examples.ts'

export const PLAYGROUND_PAGE = `${PROMPT_PAGE}/playground`
export const TRY = `POST ${ONE}/try`

const CONNECTION: Connection = {
  ...exampleOf<Connection>('Connection'),
  id: idOf(200),
  name: 'openai',
  kind: 'openai',
  models: ['gpt-5-mini', 'gpt-5'],
}
const CONNECTIONS = [
  CONNECTION,
  { ...CONNECTION, id: idOf(201), name: 'anthropic', kind: 'anthropic' as const, models: ['claude'] },
]

export const END: TryEnd = {
  reason: 'answered',
  error: null,
  isTransient: false,
  retryAfterSeconds: null,
  text: 'It is on its way.',
  toolCalls: [],
  conversation: null,
  schema: null,
  model: 'gpt-5-mini',
  calls: 1,
  usage: { inputTokens: 1_400, outputTokens: 86, cachedTokens: null, cacheWriteTokens: null, reasoningTokens: null },
  costUsd: 0.0034,
  costBasis: 'genai-prices 1',
  isCostMaximum: false,
  durationMs: 3_100,
  firstTextMs: 400,
  traceId: idOf(300),
  notices: [],
}

export const LOOK_UP = { id: 'call-1', name: 'order_lookup', arguments: '{"order_number": "50318"}' }

/** The events of an answer. */
export function answerOf(text: string, changes: Partial<TryEnd> = {}): TryEvent[] {
  return [
    { name: 'text', data: { call: 1, text } },
    { name: 'end', data: { ...END, text, ...changes } },
  ]
}

export function failedEnd(error: string, changes: Partial<TryEnd> = {}): TryEvent[] {
  const nothing = { inputTokens: null, outputTokens: null, cachedTokens: null, cacheWriteTokens: null }
  const usage = { ...nothing, reasoningTokens: null }
  return [{ name: 'end', data: { ...END, reason: 'failed', error, text: '', usage, costUsd: 0, ...changes } }]
}

/** A stream to which the test writes. */
export class TryStream {
  // Set by the constructor: a stream starts at once.
  #stream!: ReadableStreamDefaultController<Uint8Array>
  readonly response: Response

  constructor() {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#stream = stream
      },
    })
    this.response = new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  }

  send(...events: TryEvent[]): this {
    for (const { name, data } of events) {
      this.#stream.enqueue(new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`))
    }
    return this
  }

  end(...events: TryEvent[]): Response {
    this.send(...events)
    this.#stream.close()
    return this.response
  }
}

/** A whole stream at once. */
export function streamed(events: TryEvent[]): Response {
  return new TryStream().end(...events)
}

export const DATASET: DatasetSummary = {
  ...exampleOf<DatasetSummary>('DatasetSummary'),
  id: idOf(210),
  name: 'Support questions',
  itemCount: 20,
}

/** The item at a place of the list, newest first. */
export function itemAt(offset: number): DatasetItem {
  const number = DATASET.itemCount - offset
  return {
    ...exampleOf<DatasetItem>('DatasetItem'),
    id: idOf(1_000 + number),
    datasetId: DATASET.id,
    input: JSON.stringify({ company: 'Halden', question: `Question ${number}?` }),
    expected: `Expected ${number}`,
    split: 'test',
  }
}

export function servePlayground(): void {
  servePrompts()
  onRequest('GET /connections', { data: CONNECTIONS })
  onRequest('GET /spending', { ...exampleOf<Spending>('Spending'), reached: null })
  onRequest('GET /components/{componentId}/dataset-summaries', { data: [DATASET], nextCursor: null })
  onRequest('GET /components/{componentId}/trials', { data: [] })
  onRequest('GET /components/{componentId}/datasets/{datasetId}/items', ({ query }) => ({
    data: [itemAt(Number(query['offset']))],
  }))
  onRequest(TRY, () => streamed(answerOf('It is on its way.')))
}
