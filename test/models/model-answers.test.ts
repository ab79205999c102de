/** For any bytes that a provider may send: an answer that fits the schema, or a ModelError, and nothing else. fast-check prints the seed. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelClient } from '../../src/llm/model-client.ts'
import type { Misbehaviour } from '../harness/model-misbehaviour.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { runs } from '../harness/stage.ts'
import { API_KEY, clientOf, errorOf, QUESTION } from './start-model-client.ts'

describe('any response of a provider', () => {
  let server: ModelServer
  let client: ModelClient
  let how: Misbehaviour | undefined
  beforeAll(async () => {
    server = await startModelServer({ misbehaviour: () => how })
    client = clientOf(server.baseUrl)
  })
  afterAll(() => server.close())

  const score = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constant(null))
  const verdict = fc.record({ reason: fc.string({ unit: 'binary' }), score }, { requiredKeys: [] })
  const envelope = (content: unknown) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] })
  /** Nearly right: that is where a reader goes wrong. */
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .oneof(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.constant(API_KEY))
      .map((text) => Buffer.from(envelope(text))),
    verdict.map((value) => Buffer.from(envelope(JSON.stringify(value)))),
    fc.jsonValue().map((error) => Buffer.from(JSON.stringify({ error }))),
    fc.jsonValue().map((message) => Buffer.from(JSON.stringify({ choices: [{ message }] }))),
    fc.jsonValue().map((data) => Buffer.from(JSON.stringify({ data }))),
    fc
      .jsonValue()
      .map((message) => Buffer.from(JSON.stringify({ error: { message, detail: API_KEY, code: message } }))),
  )
  const type = fc.constantFrom('application/json', 'text/html', 'text/plain', 'image/png')

  it('with status 200 is a valid answer, or an error with a readable message', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(body, type, async (bytes, contentType) => {
        how = { body: bytes, type: contentType }
        const asked = client.complete(QUESTION)
        const answer = await asked.catch(() => undefined)
        if (answer) expect(answer.value).toEqual({ reason: expect.any(String), score: expect.toSatisfy(isOnScale) })
        else expect((await errorOf(asked)).message).toMatch(/my-openai/)
        const vectors = client.embed({ texts: ['a'] })
        if (!(await vectors.catch(() => undefined))) await errorOf(vectors)
      }),
      { numRuns: runs(400) },
    )
  })

  it('with any other status, it is an error, and never the key', { tags: 'sized' }, async () => {
    const status = fc.integer({ min: 300, max: 599 })
    await fc.assert(
      fc.asyncProperty(status, fc.jsonValue(), fc.string(), async (code, message, around) => {
        how = { status: code, error: { message: `${around}${API_KEY}${around}`, code: message, param: message } }
        const error = await errorOf(client.complete({ ...QUESTION, seed: 1 }))
        expect(error.message).toMatch(new RegExp(`^my-openai returned ${code}`))
      }),
      { numRuns: runs(300) },
    )
  })

  it('a code fence around an answer is ignored, and text around it is never a part of it', {
    tags: 'sized',
  }, async () => {
    const fine = fc.record({ reason: fc.string(), score: fc.integer({ min: 1, max: 5 }) })
    const fence = fc.constantFrom('', 'json', 'JSON', 'jsonc')
    const space = fc.stringMatching(/^[ \t\n]{0,4}$/)
    const prose = fc.stringMatching(/^[a-zA-Z,.! ]*[a-zA-Z]$/)
    await fc.assert(
      fc.asyncProperty(fine, fence, space, prose, async (value, language, blank, words) => {
        const json = JSON.stringify(value)
        const fenced = `${blank}\`\`\`${language}\n${blank}${json}${blank}\n\`\`\`${blank}`
        how = { content: fenced }
        expect((await client.complete(QUESTION)).value).toEqual(value)
        for (const content of [`${words} ${json}`, `${json} ${words}`, `${words}\n${fenced}`, `${json}${json}`]) {
          how = { content }
          expect((await errorOf(client.complete(QUESTION))).kind).toBe('transient')
        }
      }),
      { numRuns: runs(100) },
    )
  })
})

function isOnScale(value: unknown): boolean {
  return typeof value === 'number' && value >= 1 && value <= 5
}
