/** Random texts, searched for random parts of them. A search must return what a plain comparison of all texts finds. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readSearchIndexState } from '../../src/traces/search/index-state-queries.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { until } from '../harness/wait-for.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'

const START_MS = Date.now() - 3_600_000
const TRACES = 40
const TERMS = 40

/** Few, so that texts share parts: signs of patterns and of JSON, letters whose other case is longer or ASCII, marks, wide characters. */
const SIGNS = [
  'a',
  'B',
  '7',
  ' ',
  '%',
  '_',
  '\\',
  '"',
  "'",
  '{',
  '\n',
  'ß',
  'ẞ',
  'İ',
  'ı',
  'K',
  'é',
  'e\u0301',
  '😀',
  '漢',
  '字',
]
const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: fc.constantFrom(...SIGNS), minLength: 1, maxLength: 24 }) },
  { weight: 1, arbitrary: fc.constantFrom('ab'.repeat(3_000), `${'漢字'.repeat(700)}é${'aB7'.repeat(700)}`) },
)
const span = fc.record({ name: text, input: fc.option(text), output: fc.option(text) })
const traces = fc.array(fc.array(span, { minLength: 1, maxLength: 3 }), { minLength: TRACES, maxLength: TRACES })
const cut = fc.record({
  at: fc.nat(),
  from: fc.nat(),
  length: fc.oneof(fc.nat(8), fc.nat(8), fc.nat(60), fc.constant(1_500)),
  isUpper: fc.boolean(),
})

type Texts = { name: string; input: string | null; output: string | null }
type Cut = { at: number; from: number; length: number; isUpper: boolean }

function sketchesOf(trace: readonly Texts[], number: number): SpanSketch[] {
  return trace.map(({ name, input, output }, place) => ({
    traceId: traceIdOf(number),
    spanId: spanIdOf(place),
    ...(place === 0 ? {} : { parentSpanId: spanIdOf(0) }),
    name,
    start: START_MS + number,
    attributes: {
      ...(input === null ? {} : { 'touchstone.input': input }),
      ...(output === null ? {} : { 'touchstone.output': output }),
    },
  }))
}

/** A part of one of the texts, sometimes in the other case of ASCII letters. */
function termOf(texts: readonly string[], { at, from, length, isUpper }: Cut): string {
  const signs = [...(texts[at % texts.length] ?? '')]
  const start = from % Math.max(1, signs.length)
  const term = signs.slice(start, start + 1 + length).join('')
  return isUpper ? term.replace(/[a-z]/g, (letter) => letter.toUpperCase()) : fold(term)
}

function fold(written: string): string {
  return written.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** As the guide defines it: the text, or the text as JSON writes it, once or twice. */
function contains(texts: Texts, term: string): boolean {
  const inJson = JSON.stringify(term).slice(1, -1)
  const needles = [term, inJson, JSON.stringify(inJson).slice(1, -1)].map(fold)
  return Object.values(texts).some((own) => own !== null && needles.some((needle) => fold(own).includes(needle)))
}

/** As they are stored: names are trimmed. */
async function textsOf(client: Client, number: number): Promise<Texts[]> {
  const { body } = await client.get(`/traces/${traceIdOf(number)}`)
  const spans: Texts[] = Array.isArray(body.spans) ? body.spans : []
  return spans.map(({ name, input, output }) => ({ name, input, output }))
}

async function search(client: Client, term: string): Promise<string[]> {
  const quoted = `"${term.replace(/["\\]/g, (sign) => `\\${sign}`)}"`
  const { status, text: answer, body } = await client.get(`/traces?limit=100&q=${encodeURIComponent(quoted)}`)
  expect(status, answer).toBe(200)
  return Array.isArray(body.data) ? body.data.map(({ traceId }: { traceId: string }) => traceId).sort() : []
}

describeEachEngine('a search for a text', (app) => {
  it('returns the traces that contain it: at once, when they are indexed, and after some were deleted', {
    tags: 'sized',
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        traces,
        traces,
        fc.array(cut, { minLength: TERMS, maxLength: TERMS }),
        async (sent, others, cuts) => {
          const { client, workspaceId } = await app().newWorkspace()
          const other = await app().newWorkspace()
          const stored = new Map<string, readonly Texts[]>()
          const terms = cuts.map((own) =>
            termOf(
              sent.flat().flatMap((texts) => Object.values(texts).filter((one) => one !== null)),
              own,
            ),
          )
          const expectSame = async () => {
            for (const term of terms.filter((one) => one.length < 1_900)) {
              const expected = [...stored].filter(([, spans]) => spans.some((texts) => contains(texts, term)))
              expect({ term, found: await search(client, term) }).toEqual({
                term,
                found: expected.map(([id]) => id).sort(),
              })
            }
          }
          const send = async (from: number, to: number) => {
            await sendSpans(
              client,
              sent.slice(from, to).flatMap((trace, place) => sketchesOf(trace, from + place)),
            )
            for (let number = from; number < to; number += 1)
              stored.set(traceIdOf(number), await textsOf(client, number))
          }
          // The same texts of another application are found by its own searches only.
          await sendSpans(other.client, [...sent.slice(0, 5), ...others].flatMap(sketchesOf))
          await send(0, TRACES / 2)
          await expectSame()
          await until(async () => expect((await readSearchIndexState(app().storage)).state).toBe('ready'))
          await expectSame()
          await send(TRACES / 2, TRACES)
          await expectSame()
          for (let number = 0; number < TRACES; number += 2) {
            expect((await client.delete(`/traces/${traceIdOf(number)}`)).status).toBe(204)
            stored.delete(traceIdOf(number))
          }
          await expectSame()
          await waitForJobs(app().storage, workspaceId)
          await app().storage.releaseSpace()
          await until(async () => expect((await readSearchIndexState(app().storage)).state).toBe('ready'))
          await expectSame()
        },
      ),
      { numRuns: runs(1), endOnFailure: true },
    )
  })
})
