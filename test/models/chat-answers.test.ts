/** The answers of all providers, whole and as streams, are the same for the caller. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ChatEvent, type ChatRequest, PROVIDER_KINDS, type ProviderKind } from '../../src/llm/chat.ts'
import { UNKNOWN_USAGE } from '../../src/llm/model-client.ts'
import { readEventData } from '../../src/llm/server-sent-events.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { until } from '../harness/wait-for.ts'
import { type AnswerName, OVERLOADED, RECORDED } from './recorded-answers.ts'
import { errorOf, eventsOf, startModelClient } from './start-model-client.ts'

const REQUEST: ChatRequest = { messages: [{ role: 'user', content: 'Hello' }] }
const ANSWERS: AnswerName[] = ['text', 'tool call', 'refusal', 'cut off']
const CASES = PROVIDER_KINDS.flatMap((kind) => ANSWERS.map((name) => [kind, name] as const))

function start(kind: ProviderKind, client = {}) {
  return startModelClient({ connection: { kind }, client })
}

/** The result that the deltas of a stream add up to. */
function joined(events: readonly ChatEvent[]) {
  const calls: { id: string; name: string; arguments: string }[] = []
  let text = ''
  for (const event of events) {
    if (event.type === 'text') text += event.text
    if (event.type !== 'toolCall') continue
    const { index, id, name } = event
    const before = calls[index]?.arguments ?? ''
    calls[index] = { id, name, arguments: before + event.arguments }
  }
  return { text, calls: calls.map((call) => ({ ...call, arguments: call.arguments || '{}' })) }
}

describe.each(CASES)('%s: the answer “%s”', (kind, name) => {
  const { body, events, result } = RECORDED[kind][name]

  it('is returned with text, tool calls, usage, the reason of its end and the name of the model', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ body: JSON.stringify(body) })
    expect(await client.chat(REQUEST)).toEqual(result)
    expect(server.requests).toHaveLength(1)
  })

  it('is the same as a stream, whose deltas add up to it', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ pieces: [events] })
    const received = await eventsOf(client.stream(REQUEST))
    expect(received.at(-1)).toEqual({ type: 'end', result })
    expect(joined(received)).toEqual({ text: result.text, calls: result.toolCalls })
    expect(received.filter(({ type }) => type === 'text').length).toBeGreaterThanOrEqual(name === 'tool call' ? 1 : 2)
  })

  it('is the same as a stream, split at every byte', async () => {
    const { server, client } = await start(kind)
    const bytes = Buffer.from(events)
    server.misbehave({ pieces: Array.from(bytes, (_, place) => bytes.subarray(place, place + 1)) })
    expect((await eventsOf(client.stream(REQUEST))).at(-1)).toEqual({ type: 'end', result })
  })

  it('is read from a server that ignores the request for a stream', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ body: JSON.stringify(body) })
    const received = await eventsOf(client.stream(REQUEST))
    expect(received.at(-1)).toEqual({ type: 'end', result })
    expect(joined(received)).toEqual({ text: result.text, calls: result.toolCalls })
  })

  it('without its end is an error that counts at its maximum', async () => {
    const { server, client } = await start(kind)
    const [first] = events.split(/(?<=\r?\n\r?\n)/)
    for (const end of ['whole', 'reset'] as const) {
      server.misbehave({ pieces: [String(first)], end })
      expect(await errorOf(eventsOf(client.stream(REQUEST)))).toMatchObject({ kind: 'transient', usage: UNKNOWN_USAGE })
    }
  })
})

describe('server-sent events', () => {
  const text = 'event: a\ndata: {"x":1}\n\n: comment\r\ndata: grüß\r\ndata:👋\r\n\r\nid: 3\ndata: last'

  it('are the same however their bytes are split in two', async () => {
    const bytes = Buffer.from(text)
    for (let place = 0; place <= bytes.length; place += 1) {
      const pieces = async function* () {
        yield bytes.subarray(0, place)
        await nextTurn()
        yield bytes.subarray(place)
      }
      const data: string[] = []
      for await (const one of readEventData(pieces(), { eventBytesMax: 100, bytesMax: 1_000 })) data.push(one)
      expect(data).toEqual(['{"x":1}', 'grüß\n👋', 'last'])
    }
  })
})

