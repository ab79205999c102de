/** For anything that a provider may send: an answer, or a ModelError, and nothing else. fast-check prints the seed. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChatClient, PROVIDER_KINDS } from '../../src/llm/chat.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { runs } from '../harness/stage.ts'
import { RECORDED } from './recorded-answers.ts'
import { clientOf, errorOf, eventsOf } from './start-model-client.ts'

const REQUEST = { messages: [{ role: 'user' as const, content: 'Hello' }] }

describe.each(PROVIDER_KINDS)('%s: any answer', (kind) => {
  let server: ModelServer
  let client: ChatClient
  let how: Misbehaviour | undefined
  beforeAll(async () => {
    server = await startModelServer({ kind, misbehaviour: () => how })
    client = clientOf(server.baseUrl, { connection: { kind } })
  })
  afterAll(() => server.close())

  const recorded = Object.values(RECORDED[kind]).flatMap(({ body, events }) => {
    const data = events.split(/\r?\n/).filter((line) => line.startsWith('data: {'))
    return [body, ...data.map((line): unknown => JSON.parse(line.slice(6)))]
  })
  /** A recorded response or event in which one value is another: nearly right is where a reader goes wrong. */
  const part = fc.tuple(fc.constantFrom(...recorded), fc.nat(), fc.jsonValue({ maxDepth: 3 })).map(replaceOne)

  it('is a result or an error with a readable message', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(part, async (body) => {
        how = { body: JSON.stringify(body) }
        const asked = client.chat(REQUEST)
        const result = await asked.catch(() => undefined)
        if (!result) expect((await errorOf(asked)).message).toMatch(/my-openai/)
        else expect(result).toMatchObject({ text: expect.any(String), toolCalls: expect.any(Array), usage: {} })
      }),
      { numRuns: runs(150) },
    )
  })

  it('is a stream that ends with a result or with such an error', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        how = { pieces: parts.map((one) => `data: ${JSON.stringify(one)}\n\n`) }
        const asked = eventsOf(client.stream(REQUEST))
        const events = await asked.catch(() => undefined)
        if (events) expect(events.at(-1)).toMatchObject({ type: 'end', result: { text: expect.any(String) } })
        else expect((await errorOf(asked)).message).toMatch(/my-openai/)
      }),
      { numRuns: runs(150) },
    )
  })
})

/** Replaces the value at a place, in the order in which JSON is written. */
function replaceOne([value, place, by]: [unknown, number, unknown]): unknown {
  let count = 0
  JSON.stringify(value, (_, one) => {
    count += 1
    return one
  })
  let left = place % count
  return JSON.parse(JSON.stringify(value, (_, one) => (left-- === 0 ? by : one)))
}