describe.each(PROVIDER_KINDS)('%s: a stream', (kind) => {
  const { events } = RECORDED[kind].text
  const [first = ''] = events.split(/(?<=\r?\n\r?\n)/)

  it('that the provider ends with an error is this error, which counts at its maximum', async () => {
    const { server, client } = await start(kind)
    const { status, error } = OVERLOADED[kind]
    const event = { type: 'error', error }
    server.misbehave({ pieces: [first, `event: error\ndata: ${JSON.stringify(event)}\n\n`] })
    const expected = kind === 'openai' ? 500 : status
    expect(await errorOf(eventsOf(client.stream(REQUEST)))).toMatchObject({
      kind: 'transient',
      message: expect.stringMatching(new RegExp(`^my-openai returned ${expected} `)),
      usage: UNKNOWN_USAGE,
    })
  })

  it.each<[string, string | Uint8Array, 'transient' | 'permanent']>([
    ['JSON that is none', 'data: {"choices": [\n\n', 'transient'],
    ['bytes that are not UTF-8', Buffer.from([0x64, 0xff, 0xfe]), 'transient'],
    ['an event without an end', 'data: '.padEnd(2_000_000, 'x'), 'permanent'],
  ])('with %s is an error', async (_, piece, expected) => {
    const { server, client } = await start(kind)
    server.misbehave({ pieces: [first, piece] })
    expect(await errorOf(eventsOf(client.stream(REQUEST)))).toMatchObject({ kind: expected, usage: UNKNOWN_USAGE })
    await until(() => expect(server.socketsOpen).toBe(0))
  })

  it('that is rejected is the error of a whole answer', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ status: 429, headers: { 'retry-after': '20' } }, 2)
    const error = await errorOf(eventsOf(client.stream(REQUEST)))
    expect(error).toMatchObject({ kind: 'transient', retryAfterMs: 20_000, usage: undefined })
    expect((await errorOf(client.chat(REQUEST))).message).toBe(error.message)
  })

  it('that hangs is given up, and its connection closed', async () => {
    const { server, client } = await start(kind, { timeoutMs: 50 })
    server.misbehave({ pieces: [first], end: 'hang' })
    expect(await errorOf(eventsOf(client.stream(REQUEST)))).toMatchObject({
      kind: 'transient',
      message: 'my-openai did not respond within 50 ms',
      usage: UNKNOWN_USAGE,
    })
    await until(() => expect(server.socketsOpen).toBe(0))
  })

  it('that the caller leaves is closed', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ pieces: [events.slice(0, -4)], end: 'hang' } satisfies Misbehaviour)
    for await (const event of client.stream(REQUEST)) if (event.type === 'text') break
    await until(() => expect(server.socketsOpen).toBe(0))
  })

  it('that the caller stops is canceled, also before anything is sent', async () => {
    const { server, client } = await start(kind)
    const stop = new AbortController()
    server.misbehave({ pieces: [first], end: 'hang' }, 2)
    const asked = [
      errorOf(eventsOf(client.stream({ ...REQUEST, signal: stop.signal }))),
      errorOf(client.chat({ ...REQUEST, signal: stop.signal })),
    ]
    await until(() => expect(server.requests).toHaveLength(2))
    stop.abort()
    for (const error of await Promise.all(asked)) {
      expect(error).toMatchObject({ kind: 'transient', usage: UNKNOWN_USAGE })
    }
    expect((await errorOf(eventsOf(client.stream({ ...REQUEST, signal: stop.signal })))).usage).toBeUndefined()
    expect(server.requests).toHaveLength(2)
  })

  it('leaves its connection open for the next one', async () => {
    const { server, client } = await start(kind)
    server.misbehave({ pieces: [events] }, 3)
    for (let times = 0; times < 3; times += 1) await eventsOf(client.stream(REQUEST))
    expect(server.socketsOpen).toBe(1)
  })
})
